package optimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/stat"
	"saturate/internal/verify"
)

const slowProgram = `import torch
from torch.utils.data import DataLoader

from data import Clips

model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(Clips(), batch_size=32, shuffle=True)
for epoch in range(3):
    for x, y in loader:
        x, y = x.to("cuda"), y.to("cuda")
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
`

const clips = `import numpy as np
from torch.utils.data import Dataset


class Clips(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return np.load(f"clips/{index}.npy"), index % 10
`

// world is a machine on which a program's speed and loss depend on what its source says.
type world struct {
	random  *rand.Rand
	effects []effect
	ran     []string
	stop    int      // after so many runs the machine is taken away
	reads   []string // files that effects show in, besides the program
}

// effect is what a repair does to the program.
type effect struct {
	shows   string  // in the source
	seconds float64 // factor on the time of a step
	loss    float64 // factor on the loss
	crash   bool
	says    string // its last words
	hang    bool
	waits   float64 // share of the step, for data; 0 where the steps do not tell
}

func (w *world) execute(ctx context.Context, t verify.Trial) (run.Run, error) {
	w.ran = append(w.ran, string(t.Side))
	if w.stop > 0 && len(w.ran) > w.stop {
		return run.Run{}, context.Canceled
	}
	var source []byte
	for _, name := range append([]string{"train.py"}, w.reads...) {
		text, err := os.ReadFile(filepath.Join(t.Dir, name))
		if err != nil && name == "train.py" {
			return run.Run{}, err
		}
		source = append(source, text...)
	}
	seconds, loss, waits, exit := 0.1*math1(w.random, 0.01), 2.0, 0.0, 0
	for _, e := range w.effects {
		if !strings.Contains(string(source), e.shows) {
			continue
		}
		if e.crash {
			exit = 1
			return run.Run{ExitCode: &exit, Notes: []string{cmp.Or(e.says, "RuntimeError: planted")}}, nil
		}
		if e.hang {
			<-ctx.Done()
			return run.Run{}, nil
		}
		seconds *= e.seconds
		loss *= e.loss
		waits = max(waits, e.waits)
	}
	r := run.Run{ExitCode: &exit, State: run.Complete}
	for i := range t.Steps {
		value := stat.Number(loss * (1 - 0.005*float64(i)))
		step := run.Step{Index: i + 1, Seconds: seconds * math1(w.random, 0.03), Samples: 32, Loss: &value}
		if waits > 0 {
			step.Parts = []run.Part{{Name: "data", Seconds: waits * step.Seconds}, {Name: "forward", Seconds: (1 - waits) * step.Seconds}}
		}
		r.Steps = append(r.Steps, step)
	}
	return r, nil
}

// math1 is 1, give or take.
func math1(random *rand.Rand, spread float64) float64 { return max(0.5, 1+spread*random.NormFloat64()) }

func (w *world) profile(context.Context, probe.Home, []string, int, string) (Profiled, error) {
	r := run.Run{}
	for i := range 30 {
		r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: 0.1, Samples: 32, Parts: []run.Part{
			{Name: "data", Seconds: 0.05}, {Name: "forward", Seconds: 0.02}, {Name: "backward", Seconds: 0.02}, {Name: "optimizer", Seconds: 0.005},
		}})
	}
	return Profiled{Run: r, GPU: true}, nil
}

func (w *world) options(t *testing.T) Options {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "job")
	for name, text := range map[string]string{"train.py": slowProgram, "data.py": clips} {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return Options{
		Dir: dir, Command: []string{"python", "train.py"}, State: filepath.Join(t.TempDir(), "state"), Steps: 30,
		Profile: w.profile, Execute: w.execute, Prepare: func(context.Context, probe.Home, []string) error { return nil },
	}
}

func newWorld(seed uint64, effects ...effect) *world {
	return &world{random: rand.New(rand.NewPCG(seed, 1)), effects: effects}
}

func decisions(r Result) map[string]Decision {
	d := map[string]Decision{}
	for _, rung := range r.Ladder {
		d[rung.ID] = rung.Decision
	}
	return d
}

// What helps is kept, and what was planted to be slower, to diverge or to crash is dropped, ten times out of ten.
func TestPlantedRepairs(t *testing.T) {
	for trial := range uint64(10) {
		w := newWorld(
			trial,
			effect{shows: "num_workers", seconds: 0.5, loss: 1},
			effect{shows: "fused=True", seconds: 1.2, loss: 1},
			effect{shows: "torch.autocast", seconds: 0.6, loss: 1.5},
			effect{shows: ".compile(", crash: true},
		)
		o := w.options(t)
		result, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := decisions(result)
		for id, want := range map[string]Decision{"loader": Kept, "SAT406": Harmful, "SAT401": Wrong, "SAT411": Broken} {
			if got[id] != want {
				t.Errorf("trial %d: %s is %q, want %q", trial, id, got[id], want)
			}
		}
		if result.Final == nil || result.Final.Verdict != verify.Faster {
			t.Fatalf("trial %d: no proof", trial)
		}
		if ratio := float64(result.Final.Ratio); ratio < 0.45 || ratio > 0.55 {
			t.Errorf("trial %d: ratio %.3f, want about 0.5", trial, ratio)
		}
		for _, unwanted := range []string{"fused=True", "autocast", "compile"} {
			if strings.Contains(result.Diff, unwanted) {
				t.Errorf("trial %d: the patch holds %s, which was dropped", trial, unwanted)
			}
		}
		if !strings.Contains(result.Diff, "+loader = DataLoader(") {
			t.Errorf("trial %d: the patch lacks the loader:\n%s", trial, result.Diff)
		}
		if source, _ := os.ReadFile(filepath.Join(o.Dir, "train.py")); string(source) != slowProgram {
			t.Fatal("the user's file was changed")
		}
	}
}

// A program that no longer waits for data is not measured with repairs of its loading, until something else has made
// its steps so much shorter that it waits again.
func TestHardlyWaits(t *testing.T) {
	for _, c := range []struct {
		waits float64
		want  Decision
	}{{0.001, NotNeeded}, {0.3, Useless}} {
		// bfloat16 is kept first, since computing takes most of a step here; the loader's repair changes nothing.
		w := newWorld(3, effect{shows: "bfloat16", seconds: 0.5, loss: 1, waits: c.waits})
		o := w.options(t)
		o.Profile = func(context.Context, probe.Home, []string, int, string) (Profiled, error) {
			r := run.Run{}
			for i := range 30 {
				r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: 0.1, Samples: 32, Parts: []run.Part{{Name: "data", Seconds: 0.03}, {Name: "forward", Seconds: 0.07}}})
			}
			return Profiled{Run: r, GPU: true}, nil
		}
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, rung := range r.Ladder {
			if rung.ID == "loader" && rung.Pass == 1 && rung.Decision != c.want {
				t.Errorf("waiting %g of a step: %s, %s; want %s", c.waits, rung.Decision, rung.Because, c.want)
			}
		}
		if d := decisions(r); d["SAT401"] != Kept || d["loader"] == "" {
			t.Errorf("%v", d)
		}
	}
}

// Stopped at any moment, it goes on where it was, runs nothing twice, and comes to the same end.
func TestGoesOn(t *testing.T) {
	effects := []effect{{shows: "num_workers", seconds: 0.5, loss: 1}, {shows: "fused=True", seconds: 0.8, loss: 1}}
	whole := newWorld(1, effects...)
	want, err := Run(t.Context(), whole.options(t))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(1, effects...)
	o := w.options(t)
	runs := 0
	var result Result
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithCancel(t.Context())
		w.ran, w.stop = nil, 0
		o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
			if len(w.ran) == 5 {
				cancel()
				return run.Run{}, ctx.Err()
			}
			return w.execute(ctx, trial)
		}
		result, err = Run(ctx, o)
		cancel()
		runs += len(w.ran)
		if err == nil {
			break
		}
		if attempt > 50 || !errors.Is(err, context.Canceled) {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
	}
	if got := decisions(result); fmt.Sprint(got) != fmt.Sprint(decisions(want)) {
		t.Errorf("decisions %v, want %v", got, decisions(want))
	}
	if result.Diff != want.Diff {
		t.Errorf("another patch:\n%s", result.Diff)
	}
	// A block is two runs, of which one may be lost at each stop; and other noise may ask for a pair or two more.
	if lost := runs - len(whole.ran); lost < -4 || lost > runs/5+5 {
		t.Errorf("%d runs instead of %d", runs, len(whole.ran))
	}
}

func TestBudget(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	now := time.Unix(0, 0)
	o.Now = func() time.Time { now = now.Add(time.Second); return now }
	o.Budget = 4 * time.Second
	result, err := Run(t.Context(), o)
	if err != nil || result.Unfinished == "" || result.Final != nil {
		t.Fatalf("error %v, unfinished %q, ended %+v", err, result.Unfinished, result.End)
	}
	o.Budget = 0
	if result, err = Run(t.Context(), o); err != nil || result.Final == nil {
		t.Fatalf("it did not go on: %v", err)
	}
}

func TestOtherProject(t *testing.T) {
	w := newWorld(1)
	o := w.options(t)
	o.PlanOnly = true
	result, err := Run(t.Context(), o)
	if err != nil || len(result.Candidates) < 4 || result.Candidates[0].ID != "loader" {
		t.Fatalf("plan %v, error %v", result.Candidates, err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "train.py"), []byte(slowProgram+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "was made for different files") {
		t.Errorf("a changed project goes on with old decisions: %v", err)
	}
}

func TestCopyOfTree(t *testing.T) {
	top := filepath.Join(t.TempDir(), "examples")
	from := filepath.Join(top, "job")
	files := map[string]string{"train.py": "x", "data/a.bin": "a", ".git/config": "g", "__pycache__/train.pyc": "c"}
	for name, text := range files {
		path := filepath.Join(from, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o444)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(top, "beside.txt"), []byte("b"), 0o644), os.Symlink("../beside.txt", filepath.Join(from, "link"))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(top, "..", ".git"), 0o755), os.WriteFile(filepath.Join(top, "..", "above.txt"), []byte("b"), 0o644)); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(from, "runs", "state")
	if _, err := plant(from, filepath.Join(state, "trees", "base"), state); err != nil {
		t.Fatal(err)
	}
	base := tree{"base", filepath.Join(state, "trees", "base", "job")}
	next := tree{"01", filepath.Join(state, "trees", "01", "job")}
	if err := graft(base, next, []string{"data"}); err != nil {
		t.Fatal(err)
	}
	for _, at := range []tree{base, next} {
		var names []string
		filepath.WalkDir(at.dir, func(path string, d os.DirEntry, err error) error {
			if name, _ := filepath.Rel(at.dir, path); !d.IsDir() {
				names = append(names, filepath.ToSlash(name))
			}
			return err
		})
		slices.Sort(names)
		if fmt.Sprint(names) != "[data/a.bin link train.py]" {
			t.Errorf("%s holds %v", at.name, names)
		}
		for _, path := range []string{"link", "../beside.txt", "../../above.txt"} {
			if data, err := os.ReadFile(filepath.Join(at.dir, path)); err != nil || string(data) != "b" {
				t.Errorf("%s: %s is %q: %v", at.name, path, data, err)
			}
		}
		if err := os.WriteFile(filepath.Join(at.dir, "train.py"), []byte("y"), 0o644); err != nil {
			t.Errorf("%s: a copy of a read-only file cannot be changed: %v", at.name, err)
		}
	}
}
