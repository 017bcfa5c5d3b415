package setting

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func machine(t testing.TB, name string) Machine {
	t.Helper()
	text, err := os.ReadFile("testdata/machines/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var m Machine
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

var machines = []string{"h200", "a100", "t4", "mi300x", "mi250", "m3", "cpu-amx", "cpu-old"}

// TestChosen shows for each machine what is used at each level and why the rest is not.
func TestChosen(t *testing.T) {
	for _, name := range machines {
		m := machine(t, name)
		var b strings.Builder
		for level := Safe; level <= Measured; level++ {
			fmt.Fprintf(&b, "level %d\n", level)
			chosen, left := Choose(m, level, nil, nil)
			for _, c := range chosen {
				if c.Level == level {
					fmt.Fprintf(&b, "  %-24s %s\n", c.Name, c.Requested())
				}
			}
			if level == Measured {
				b.WriteString("left\n")
				for _, l := range left {
					if !l.Elsewhere {
						fmt.Fprintf(&b, "  %-24s %s\n", l.Name, l.Reason)
					}
				}
			}
		}
		for _, d := range DeadVariables(m) {
			fmt.Fprintf(&b, "dead\n  %-24s %s\n", d.Name, d.Instead)
		}
		golden(t, "testdata/chosen/"+name+".txt", []byte(b.String()))
	}
}

// TestPythonChoosesTheSame holds the module's own choice against that of this package.
func TestPythonChoosesTheSame(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: the module cannot be run")
	}
	module := filepath.Join(t.TempDir(), "saturate_tune.py")
	if err := os.WriteFile(module, Module(), 0o644); err != nil {
		t.Fatal(err)
	}
	script := `
import json, sys
sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
import saturate_tune
out = []
for path in sys.argv[2:]:
    machine = json.load(open(path))
    out.append([saturate_tune.choose(machine, level) for level in (0, 1, 2)])
print(json.dumps(out))`
	args := []string{"-c", script, filepath.Dir(module)}
	for _, name := range machines {
		args = append(args, "testdata/machines/"+name+".json")
	}
	cmd := exec.Command(python, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs [][][]Setting
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	for i, name := range machines {
		for level := range 3 {
			ours, _ := Choose(machine(t, name), level, nil, nil)
			for j := range max(len(ours), len(theirs[i][level])) {
				if j >= len(ours) || j >= len(theirs[i][level]) {
					t.Fatalf("%s, level %d: %d here, %d in Python", name, level, len(ours), len(theirs[i][level]))
				}
				a, b := ours[j].Setting, theirs[i][level][j]
				if a.Name != b.Name || !reflect.DeepEqual(plainJSON(t, a.Ways), plainJSON(t, b.Ways)) {
					t.Fatalf("%s, level %d: here %s %v, in Python %s %v", name, level, a.Name, plainJSON(t, a.Ways), b.Name, plainJSON(t, b.Ways))
				}
			}
		}
	}
}

func plainJSON(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestOnlyAndExcept(t *testing.T) {
	m := machine(t, "h200")
	chosen, left := Choose(m, Safe, []string{"cudnn-benchmark", "tf32", "sdpa-flash", "sdpa-cudnn", "cudnn-benchmrk"}, []string{"tf32"})
	var names []string
	for _, c := range chosen {
		names = append(names, c.Name)
	}
	if want := []string{"cudnn-benchmark", "sdpa-flash"}; !slices.Equal(names, want) {
		t.Errorf("chosen %v, want %v", names, want)
	}
	reasons := map[string]string{}
	for _, l := range left {
		reasons[l.Name] = l.Reason
	}
	for name, part := range map[string]string{"tf32": "excluded by --except", "sdpa-cudnn": "excluded by sdpa-flash", "cudnn-benchmrk": "cudnn-benchmark"} {
		if !strings.Contains(reasons[name], part) {
			t.Errorf("%s: left for %q, want a reason with %q", name, reasons[name], part)
		}
	}
}

func TestCandidateTakesThePlaceOfItsGroup(t *testing.T) {
	base, _ := Choose(machine(t, "h200"), Hardware, nil, nil)
	candidates, _ := Choose(machine(t, "h200"), Measured, []string{"allocator-async"}, nil)
	env := Environment(With(base, candidates[0]), nil)
	if want := "PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync"; !slices.Contains(env, want) {
		t.Errorf("environment %v, want %s and no expandable segments", env, want)
	}
}

func TestUnknownMachine(t *testing.T) {
	chosen, left := Choose(Machine{}, Measured, nil, nil)
	if len(chosen) != 0 || len(left) != len(All()) {
		t.Errorf("on a machine of which nothing is known %d are chosen and %d left", len(chosen), len(left))
	}
	if _, err := Detect(context.Background(), filepath.Join(t.TempDir(), "python"), nil); err == nil {
		t.Error("a Python that is not there has told what is here")
	}
}

func TestAnswerAmongOtherLines(t *testing.T) {
	m, err := readMachine([]byte("hello from a library\n{\"backend\":\"cpu\",\"os\":\"linux\"}\ngoodbye\n"))
	if err != nil || m.Backend != "cpu" {
		t.Errorf("%+v, %v", m, err)
	}
	for _, text := range []string{"", "no JSON", "{}", "{\"backend\":"} {
		if _, err := readMachine([]byte(text)); err == nil {
			t.Errorf("%q was taken for a machine", text)
		}
	}
}

func TestConditions(t *testing.T) {
	facts := Machine{Backend: "cuda", Torch: "2.10.0a0", ComputeCapability: "10.0", CPUFlags: []string{"avx2"}, Cores: 8, Variables: map[string]string{"NVIDIA_TF32_OVERRIDE": "0"}}.facts()
	for condition, want := range map[string]string{
		"torch >= 2.9":               "",
		"torch < 2.9":                "needs torch < 2.9; here it is 2.10.0a0",
		"compute_capability >= 9.0":  "",
		"compute_capability < 10.0":  "needs compute capability < 10.0; here it is 10.0",
		"cpu_flags has avx2":         "",
		"cpu_flags has amx_bf16":     "needs cpu flags amx_bf16, which is missing",
		"backend in cuda rocm":       "",
		"backend in mps cpu":         "needs backend mps or cpu; here it is cuda",
		"gfx in gfx942":              "needs gfx gfx942, which is unknown",
		"gpu_cores known":            "gpu cores is unknown",
		"backend known":              "",
		"NVIDIA_TF32_OVERRIDE != 0":  "NVIDIA_TF32_OVERRIDE is 0",
		"NVIDIA_TF32_OVERRIDE != 1":  "",
		"OMP_NUM_THREADS != 1":       "",
		"cores >= 8":                 "",
		"cores >= 16":                "needs cores >= 16; here it is 8",
		"gpu_free_mib >= 1":          "needs gpu free (MiB) >= 1, which is unknown",
		"torch ~ 2":                  `invalid condition "torch ~ 2"`,
		"torch":                      `invalid condition "torch"`,
		"libraries has jemalloc":     "needs libraries jemalloc, which is missing",
		"compute_capability >= 10":   "",
		"compute_capability >= 10.1": "needs compute capability >= 10.1; here it is 10.0",
	} {
		if got := unmet(condition, facts); got != want {
			t.Errorf("%s: %q, want %q", condition, got, want)
		}
	}
}

// TestTableIsSound reads every entry as the machinery would.
func TestTableIsSound(t *testing.T) {
	hooks, probes := pythonNames(t, "HOOKS"), pythonNames(t, "PROBES")
	seen := map[string]bool{}
	for _, s := range All() {
		if seen[s.Name] {
			t.Errorf("%s stands twice in the table", s.Name)
		}
		seen[s.Name] = true
		if s.Title == "" || s.Source == "" || s.Numerics == "" || len(s.Backends) == 0 || len(s.Ways) == 0 {
			t.Errorf("%s: something is missing", s.Name)
		}
		conditions := slices.Clone(s.Needs)
		for _, w := range s.Ways {
			conditions = append(conditions, w.When...)
			if w.Hook != "" && (!slices.Contains(hooks, w.Hook) || w.Hand+w.Start == "") {
				t.Errorf("%s: hook %s is not there or has no code to show", s.Name, w.Hook)
			}
			if len(w.Env)+len(w.Knobs) == 0 && w.Hook == "" {
				t.Errorf("%s: a way that sets nothing", s.Name)
			}
			reads := slices.ContainsFunc(w.Knobs, func(k Knob) bool { return k.Get != "" || k.Set != "" })
			if !reads && w.Hook == "" && s.Effect == nil {
				t.Errorf("%s: it can be neither read back nor probed", s.Name)
			}
		}
		if s.Effect != nil && !slices.Contains(probes, s.Effect.Probe) {
			t.Errorf("%s: there is no probe %s", s.Name, s.Effect.Probe)
		}
		if s.Live && !slices.ContainsFunc(s.Ways[0].Knobs, func(k Knob) bool { return k.Set != "" }) {
			t.Errorf("%s: it has no knob that could change while the program runs", s.Name)
		}
		for _, condition := range conditions {
			if strings.Contains(unmet(condition, Machine{}.facts()), "invalid condition") {
				t.Errorf("%s: condition %q", s.Name, condition)
			}
		}
	}
}

// pythonNames are the functions that a registry of the module holds.
func pythonNames(t *testing.T, registry string) []string {
	t.Helper()
	_, text, ok := strings.Cut(string(Module()), "\n"+registry+" = {f.__name__: f for f in (")
	if !ok {
		t.Fatalf("the module has no %s", registry)
	}
	text, _, _ = strings.Cut(text, ")")
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \n", r) })
}
