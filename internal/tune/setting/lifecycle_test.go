package setting

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lifecycle is what testdata/programs/lifecycle.py prints.
type lifecycle struct {
	StartMS         float64       `json:"start_ms"`
	ApplyMS         float64       `json:"apply_ms"`
	InsideMS        float64       `json:"inside_ms"`
	Applied         []Observation `json:"applied"`
	Compiled        []bool        `json:"compiled"`
	ChannelsLast    bool          `json:"channels_last"`
	Types           []string      `json:"types"`
	Fused           []bool        `json:"fused"`
	Pinned          []bool        `json:"pinned"`
	Copies          []any         `json:"copies"`
	Empty           string        `json:"empty"`
	Difference      float64       `json:"difference"`
	Changed         []Observation `json:"changed"`
	AfterChange     []any         `json:"after_change"`
	BrokenControl   []Observation `json:"broken_control"`
	SameAgain       []Observation `json:"same_again"`
	Exit            []Observation `json:"exit"`
	Alive           []string      `json:"alive"`
	Inside          []Observation `json:"inside"`
	InsidePrecision string        `json:"inside_precision"`
	UndonePrecision string        `json:"undone_precision"`
	Log             []string      `json:"log"`
	ByName          []Observation `json:"by_name"`
	ReadBack        []Observation `json:"read_back"`
	Effects         []Observation `json:"effects"`
	Measured        []struct {
		Observation
		Kept bool `json:"kept"`
	} `json:"measured"`
	MeasuredLog []string `json:"measured_log"`
}

func TestLifeInAProgram(t *testing.T) {
	python, env, m := realPython(t), environ(t), detected(t)
	m.Backend, m.CPUFlags = "cpu", []string{"amx_bf16"} // the knobs are there on every CPU; only the gain is not
	chosen, _ := Choose(m, Measured, []string{"fused-optimizer", "bf16-products", "bf16-autocast", "channels-last", "compile", "sdpa-math", "flush-denormals", "interop-threads", "threads", "jax-cache"}, nil)
	other := m
	other.Backend = "cuda"
	loaders, _ := Choose(other, Safe, []string{"pinned-loaders"}, nil)
	chosen = append(slices.Concat(chosen, loaders),
		Choice{Setting{Name: "planted-dead", Library: "torch", Ways: []Way{{Knobs: []Knob{{Set: "torch.backends.cudnn.workspace_limit", Value: 1 << 30}}}}}},
		Choice{Setting{Name: "planted-failure", Library: "torch", Ways: []Way{{Knobs: []Knob{{Set: "torch.backends.cudnn.benchmark", Value: true}}, Hook: "fuse_everything"}}}},
	)
	folder := t.TempDir()
	plan, err := Plan(chosen, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"plan.json": plan, "saturate_tune.py": Module()} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/programs/lifecycle.py", folder)
	cmd.Env = slices.Concat(env, Environment(chosen, env))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var found lifecycle
	if err := json.Unmarshal(answer(out), &found); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	t.Run("start", func(t *testing.T) { started(t, found) })
	t.Run("hooks", func(t *testing.T) { hooked(t, found) })
	t.Run("control", func(t *testing.T) { controlled(t, found) })
	t.Run("exit", func(t *testing.T) { ended(t, found) })
	t.Run("inside", func(t *testing.T) { inside(t, found) })
	t.Logf("cost in CPU time: %.1f ms to import the module and read the plan, %.1f ms to apply and read back %d settings; %.1f ms for apply_platform_optimizations at level 1",
		found.StartMS, found.ApplyMS, len(found.Applied), found.InsideMS)
}

func started(t *testing.T, found lifecycle) {
	for _, o := range found.Applied {
		if strings.HasPrefix(o.Setting, "planted") {
			if o.Error == "" || o.InEffect == nil || *o.InEffect {
				t.Errorf("%s was not seen to fail: %s", o.Setting, show(o))
			}
		} else if o.Error != "" || o.InEffect != nil && !*o.InEffect {
			t.Errorf("%s: %s", o.Setting, show(o))
		}
	}
	if len(found.Applied) != 12 { // all but the one for JAX, which was not imported
		t.Errorf("%d settings were applied", len(found.Applied))
	}
}

func hooked(t *testing.T, found lifecycle) {
	if want := []bool{true, false}; !slices.Equal(found.Compiled, want) {
		t.Errorf("large and small model compiled: %v, want %v", found.Compiled, want)
	}
	if !found.ChannelsLast {
		t.Error("the image model is not laid out")
	}
	if want := []string{"torch.bfloat16", "torch.float32"}; !slices.Equal(found.Types, want) {
		t.Errorf("inside and result: %v, want %v", found.Types, want)
	}
	if want := []bool{true, true, true, false, false, true, false}; !slices.Equal(found.Fused, want) {
		t.Errorf("fused: %v, want %v", found.Fused, want)
	}
	if want := []bool{true, false, false}; !slices.Equal(found.Pinned, want) {
		t.Errorf("pinned: %v, want %v", found.Pinned, want)
	}
	if want := []any{0.0, true}; !slices.Equal(found.Copies, want) {
		t.Errorf("a copy of a prepared model with zeros gives %v, one that was stored is like it: %v", found.Copies[0], found.Copies[1])
	}
	if !strings.Contains(found.Empty, "empty parameter list") {
		t.Errorf("an optimizer without parameters: %q", found.Empty)
	}
	if found.Difference > 1e-4 {
		t.Errorf("a fused optimizer went elsewhere by %g", found.Difference)
	}
}

func controlled(t *testing.T, found lifecycle) {
	for name, want := range map[string]bool{"bf16-products": true, "flush-denormals": true} {
		if o := observed(found.Changed, name, "changed"); o.Error != "" || o.InEffect == nil || *o.InEffect != want {
			t.Errorf("%s: %s", name, show(o))
		}
	}
	for name, part := range map[string]string{"interop-threads": "cannot change", "nonsense": "unknown setting"} {
		if o := observed(found.Changed, name, "changed"); !strings.Contains(o.Error, part) {
			t.Errorf("%s: %s", name, show(o))
		}
	}
	if want := []any{"medium", "highest", 0.0}; !slices.Equal(found.AfterChange, want) {
		t.Errorf("before, after, denormal: %v, want %v", found.AfterChange, want)
	}
	if len(found.BrokenControl) != 1 || !strings.Contains(found.BrokenControl[0].Error, "control.json") {
		t.Errorf("a control file that is no JSON: %v", found.BrokenControl)
	}
	if len(found.SameAgain) != 1 || found.SameAgain[0].Error != "" {
		t.Errorf("the control file after it was repaired: %v", found.SameAgain)
	}
}

func ended(t *testing.T, found lifecycle) {
	if o := observed(found.Exit, "sdpa-math", "exit"); o.InEffect == nil || *o.InEffect {
		t.Errorf("the program has set the same knob, and it was not noticed: %s", show(o))
	}
	if o := observed(found.Exit, "fused-optimizer", "exit"); o.InEffect == nil || !*o.InEffect || o.Read != "4 optimizers fused, 1 by the program" {
		t.Errorf("fused-optimizer at the end: %s", show(o))
	}
	if o := observed(found.Exit, "jax-cache", "exit"); !strings.Contains(o.Error, "did not import jax") {
		t.Errorf("jax-cache at the end: %s", show(o))
	}
	if len(found.Alive) > 0 {
		t.Errorf("said to be dead, and this torch has it: %v", found.Alive)
	}
	if n := len(found.Exit); n != 12-2+1+3 { // applied, two of them taken back by the control file, one that waits for JAX, three dead
		t.Errorf("%d reports at the end", n)
	}
	dead := map[string]string{}
	for _, o := range found.Exit {
		if o.Dead != "" {
			dead[o.Dead] = o.Instead
		}
	}
	if len(dead) != 3 || !strings.Contains(dead["torch.backends.cudnn.workspace_limit"], "CUBLASLT_WORKSPACE_SIZE") || dead["torch.backends.cuda.allow_tf32"] == "" {
		t.Errorf("dead knobs: %v", dead)
	}
	if _, ok := dead["torch.backends.mkldnn.turbo"]; !ok {
		t.Error("a dead knob that no table knows was not noticed")
	}
}

func inside(t *testing.T, found lifecycle) {
	for name, want := range map[string]bool{"threads": true, "jax-cache": false} {
		if o := observed(found.Inside, name, "applied"); o.InEffect != nil && *o.InEffect != want {
			t.Errorf("%s: %s", name, show(o))
		}
	}
	if !slices.ContainsFunc(found.Log, func(line string) bool { return strings.HasPrefix(line, "INFO fused-optimizer: ") }) {
		t.Errorf("the log does not say what was applied: %q", found.Log)
	}
	if found.InsidePrecision != found.UndonePrecision && found.UndonePrecision != "highest" {
		t.Errorf("precision %s, undone %s", found.InsidePrecision, found.UndonePrecision)
	}
	for name, part := range map[string]string{"tf32": "not suited", "nonsense": "unknown setting"} {
		if o := observed(found.ByName, name, "applied"); !strings.Contains(o.Error, part) {
			t.Errorf("%s by name: %s", name, show(o))
		}
	}
	if o := observed(found.ReadBack, "threads", "read"); o.Read != 1.0 || o.InEffect == nil || !*o.InEffect {
		t.Errorf("one thread by name: %s", show(o))
	}
	if o := observed(found.Effects, "flush-denormals", "read"); o.Acts == nil || !*o.Acts {
		t.Errorf("flush-denormals by name: %s", show(o))
	}
	measured := 0
	for _, o := range found.Measured {
		if strings.Contains(o.Setting, "sdpa") || o.Setting == "flush-denormals" {
			measured++
		}
	}
	if measured == 0 {
		t.Errorf("nothing was measured: %+v, %q", found.Measured, found.MeasuredLog)
	}
	for _, part := range []string{"less than a million parameters", "no tpu device found", "settings for cpu: invalid literal"} {
		if !slices.ContainsFunc(found.MeasuredLog, func(line string) bool { return strings.Contains(line, part) }) {
			t.Errorf("the log does not say %q: %q", part, found.MeasuredLog)
		}
	}
}
