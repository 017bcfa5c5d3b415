package verify

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/device"
	"saturate/internal/files"
)

// python is the interpreter with torch, or the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SATURATE_TEST_PYTHON")
	if path == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: there is no Python with torch to run")
	}
	return path
}

// TestFullDisk: a program whose steps cannot be written was not without steps. This one does to the probe's folder what
// a full disk does.
func TestFullDisk(t *testing.T) {
	full := "import json, os; os.remove(json.loads(os.environ['SATURATE_PROBE'])['folder'] + '/room')"
	_, err := Programs(os.Environ())(t.Context(), Trial{Name: "x", Dir: t.TempDir(), Command: []string{python(t), "-c", full}, Steps: 10})
	if !files.DiskFull(err) {
		t.Errorf("%v", err)
	}
}

// TestSamplesOfAllRanks: the samples of a step are those of the whole job, as everywhere else.
func TestSamplesOfAllRanks(t *testing.T) {
	samples := func(command []string) float64 {
		r, err := Programs(os.Environ())(t.Context(), Trial{Name: "x", Dir: loop(t, "x").Dir, Command: append(command, "train.py"), Steps: 5})
		if err != nil || len(r.Steps) < 5 {
			t.Fatalf("%d steps, %v, notes %q", len(r.Steps), err, r.Notes)
		}
		return r.Steps[2].Samples
	}
	one := samples(forked.Command(t, python(t)))
	if two := samples(twoRanks(t)); one <= 0 || two != 2*one {
		t.Errorf("a step of two ranks has %v samples, one of a single process %v", two, one)
	}
}

// twoRanks starts two ranks of a program: by torchrun where SATURATE_ACCEPT is set, which imports torch three times.
func twoRanks(t *testing.T) []string {
	t.Helper()
	if accepting() {
		return []string{python(t), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"}
	}
	return forked.Ranks(t, python(t), 2)
}

// loop is a copy of testdata/loop with some of its lines changed.
func loop(t *testing.T, name string, changes ...string) Variant {
	t.Helper()
	text, err := os.ReadFile("testdata/loop/train.py")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(changes); i += 2 {
		if strings.Count(string(text), changes[i]) != 1 {
			t.Fatalf("%q is not once in the loop", changes[i])
		}
		text = []byte(strings.Replace(string(text), changes[i], changes[i+1], 1))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "train.py"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := InFolder(name, dir, append(forked.Command(t, python(t)), "train.py", "--log", stepsWord))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// accepting is whether everything is to be shown as often as was promised, and not only that it works.
func accepting() bool { return os.Getenv("SATURATE_ACCEPT") != "" }

// trials is how often each real experiment is repeated.
func trials() int {
	if accepting() {
		return 10
	}
	return 1
}

// compare carries out one experiment over real processes.
func compare(t *testing.T, before, after Variant, seed int) Result {
	t.Helper()
	plan := Plan{Before: before, After: after, Pairs: DefaultPairs, Steps: DefaultSteps, Seed: uint64(seed)}
	if !accepting() {
		plan.Steps = 25
		plan.Before.Command = append(slices.Clone(before.Command), "--epochs", "1")
		plan.After.Command = append(slices.Clone(after.Command), "--epochs", "1")
	}
	r, err := Run(context.Background(), plan, Options{Execute: Programs(os.Environ()), System: device.Host{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("trial %d: %s: %s; smallest %.1f%%; %s", seed, r.Verdict, r.Reason, 100*r.Smallest.Change, strings.Join(r.Warnings, "; "))
	return r
}

// Against itself a real program is neither FASTER nor SLOWER more often than chance allows.
func TestRealSame(t *testing.T) {
	before, after := loop(t, "one"), loop(t, "other")
	claims := 0
	for i := range trials() {
		r := compare(t, before, after, i)
		switch r.Verdict {
		case Faster, Slower:
			claims++
		case Invalid:
			t.Errorf("%s", r.Reason)
		}
		if r.Guard.State != Passed {
			t.Errorf("guard %s: %s", r.Guard.State, r.Guard.Reason)
		}
	}
	// Of ten trials with 5 % false alarms each, two or more come in one case of twelve, three in one of ninety.
	if claims > 2 {
		t.Errorf("%d of %d trials of a program against itself claim a difference", claims, trials())
	}
}

// Steps that take a fifth longer are found every time.
func TestRealSlower(t *testing.T) {
	before, after := loop(t, "one"), loop(t, "slower", "STEP = 1.0", "STEP = 1.2")
	found := 0
	for i := range trials() {
		switch v := compare(t, before, after, i).Verdict; v {
		case Slower:
			found++
		case Inconclusive: // a machine full of other programs may not decide, and says so
		default:
			t.Errorf("slower steps are called %s", v)
		}
	}
	if accepting() && found < trials() {
		t.Errorf("%d of %d trials find that steps take 20%% longer", found, trials())
	}
}

// The same with steps that keep the processor busy, which other programs on it disturb.
func TestRealCompute(t *testing.T) {
	if !accepting() {
		t.Skip("SATURATE_ACCEPT is not set: this needs a machine of its own")
	}
	before, same, slower := loop(t, "one"), loop(t, "other"), loop(t, "slower", "STEP = 1.0", "STEP = 1.2")
	for _, v := range []*Variant{&before, &same, &slower} {
		v.Command = append(v.Command, "--compute")
	}
	claims, found := 0, 0
	for i := range trials() {
		if v := compare(t, before, same, i).Verdict; v == Faster || v == Slower {
			claims++
		}
		switch compare(t, before, slower, i).Verdict {
		case Slower:
			found++
		case Faster:
			t.Error("slower steps are called FASTER")
		}
	}
	t.Logf("against itself %d claims, 20%% longer found in %d of %d", claims, found, trials())
	if claims > 2 {
		t.Errorf("%d of %d trials of a program against itself claim a difference", claims, trials())
	}
}

// What the probe sees of a program nobody prepared is enough to notice half of the data and a wrong loss.
func TestRealCheats(t *testing.T) {
	for _, test := range []struct {
		name    string
		changes []string
		cause   Cause
		reason  string
	}{
		{"half of the data", []string{"DATA = 200", "DATA = 100"}, ByWork, "dataset"},
		{"a wrong loss", []string{`LOSS = "right"`, `LOSS = "broken"`}, ByAccuracy, "the losses of the variants differ"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := loop(t, "right"), loop(t, test.name, append(slices.Clone(test.changes), "STEP = 1.0", "STEP = 0.2")...)
			for _, v := range []*Variant{&before, &after} {
				v.Command = append(forked.Command(t, python(t)), "train.py", "--epochs", "5")
			}
			r, err := Run(context.Background(), Plan{Before: before, After: after, Pairs: 1, Steps: 30}, Options{Dir: t.TempDir(), Execute: Programs(os.Environ())})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != Invalid || r.Cause != test.cause || !strings.Contains(r.Reason, test.reason) {
				t.Errorf("%s, %q: %s", r.Verdict, r.Cause, r.Reason)
			}
		})
	}
}
