package optimize

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/probe/probetest"
	"saturate/internal/rule"
	"saturate/internal/verify"
)

// forked is the server of the tests that run many programs.
var forked probetest.Server

func TestMain(m *testing.M) {
	code := m.Run()
	forked.Close()
	os.Exit(code)
}

// measured runs the program of o for real, what is tried in forks.
func measured(o Options, forks *probe.Forks) Options {
	env := os.Environ()
	o.Profile, o.Prepare = WithProbe(env, nil, forks), ByCommand(env, nil, time.Minute)
	o.Execute, o.Look = verify.Programs(env), verify.Samples(env, forks)
	return o
}

// inForks is o as the command runs it: its own server forks what is tried, and the proof has processes of its own.
func inForks(t *testing.T, o Options) Options {
	t.Helper()
	forks := &probe.Forks{}
	t.Cleanup(forks.Close)
	o = measured(o, forks)
	o.Screen = verify.Forked(os.Environ(), forks)
	o.Forked = func() int { n, _ := forks.Count(); return n }
	return o
}

// turn makes data.py do what the planted repair does once the ladder has repaired it. The words are in two, so that the
// scan does not take them for the real thing.
const turn = `

if "num_" + "workers" in open(__file__).read():
    exec(open(__file__[: -len("data.py")] + "grown.txt").read())
`

// planted is a project whose loader the ladder repairs, and whose repair turns out to be the planted one. The program
// waits for its data before and not after, so except for what the model is trained on, the repair would be kept.
func planted(t *testing.T, p probetest.Plant) Options {
	t.Helper()
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	files, program := p.Grown(t), cmp.Or(p.Program, "train.py")
	files["grown.txt"] = files["data.py"]
	files["data.py"] = probetest.Plant{}.Grown(t)["data.py"] + turn
	for old, fresh := range map[string]string{
		", num_workers=WORKERS": "", "import random\n": "import random\nimport time\n", "    noise = ": "    time.sleep(0.005)\n    noise = ",
	} {
		if strings.Count(files["data.py"], old) != 1 {
			t.Fatalf("%q is not once in data.py", old)
		}
		files["data.py"] = strings.Replace(files["data.py"], old, fresh, 1)
	}
	dir := filepath.Join(t.TempDir(), "job")
	probetest.Write(t, dir, files)
	o := Options{
		Dir: dir, Command: []string{python, program}, State: filepath.Join(t.TempDir(), "state"),
		Steps: 20, Quick: true, Pairs: 1, Timeout: time.Minute, Rules: rule.Selection{Select: []string{"SAT201"}},
	}
	if os.Getenv("SATURATE_ACCEPT") != "" {
		o = inForks(t, o)
	} else { // all of them from one server, which saves the start of a program each
		o.Command = append(forked.Command(t, python), program)
		o = measured(o, nil)
	}
	if program != "train.py" {
		o.Profile = newWorld(1).profile // what a plain loop waits for is not known to be data
	}
	return o
}

// TestPlantedSamples: a repair that changes what the model is trained on is dropped with the first difference, though
// it is faster and the loss cannot tell; one that does not change it is not.
func TestPlantedSamples(t *testing.T) {
	accept := os.Getenv("SATURATE_ACCEPT") != ""
	dropped, wrong, right := 0, 0, 0
	for _, p := range probetest.Planted {
		if p.Regrouped && p.Field == "" {
			continue // this repair may not make other batches
		}
		if !accept && p.Name != "hoisted read" && p.Name != "cached before the augmentation" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			result, err := Run(t.Context(), planted(t, p))
			if err != nil || len(result.Ladder) == 0 {
				t.Fatalf("%v: %v", decisions(result), err)
			}
			for _, rung := range result.Ladder { // one for each count of workers
				t.Logf("%s: %s", rung.Decision, rung.Because)
				switch first := rung.Samples.First; {
				case p.Field == "":
					right++
					if rung.Samples.State != verify.Passed || rung.Decision == Wrong || rung.Decision == Broken {
						t.Errorf("a right repair is dropped: samples %s", rung.Samples.State)
					}
				case rung.Decision != Wrong || first == nil || result.Diff != "":
					wrong++
					t.Errorf("a wrong repair is %q: %v\n%s", rung.Decision, first, result.Diff)
				default:
					wrong, dropped = wrong+1, dropped+1
					if first.Field == "" || first.Index == nil || first.Before == first.After || !strings.Contains(rung.Because, first.String()) {
						t.Errorf("the difference is not shown: %+v", first)
					}
				}
			}
		})
	}
	t.Logf("%d of %d wrong repairs dropped; %d right ones tried", dropped, wrong, right)
}

// TestPlantedUnseen: without the samples, the loss lets a planted repair through. So it is the samples that the others
// are dropped for.
func TestPlantedUnseen(t *testing.T) {
	o := planted(t, probetest.Planted[0])
	o.Look = nil
	result, err := Run(t.Context(), o)
	if err != nil || !slices.ContainsFunc(result.Ladder, func(r Rung) bool { return r.Decision == Kept }) {
		t.Errorf("%v: %v", decisions(result), err)
	}
}
