package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/probe/probetest"
	"saturate/internal/run"
)

// forked is the server of the tests that run many programs.
var forked probetest.Server

func TestMain(m *testing.M) {
	code := m.Run()
	forked.Close()
	os.Exit(code)
}

// grown is the planted project with a repair.
func grown(t *testing.T, p probetest.Plant) Variant {
	t.Helper()
	dir := t.TempDir()
	probetest.Write(t, dir, p.Grown(t))
	v, err := InFolder(p.Name, dir, append(forked.Command(t, python(t)), cmp.Or(p.Program, "train.py")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPlanted: whatever changes what the model is trained on is INVALID however fast it is, and names the first
// difference; what does not change it passes.
func TestPlanted(t *testing.T) {
	quicker := bySide(func() run.Run { return steady(30, 0.1) }, func() run.Run { return steady(30, 0.05) })
	for _, p := range probetest.Planted {
		if !p.Quick && !accepting() {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			plan := testPlan()
			plan.Before, plan.After = grown(t, probetest.Plant{Program: p.Program}), grown(t, p)
			if p.Regrouped {
				plan.Samples = Regrouped
			}
			r, err := Run(t.Context(), plan, Options{Execute: quicker, Look: Samples(os.Environ(), nil)})
			if err != nil {
				t.Fatal(err)
			}
			g := r.Guard.Samples
			t.Logf("%s, samples %s by %s, %d of %d equal: %s", r.Verdict, g.State, g.By, g.Equal, g.Checked, g.Reason)
			switch {
			case p.Field == "" && (r.Verdict != Faster || g.State != Passed || g.Checked == 0):
				t.Errorf("a right repair is %s, %s: %s", r.Verdict, r.Cause, r.Reason)
			case p.Field != "" && (r.Verdict != Invalid || r.Cause != BySamples || g.First == nil):
				t.Errorf("a wrong repair is %s, samples %s", r.Verdict, g.State)
			case p.Field != "" && g.First.Field != p.Field:
				t.Errorf("the first difference is in field %q, want %q", g.First.Field, p.Field)
			}
		})
	}
}

// TestWorkersAskAhead: worker processes ask for batches ahead, to the end of a small dataset, where a sampler with a
// generator of its own draws once more. The epochs of a look are cut short, so the draw must not come there. A loader
// with a generator draws a seed for its workers as well, but only once if they are kept.
func TestWorkersAskAhead(t *testing.T) {
	for _, draws := range []string{
		"sampler=torch.utils.data.RandomSampler(inputs, generator=torch.Generator().manual_seed(1))",
		"shuffle=True, generator=torch.Generator().manual_seed(1)",
	} {
		variant := func(name, workers string) Variant {
			v := loop(t, name, "DATA = 200", "DATA = 80", "batch_size=8, shuffle=True)", "batch_size=8, "+draws+workers+")")
			v.Command = v.Command[:len(v.Command)-2] // it does not write its own steps
			return v
		}
		quicker := bySide(func() run.Run { return steady(30, 0.1) }, func() run.Run { return steady(30, 0.05) })
		plan := testPlan()
		plan.Before, plan.After = variant("before", ""), variant("after", ", num_workers=6, persistent_workers=True")
		plan.Redraws = true
		r, err := Run(t.Context(), plan, Options{Execute: quicker, Look: Samples(os.Environ(), nil)})
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Guard.Samples; r.Verdict != Faster || g.State != Passed || g.Checked < 80 {
			t.Errorf("%s: %s, samples %s by %s, %d of %d equal: %s", draws, r.Verdict, g.State, g.By, g.Equal, g.Checked, g.Reason)
		}
	}
}

// TestWholeBatches: a dataset that reads a batch at once has the same samples, whatever it puts them into; a wrong one
// has not.
func TestWholeBatches(t *testing.T) {
	const loading = "DataLoader(TensorDataset(inputs, targets), batch_size=8, shuffle=True)"
	watched := func(v Variant) Variant {
		v.Command = v.Command[:len(v.Command)-2] // it does not write its own steps
		return v
	}
	whole := func(name, gives string) Variant {
		return loop(t, name, "loader = "+loading, `
class Whole(TensorDataset):
    def __getitems__(self, at):
        return `+gives+`


loader = DataLoader(Whole(inputs, targets), batch_size=8, shuffle=True, collate_fn=lambda b: b if isinstance(b, tuple) else tuple(b.values()))
`)
	}
	quicker := bySide(func() run.Run { return steady(30, 0.1) }, func() run.Run { return steady(30, 0.05) })
	for _, test := range []struct {
		name, gives string
		verdict     Verdict
	}{
		{"a tuple", "self.tensors[0][at], self.tensors[1][at]", Faster},
		{"the first for all", "self.tensors[0][at[:1] * len(at)], self.tensors[1][at]", Invalid},
	} {
		plan := testPlan()
		plan.Before, plan.After, plan.Samples = watched(loop(t, "before")), watched(whole(test.name, test.gives)), Regrouped
		r, err := Run(t.Context(), plan, Options{Execute: quicker, Look: Samples(os.Environ(), nil)})
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Guard.Samples; r.Verdict != test.verdict || g.By != "index" && test.verdict == Faster {
			t.Errorf("%s: %s, samples %s by %s: %s", test.name, r.Verdict, g.State, g.By, g.Reason)
		}
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

// TestPassed: where the plan names a mask that only the change passes to the model, the samples count as the same; any
// other new input makes them differ.
func TestPassed(t *testing.T) {
	field := func(name string) probe.Field { return probe.Field{Name: name, Hash: name, Type: "bool"} }
	calls := func(fields ...probe.Field) probe.Samples {
		return probe.Samples{Inputs: []probe.Input{{Call: 1, Fields: fields}}}
	}
	before := calls(field("x"))
	for name, want := range map[string]GuardState{"mask": Passed, "labels": Failed} {
		plan := testPlan().Defaults()
		plan.Passes = []string{"mask"}
		g := compareSamples(before, calls(field("x"), field(name)), plan, func() (probe.Samples, error) { return before, nil })
		if g.State != want {
			t.Errorf("%s: %s: %s", name, g.State, g.Reason)
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
		s, err := Samples(os.Environ(), nil)(t.Context(), Trial{Dir: t.TempDir(), Command: []string{interpreter, path, wrong}, Steps: LookSteps})
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

// TestPadded: where the plan allows it, labels that the loss leaves out may be appended to all rows. Other labels, or
// more places before the end, are another sample.
func TestPadded(t *testing.T) {
	seen := func(labels string, target bool) probe.Samples {
		cmd := exec.Command(python(t), "-c", "import json, numpy; from saturate_probe import fingerprint; print(json.dumps(fingerprint.of({'labels': numpy.array("+labels+")})))")
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join("..", "probe", "py"))
		out, err := cmd.Output()
		var fields []probe.Field
		if err := errors.Join(err, json.Unmarshal(out, &fields)); err != nil {
			t.Fatal(err)
		}
		all := probe.Samples{Batches: []probe.Batch{{Indexes: []any{0, 1}, Fields: fields}}}
		if target {
			all = probe.Samples{Batches: []probe.Batch{{Indexes: []any{0, 1}}}, Inputs: []probe.Input{{Target: true, Fields: fields}}}
		}
		return all
	}
	const rows, row = "[[1, 2, 3], [4, -100, -100]]", "[1, 2, 3, 4, -100, -100]"
	for _, test := range []struct {
		before, after string
		target, pads  bool
		want          GuardState
	}{
		{rows, "[[1, 2, 3, -100, -100], [4, -100, -100, -100, -100]]", false, true, Passed},
		{rows, "[[1, 2, 3, -100, -100], [4, -100, -100, -100, -100]]", false, false, Failed},
		{rows, "[[1, 2, 3, 0], [4, -100, -100, 0]]", false, true, Failed},
		{rows, "[[1, 2, 9, -100], [4, -100, -100, -100]]", false, true, Failed},
		{rows, "[[-100, 1, 2, 3], [-100, 4, -100, -100]]", false, true, Failed},
		{rows, "[[1, 2], [4, -100]]", false, true, Failed},
		{row, "[1, 2, 3, -100, -100, 4, -100, -100, -100, -100]", true, true, Passed},
		{"[1, 2, 3, 4]", "[1, 2, -100, 3, 4, -100]", true, true, Passed},
		{row, "[1, 2, 3, -100, -100, 4, -100, -100, -100, -100]", true, false, Failed},
		{row, "[1, 2, 3, -100, -100, 4, -100, -100, -100, -100]", false, true, Failed},
		{row, "[1, 2, 4, -100, 3, -100, -100, -100]", true, true, Failed},
	} {
		plan := testPlan().Defaults()
		plan.Pads = test.pads
		before := seen(test.before, test.target)
		g := compareSamples(before, seen(test.after, test.target), plan, func() (probe.Samples, error) { return before, nil })
		if g.State != test.want {
			t.Errorf("%s, allowed: %t: %s: %s", test.after, test.pads, g.State, g.Reason)
		}
	}
}
