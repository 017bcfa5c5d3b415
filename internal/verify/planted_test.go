package verify

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
)

// plant is a repair of testdata/planted/data.py: pairs of texts, old and new.
type plant struct {
	name    string
	changes []string
	field   string // of the first difference; "" where the repair is right
	mode    SampleMode
	quick   bool   // tried in every test, the others where SATURATE_ACCEPT is set
	program string // train.py where it is empty
}

// planted are repairs of a data path that are fast and wrong, and some that are right. The loss tells none of them apart.
var planted = []plant{
	{name: "hoisted read", changes: []string{"self.coin =", "self.first = read(0)\n        self.coin =", "x = read(i)", "x = self.first"}, field: "0", quick: true},
	{name: "constant feature", changes: []string{"x = features(x)\n", "x = KEPT.setdefault(0, features(x))\n"}, field: "0"},
	{name: "label shifted by one", changes: []string{", label(i)\n", ", label((i + 1) % CLIPS)\n"}, field: "1", quick: true},
	{name: "augmentation gone", changes: []string{"        x = self.augment(x)\n", ""}, field: "0"},
	{name: "part of the augmentation gone", changes: []string{"x[:, ::-1].copy() if self.coin.random() < 0.3 else x", "x"}, field: "0"},
	{name: "augmentation cached with the sample", changes: []string{"x = read(i)\n        x = resample(x)\n        x = self.augment(x)\n        x = features(x)\n", "if i not in KEPT:\n            KEPT[i] = features(self.augment(resample(read(i))))\n        x = KEPT[i]\n"}, field: "0", quick: true},
	{name: "cache keyed by length", changes: []string{"x = read(i)\n", "x = read(i)\n        x = KEPT.setdefault(x.shape, x)\n"}, field: "0", quick: true},
	{name: "resampling gone", changes: []string{"        x = resample(x)\n", ""}, field: "0"},
	{name: "resampled by leaving out", changes: []string{"return (x[:, 0::2] + x[:, 1::2]) / 2", "return x[:, 0::2]"}, field: "0"},
	{name: "truncated clip", changes: []string{"x = read(i)\n", "x = read(i)\n        x[:, 300:] = 0\n"}, field: "0"},
	{name: "swapped channels", changes: []string{"mono = x[0] * np.float32(0.75) + x[1]", "mono = x[1] * np.float32(0.75) + x[0]"}, field: "0"},
	{name: "statistics of the first clip", changes: []string{"mono = (mono - mono.mean()) / mono.std()", "mean, std = KEPT.setdefault('statistics', (mono.mean(), mono.std()))\n    mono = (mono - mean) / std"}, field: "0"},
	{name: "normalisation gone", changes: []string{"    mono = (mono - mono.mean()) / mono.std()\n", ""}, field: "0"},
	{name: "shuffling off", changes: []string{"shuffle=True", "shuffle=False"}, field: orderField, quick: true},
	{name: "another order", changes: []string{"shuffle=True", "shuffle=True, generator=torch.Generator().manual_seed(7)"}, field: orderField},
	{name: "crops by worker", changes: []string{"WORKERS = 0", "WORKERS = 2", "x = resample(x)\n", "x = resample(x)[:, get_worker_info().id * 5 :]\n"}, field: "0"},
	{name: "chance by worker", changes: []string{"WORKERS = 0", "WORKERS = 2", "x = self.augment(x)\n", "np.random.seed(get_worker_info().id)\n        x = self.augment(x)\n"}, field: "0"},
	{name: "labels sorted in the batch", changes: []string{"torch.tensor([y for _, y in samples])", "torch.tensor(sorted(y for _, y in samples))"}, field: "1"},
	{name: "one clip for the whole batch", changes: []string{"torch.stack([x for x, _ in samples])", "torch.stack([samples[0][0]] * len(samples))"}, field: "0"},
	{name: "rounded to bytes", changes: []string{"x = features(x)\n", "x = (features(x) * 32).astype(np.int8).astype(np.float32) / 32\n"}, field: "0"},
	{name: "half of the clips twice", changes: []string{"x = read(i)\n", "i %= CLIPS // 2\n        x = read(i)\n"}, field: "0"},
	{name: "changed in place", changes: []string{"x = features(x)\n", "x = features(x)\n        held = KEPT.setdefault('sum', np.zeros_like(x))\n        held += 0.01 * x\n        x = x + held\n"}, field: "0"},
	{name: "one draw for all", changes: []string{"self.coin =", "self.gain = 0.5 + random.random()\n        self.coin =", "0.5 + random.random())", "self.gain)"}, field: "0"},
	{name: "the loop's own normalisation wrong", changes: []string{"    return x\n", "    return x - x.mean()\n"}, field: "input 0"},
	{name: "shorter window", changes: []string{"mono[:192].reshape", "np.append(mono[1:192], mono[0]).reshape"}, field: "0"},
	{name: "frames one off, regrouped", changes: []string{"mono[:192].reshape", "mono[1:193].reshape", "batch_size=4", "batch_size=6"}, field: "0", mode: Regrouped},
	{name: "label shifted by one, in a plain loop", changes: []string{"np.random.RandomState(1000 + i)", "np.random.RandomState(1001 + i)"}, field: "input target of cross_entropy", program: "loop.py", quick: true},
	{name: "resampled by leaving out, in a plain loop", changes: []string{"return (x[:, 0::2] + x[:, 1::2]) / 2", "return x[:, 0::2]"}, field: "input 0", program: "loop.py"},

	{name: "nothing", quick: true},
	{name: "rounded otherwise, in a plain loop", changes: []string{"mono[:192].reshape(FEATURES, 3).mean(1)", "(mono[:192].reshape(FEATURES, 3).astype(np.float64).sum(1) / 3).astype(np.float32)"}, program: "loop.py"},
	{name: "worker processes", changes: []string{"WORKERS = 0", "WORKERS = 2"}, quick: true},
	{name: "persistent worker processes", changes: []string{"WORKERS = 0", "WORKERS = 2", "num_workers=WORKERS", "num_workers=WORKERS, persistent_workers=True"}},
	{name: "cached before the augmentation", changes: []string{"x = read(i)\n        x = resample(x)\n", "if i not in KEPT:\n            KEPT[i] = resample(read(i))\n        x = KEPT[i]\n"}, quick: true},
	{name: "cached before the augmentation, with workers", changes: []string{"WORKERS = 0", "WORKERS = 2", "x = read(i)\n        x = resample(x)\n", "if i not in KEPT:\n            KEPT[i] = resample(read(i))\n        x = KEPT[i]\n"}},
	{name: "read at the start", changes: []string{"self.coin =", "self.all = [read(i) for i in range(CLIPS)]\n        self.coin =", "x = read(i)\n", "x = self.all[i]\n"}},
	{name: "rounded otherwise", changes: []string{"mono[:192].reshape(FEATURES, 3).mean(1)", "(mono[:192].reshape(FEATURES, 3).astype(np.float64).sum(1) / 3).astype(np.float32)"}},
	{name: "labels in a table", changes: []string{"self.coin =", "self.labels = torch.tensor([label(i) for i in range(CLIPS)])\n        self.coin =", ", label(i)\n", ", self.labels[i]\n"}},
	{name: "stacked by numpy", changes: []string{"torch.stack([x for x, _ in samples])", "torch.from_numpy(np.stack([x.numpy() for x, _ in samples]))"}},
	{name: "scaled on the device", changes: []string{"return torch.stack([x for x, _ in samples])", "return torch.stack([x for x, _ in samples]).double() / 3", "    return x\n", "    return (x * 3).float()\n"}},
	{name: "other batches", changes: []string{"batch_size=4, shuffle=True", "batch_size=6, shuffle=False"}, mode: Regrouped},
}

// forks serves runs of Python programs that have torch imported already, and gives the command that asks for one.
func forks(t *testing.T) []string {
	t.Helper()
	interpreter := python(t)
	host, err := filepath.Abs("testdata/planted/host.py")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "host") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	cmd := exec.Command(interpreter, host, socket)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		os.RemoveAll(folder)
	})
	if lines := bufio.NewScanner(out); !lines.Scan() || lines.Text() != "ready" {
		t.Fatal("Python with torch does not start")
	}
	return []string{interpreter, host, socket}
}

// grown is the planted project with a repair.
func (p plant) grown(t *testing.T, command []string) Variant {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"train.py", "loop.py", "data.py"} {
		data, err := os.ReadFile(filepath.Join("testdata/planted", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for i := 0; i < len(p.changes) && name == "data.py"; i += 2 {
			if strings.Count(text, p.changes[i]) != 1 {
				t.Fatalf("%s: %q stands %d times in data.py", p.name, p.changes[i], strings.Count(text, p.changes[i]))
			}
			text = strings.Replace(text, p.changes[i], p.changes[i+1], 1)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v, err := InFolder(p.name, dir, append(slices.Clone(command), cmp.Or(p.program, "train.py")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPlanted: whatever changes what the model is trained on is INVALID however fast it is, and names the first difference; what
// does not change it passes.
func TestPlanted(t *testing.T) {
	command := forks(t)
	quicker := bySide(func() run.Run { return steady(30, 0.1) }, func() run.Run { return steady(30, 0.05) })
	for _, p := range planted {
		if !p.quick && !accepting() {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			plan := testPlan()
			plan.Before, plan.After, plan.Samples = plant{program: p.program}.grown(t, command), p.grown(t, command), p.mode
			r, err := Run(t.Context(), plan, Options{Execute: quicker, Look: Samples(os.Environ())})
			if err != nil {
				t.Fatal(err)
			}
			g := r.Guard.Samples
			t.Logf("%s, samples %s by %s, %d of %d equal: %s", r.Verdict, g.State, g.By, g.Equal, g.Checked, g.Reason)
			switch {
			case p.field == "" && (r.Verdict != Faster || g.State != Passed || g.Checked == 0):
				t.Errorf("a right repair is %s, %s: %s", r.Verdict, r.Cause, r.Reason)
			case p.field != "" && (r.Verdict != Invalid || r.Cause != BySamples || g.First == nil):
				t.Errorf("a wrong repair is %s, samples %s", r.Verdict, g.State)
			case p.field != "" && g.First.Field != p.field:
				t.Errorf("the first difference is in field %q, want %q", g.First.Field, p.field)
			}
		})
	}
}

// TestUnpinned: where the baseline itself draws what cannot be pinned, samples are compared by their distribution.
func TestUnpinned(t *testing.T) {
	seen := func(shift float64, label, n int) probe.Samples {
		var s probe.Samples
		for i := range n {
			x := shift + float64((i*i+int(1000*shift))%17)/17
			y := float64(i + label)
			fields := []probe.Field{{Name: "x", Hash: fmt.Sprint(x), Type: "float32", Mean: &x}, {Name: "y", Hash: fmt.Sprint(y), Type: "int", Mean: &y}}
			s.Samples = append(s.Samples, probe.Sample{Index: i, Fields: fields})
			s.Batches = append(s.Batches, probe.Batch{Number: i, Indexes: []any{i}, Fields: fields})
		}
		return s
	}
	again := func() (probe.Samples, error) { return seen(0.002, 0, 40), nil }
	for _, test := range []struct {
		name  string
		after probe.Samples
		state GuardState
		field string
	}{
		{"drawn again", seen(0.004, 0, 40), Passed, ""},
		{"another mean", seen(3, 0, 40), Failed, "x"},
		{"other labels", seen(0.004, 1, 40), Failed, "y"},
	} {
		g := compareSamples(seen(0, 0, 40), test.after, testPlan().Defaults(), again)
		if g.State != test.state || test.field != "" && g.First.Field != test.field || g.By != "distribution" {
			t.Errorf("%s: %s by %s: %s", test.name, g.State, g.By, g.Reason)
		}
	}
}

// TestPlantedJAX: of a compiled step, the arguments that are new in each call are what the model sees.
func TestPlantedJAX(t *testing.T) {
	interpreter := python(t)
	if !accepting() {
		t.Skip("SATURATE_ACCEPT is not set")
	}
	see := func(wrong string) probe.Samples {
		path, err := filepath.Abs("testdata/planted/jax_loop.py")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Samples(os.Environ())(t.Context(), Trial{Dir: t.TempDir(), Command: []string{interpreter, path, wrong}, Steps: lookSteps})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := see("nothing")
	for wrong, field := range map[string]string{"nothing": "", "labels": "input 1", "features": "input 0"} {
		g := compareSamples(before, see(wrong), testPlan().Defaults(), func() (probe.Samples, error) { return before, nil })
		if field == "" && g.State != Passed || field != "" && (g.State != Failed || g.First.Field != field) {
			t.Errorf("%s wrong: %s: %s", wrong, g.State, g.Reason)
		}
	}
}
