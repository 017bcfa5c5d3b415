package setting

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// fake is a Python whose torch has no computer behind it.
func fake(t *testing.T, device string, env ...string) (python string, environment []string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to import the fake torch with")
	}
	folder, err := filepath.Abs("testdata/fake")
	if err != nil {
		t.Fatal(err)
	}
	return python, slices.Concat(environ(t), []string{"PYTHONPATH=" + folder, "FAKE_TORCH=" + device}, env)
}

// TestDetectOtherDevices holds what is found against what the machine of that name is said to be.
func TestDetectOtherDevices(t *testing.T) {
	for _, name := range []string{"h200", "a100", "t4", "mi300x", "mi250", "m3"} {
		python, env := fake(t, name)
		got, err := Detect(context.Background(), python, env)
		if err != nil {
			t.Fatal(err)
		}
		want := machine(t, name)
		for what, pair := range map[string][2]string{
			"backend": {got.Backend, want.Backend}, "torch": {got.Torch, want.Torch}, "build": {got.Build, want.Build},
			"cuda": {got.CUDA, want.CUDA}, "hip": {got.HIP, want.HIP}, "cudnn": {got.CUDNN, want.CUDNN}, "gpu": {got.GPU, want.GPU},
			"compute capability": {got.ComputeCapability, want.ComputeCapability}, "gfx": {got.GFX, want.GFX},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s is %q, want %q", name, what, pair[0], pair[1])
			}
		}
		if got.GPUs == 0 || got.GPUMemory == 0 {
			t.Errorf("%s: %d GPUs with %d MiB", name, got.GPUs, got.GPUMemory)
		}
	}
}

// TestKnobsOfOtherDevices applies all that such a device has to the fake torch and reads it back; broken, it
// has to be seen. Probes that need the device fail there, and say so instead of failing the program.
func TestKnobsOfOtherDevices(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "m3"} {
		m := machine(t, name)
		m.JAX = "" // there is no fake of it
		chosen, _ := Choose(m, Measured, nil, nil)
		chosen = slices.DeleteFunc(chosen, func(c Choice) bool { return c.Name == "near-gpu" }) // the cores of another machine
		for i, batch := range batches(chosen) {
			python, env := fake(t, name)
			good, err := check(context.Background(), python, env, batch)
			if err != nil {
				t.Fatal(err)
			}
			var spoilt []Choice
			for _, c := range batch {
				spoilt = append(spoilt, broken(c))
			}
			bad, err := check(context.Background(), python, env, spoilt)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range batch {
				o := observed(good, c.Name, "checked")
				switch w := c.way(); {
				case o.Setting == "" || o.Error != "":
					t.Errorf("%s, batch %d: %s: %s", name, i, c.Name, show(o))
				case len(w.Knobs) > 0 && (o.InEffect == nil || !*o.InEffect):
					t.Errorf("%s: %s is not in effect: %s", name, c.Name, show(o))
				}
				if control := observed(bad, c.Name, "checked"); c.way().Hook == "" && !refused(control) {
					t.Errorf("%s: %s is broken, and it was not noticed: %s", name, c.Name, show(control))
				}
				if undone := observed(good, c.Name, "undone"); undone.Setting != "" && len(c.way().Knobs) > 0 && !refused(undone) {
					t.Errorf("%s: %s is undone, and still in effect: %s", name, c.Name, show(undone))
				}
			}
		}
	}
}

// TestFallsBackToTheNextWay is a torch that has lost its older names.
func TestFallsBackToTheNextWay(t *testing.T) {
	python, env := fake(t, "h200")
	s, _ := Find("tf32")
	c, reason := s.fit(machine(t, "h200").facts())
	if reason != "" || len(c.Ways) != 2 {
		t.Fatalf("%d ways, %s", len(c.Ways), reason)
	}
	c.Ways[0].Knobs = []Knob{{Set: "torch.backends.cudnn.allow_tf32", Value: false}, {Set: "torch.backends.cuda.matmul.gone", Value: true}}
	seen, err := check(context.Background(), python, env, []Choice{c})
	if err != nil {
		t.Fatal(err)
	}
	o := observed(seen, "tf32", "checked")
	if !took(Observation{InEffect: o.InEffect, Error: o.Error}) || o.Requested != "torch.backends.cuda.matmul.fp32_precision = 'tf32'; torch.backends.cudnn.conv.fp32_precision = 'tf32'; torch.backends.cudnn.rnn.fp32_precision = 'tf32'" {
		t.Errorf("%s", show(o))
	}
}

// TestNearTheGPU keeps a process on one core, as it would be kept on those of the GPU's node.
func TestNearTheGPU(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to keep on a core")
	}
	if runtime.GOOS != "linux" || runtime.NumCPU() < 2 {
		t.Skip("it takes Linux and two cores to see whether one of them is used")
	}
	m := machine(t, "a100")
	m.GPUCores = "0"
	chosen, left := Choose(m, Hardware, []string{"near-gpu"}, nil)
	if len(chosen) != 1 {
		t.Fatalf("not chosen: %v", left)
	}
	for _, c := range []Choice{chosen[0], broken(chosen[0])} {
		seen, err := check(context.Background(), python, nil, []Choice{c})
		if err != nil {
			t.Fatal(err)
		}
		if o := observed(seen, "near-gpu", "checked"); took(o) != (c.way().Hook != "") {
			t.Errorf("hook %q: %s", c.way().Hook, show(o))
		}
		if o := observed(seen, "near-gpu", "undone"); o.Setting != "" && !refused(o) {
			t.Errorf("undone, and still on that core: %s", show(o))
		}
	}
}

// TestInstall is a program that has no probe around it: the plan comes by a variable, the reports go to the log.
func TestInstall(t *testing.T) {
	chosen, _ := Choose(machine(t, "h200"), Safe, []string{"cudnn-benchmark", "expandable-segments", "pinned-loaders"}, nil)
	plan, err := Plan(chosen, "")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, data := range map[string][]byte{"plan.json": plan, "saturate_tune.py": Module(), "broken.json": []byte("{")} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const program = `
import logging, sys
sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
logging.basicConfig(level="INFO", stream=sys.stdout, format="%(message)s")
import saturate_tune
saturate_tune.install()
import torch
torch.utils.data.DataLoader([])
torch.backends.cudnn.workspace_limit = 1 << 30
torch.backends.cudnn.benchmark = False
print("the program ran")
if sys.argv[2:]: raise KeyboardInterrupt`
	run := func(ends, plan string, more ...string) string {
		t.Helper()
		python, env := fake(t, "h200", "SATURATE_TUNE="+filepath.Join(folder, plan))
		cmd := exec.Command(python, append([]string{"-c", program, folder}, more...)...)
		cmd.Env = append(env, Environment(chosen, env)...)
		out, err := cmd.CombinedOutput()
		if fmt.Sprint(err) != ends || !strings.Contains(string(out), "the program ran") {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	all, err := readObservations([]byte(run("<nil>", "plan.json")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		name, when string
		inEffect   bool
	}{
		{"expandable-segments", "applied", true},
		{"cudnn-benchmark", "applied", true},
		{"cudnn-benchmark", "exit", false}, // the program has set it back
		{"pinned-loaders", "exit", true},
		{"expandable-segments", "exit", true},
	} {
		if o := observed(all, want.name, want.when); o.InEffect == nil || *o.InEffect != want.inEffect {
			t.Errorf("%s, %s: %s", want.name, want.when, show(o))
		}
	}
	if o := all[len(all)-1]; o.Dead != "torch.backends.cudnn.workspace_limit" || o.Instead == "" {
		t.Errorf("the last report is %+v", o)
	}
	if runtime.GOOS != "windows" {
		run("signal: interrupt", "plan.json", "interrupted") // reading back must not change how the program ends
	}
	if out := run("<nil>", "broken.json"); !strings.Contains(out, "cannot use ") || !strings.Contains(out, "broken.json") {
		t.Errorf("a broken plan: %s", out)
	}
}
