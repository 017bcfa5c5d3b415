package optimize

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/probe"
	"saturate/internal/rule"
	"saturate/internal/run"
	"saturate/internal/verify"
	"saturate/internal/whatif"
)

// What made no difference while data was waited for is tried again when that is over, and not before.
func TestTriedAgainWhenTheBoundMoves(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1, waits: 0.01})
	o := w.options(t)
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		source, _ := os.ReadFile(filepath.Join(trial.Dir, "train.py"))
		has := func(text string) bool { return strings.Contains(string(source), text) }
		w.effects = w.effects[:1]
		if has("num_workers") && has("autocast") { // computing shows only once data is no longer waited for
			w.effects = append(w.effects, effect{shows: "autocast", seconds: 0.6, loss: 1, waits: 0.01})
		}
		return w.execute(ctx, trial)
	}
	o.Profile = func(context.Context, probe.Home, []string, int, string) (Profiled, error) {
		r := run.Run{}
		for i := range 30 {
			r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: 0.1, Samples: 32, Parts: []run.Part{{Name: "forward", Seconds: 0.055}, {Name: "data", Seconds: 0.045}}})
		}
		return Profiled{Run: r, GPU: true}, nil
	}
	o.Rules.Select = []string{"SAT401", "SAT201"}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var story []string
	for _, r := range result.Ladder {
		if r.ID == "SAT401/2" { // another form of the same
			continue
		}
		story = append(story, r.ID+" "+string(r.Decision)+" "+r.Bound)
	}
	want := []string{"SAT401 no difference compute", "loader kept compute", "SAT401 kept compute"}
	if !slices.Equal(story, want) {
		t.Errorf("%q", story)
	}
	if result.End.Reason != EndNothing {
		t.Errorf("ended by %+v", result.End)
	}
}

// A proposer edits a copy; what it made is measured, kept or dropped like any other repair, and it is asked until it
// has no more ideas.
func TestProposals(t *testing.T) {
	w := newWorld(1, effect{shows: "# fast", seconds: 0.5, loss: 1}, effect{shows: "# diverges", seconds: 0.5, loss: 1.5})
	o := w.options(t)
	o.Rules.Select = []string{"SAT420"} // nothing is found
	var asked []int
	o.Propose = func(_ context.Context, task Task) (Proposal, error) {
		asked = append(asked, task.Round)
		add := []string{"# diverges", "# fast", ""}[task.Round-1]
		if add == "" {
			return Proposal{}, nil
		}
		path := filepath.Join(task.Dir, "train.py")
		text, err := os.ReadFile(path)
		if err != nil {
			return Proposal{}, err
		}
		return Proposal{Title: "add " + add}, os.WriteFile(path, append(text, []byte(add+"\n")...), 0o644)
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := decisions(result); got["proposal/1"] != Wrong || got["proposal/2"] != Kept || !slices.Equal(asked, []int{1, 2, 3}) {
		t.Errorf("%v, asked %v", got, asked)
	}
	if !strings.Contains(result.Diff, "+# fast") || strings.Contains(result.Diff, "# diverges") {
		t.Errorf("the patch:\n%s", result.Diff)
	}
}

// A larger batch is a patch of its own, on top of the proven one. It is not looked for where the program waits for
// data, which a larger batch needs as much of.
func TestGrowIsApart(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	o.Grow = func(_ context.Context, task GrowTask) (Grown, error) {
		old, err := os.ReadFile(filepath.Join(task.Dir, "train.py"))
		fresh := strings.Replace(string(old), "batch_size=32", "batch_size=64", 1)
		return Grown{From: 32, Batch: 64, Speed: 1.5, Changes: []patch.Change{{Path: "train.py", Old: old, New: []byte(fresh)}}}, err
	}
	result, err := Run(t.Context(), o)
	if err != nil || result.Grown != nil || !strings.Contains(strings.Join(result.Notes, "\n"), "waits for data for 50% of a step") {
		t.Errorf("%v, %v, %q", result.Grown, err, result.Notes)
	}

	o.State = filepath.Join(t.TempDir(), "state")
	o.Profile = func(ctx context.Context, home probe.Home, command []string, steps int, dir string) (Profiled, error) {
		p, err := w.profile(ctx, home, command, steps, dir)
		for i := range p.Run.Steps {
			p.Run.Steps[i].Parts[0].Seconds, p.Run.Steps[i].Parts[1].Seconds = 0.01, 0.06
		}
		return p, err
	}
	if result, err = Run(t.Context(), o); err != nil || result.Grown == nil {
		t.Fatalf("%v, %v", result.Grown, err)
	}
	text, err := os.ReadFile(result.Grown.Patch)
	if err != nil || !strings.Contains(string(text), "+loader = DataLoader(") && !strings.Contains(string(text), "batch_size=64") || strings.Contains(result.Diff, "=64") {
		t.Errorf("%v: %s", err, text)
	}
}

// An option that the command sets is repaired in the command; its default would never be seen.
func TestOverriddenDefaults(t *testing.T) {
	old := "p.add_argument(\"--workers\", type=int, default=0)\np.add_argument('-l', '--lr', default=1.0)\n"
	fresh := strings.Replace(old, "default=0", "default=4", 1)
	changes := []patch.Change{{Path: "train.py", Old: []byte(old), New: []byte(fresh)}}
	for _, tt := range []struct {
		command, want string
		needed        int
	}{
		{"python train.py --workers 0", "python train.py --workers 4", 0},
		{"python train.py --workers=0 --lr 3", "python train.py --workers=4 --lr 3", 0},
		{"python train.py --lr 3", "python train.py --lr 3", 1},
	} {
		command, needed := overridden(strings.Fields(tt.command), changes)
		if strings.Join(command, " ") != tt.want || len(needed) != tt.needed {
			t.Errorf("%s: %v, %d changes", tt.command, command, len(needed))
		}
	}
}

func TestWorkerCounts(t *testing.T) {
	for _, tt := range []struct {
		need, cores int
		want        []int
	}{{1, 1, []int{1}}, {1, 2, []int{1, 2}}, {2, 2, []int{2, 1}}, {3, 16, []int{3, 6, 1, 16}}, {40, 16, []int{16, 8}}} {
		if got := workerCounts(tt.need, tt.cores); !slices.Equal(got, tt.want) {
			t.Errorf("%d of %d cores: %v", tt.need, tt.cores, got)
		}
	}
	fix := patch.Patch{Edits: []patch.Edit{{Text: "import os\n"}, {Start: 3, End: 3, Text: ", num_workers=max(1, min(8, os.cpu_count() // 2))"}}}
	ranks := patch.Patch{Edits: []patch.Edit{{Text: `, num_workers=max(1, min(8, os.cpu_count() // 2 // int(os.environ.get("LOCAL_WORLD_SIZE", 1))))`}}}
	for _, fix := range []patch.Patch{fix, ranks} {
		if got := settleWorkers(fix, "SAT201", 3); len(got.Edits) != 1 || got.Edits[0].Text != ", num_workers=3" {
			t.Errorf("%+v", got.Edits)
		}
	}
}

// Where the loader has workers, the candidate is named by what it does: it starts none.
func TestLoaderWithWorkersIsNamed(t *testing.T) {
	found := []finding.Finding{
		{Code: "SAT202", Fixes: []patch.Patch{{Title: "keep the workers"}}},
		{Code: "SAT203", Fixes: []patch.Patch{{Title: "copy from pinned memory"}}},
		{Code: "SAT203", Fixes: []patch.Patch{{Title: "copy from pinned memory"}}},
	}
	list := (&protocol{}).loaders(Candidate{ID: "loader", Title: loaderGroup.title}, found, &Baseline{Cores: 2, Workers: 8})
	if len(list) != 1 || list[0].Title != "keep the workers and copy from pinned memory" {
		t.Errorf("%+v", list)
	}
}

// Every question that the loop asks can be asked.
func TestQuestions(t *testing.T) {
	known := questions()
	for _, rule := range rule.All() {
		for _, words := range rule.Asks {
			for _, word := range words {
				if _, err := whatif.Ask(word); err != nil || !slices.ContainsFunc(known, func(r whatif.Repair) bool { return r.Name() == word }) {
					t.Errorf("%s asks %s: %v", rule.Code, word, err)
				}
			}
		}
	}
}

// A form of the optimizer that a trace called worse than the kept one is not measured in its place.
func TestWorseChoiceIsNotTried(t *testing.T) {
	fused := Candidate{ID: "SAT407/2", Choice: "optimizer", Saves: 0.42, Predicted: &Forecast{Question: "optimizer=fused"}}
	foreach := Candidate{ID: "SAT407", Choice: "optimizer", Saves: 0.40, Predicted: &Forecast{Question: "optimizer=foreach"}}
	guess := Candidate{ID: "SAT406", Choice: "optimizer", Saves: 0.40}
	p := &protocol{state: state{
		Pool: []Candidate{fused, foreach, guess}, Best: "1",
		Rungs: []Rung{{Candidate: fused, Decision: Kept, Tree: "1"}},
	}}
	got := map[string]float64{}
	for _, c := range p.swaps(nil, &Baseline{SecondsPerStep: 0.017}) {
		got[c.ID] = c.Saves
	}
	if want := map[string]float64{"SAT407": 0, "SAT406": 0.40}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLeftForWantOfTime(t *testing.T) {
	p := &protocol{state: state{}}
	p.stopped(&Baseline{}, []Candidate{{ID: "SAT411", Saves: 0.16}, {ID: "loader", Saves: 0.011}})
	for i, want := range []string{"not tried: the budget is used up (it takes about 5.0 s)", "predicted to save too little"} {
		if got := p.result.Left[i].Why; got != want {
			t.Errorf("%s: %q, want %q", p.result.Left[i].ID, got, want)
		}
	}
}

// A fix that measured slower is not listed as left, unless the bottleneck has changed since.
func TestSlowerIsNotLeft(t *testing.T) {
	here := &Baseline{}
	for bound, want := range map[string]int{here.bound(): 0, "data_loading": 1} {
		p := &protocol{state: state{Rungs: []Rung{{Candidate: Candidate{ID: "SAT406"}, Decision: Useless, Ratio: 1.07, Bound: bound}}}}
		if left := p.left(here, []Candidate{{ID: "SAT406", Saves: 0.15}}); len(left) != want {
			t.Errorf("bound by %q then: %+v", bound, left)
		}
	}
}

// A program that fails without a fix says nothing about the fix.
func TestFailsWithoutIt(t *testing.T) {
	p := &protocol{}
	for side, want := range map[verify.Side]Decision{verify.Before: Unmeasured, verify.After: Broken} {
		var r Rung
		p.take(&r, verify.Result{Verdict: verify.Invalid, Cause: verify.ByProgram, Blamed: side, Reason: "it failed with exit code 1"})
		if r.Decision != want {
			t.Errorf("%s: %s", side, r.Decision)
		}
	}
}
