package setting

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestEnvironmentJoins(t *testing.T) {
	m := machine(t, "t4") // whose user has max_split_size_mb
	env := []string{"PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128", "HOME=/nowhere"}
	chosen, _ := Choose(m, Measured, []string{"expandable-segments", "cudnn-benchmark"}, nil)
	if got, want := Environment(chosen, env), []string{"PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,expandable_segments:True"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	again := append(env, Environment(chosen, env)...)
	if got := Environment(chosen, again); strings.Count(got[0], "expandable") != 1 {
		t.Errorf("applied twice: %v", got)
	}
}

func TestSnippet(t *testing.T) {
	for name, want := range map[string]string{
		"h200": `# in the shell, before the program starts
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
export JAX_COMPILATION_CACHE_DIR=/var/cache/user/saturate/tune/jax

# in the program, after its imports
import torch
torch.backends.cuda.matmul.allow_tf32 = True; torch.backends.cudnn.allow_tf32 = True  # tf32

# in the program, where it makes them
# fused-optimizer: fused=True for Adam and AdamW
# pinned-loaders: pin_memory=True for each DataLoader
`,
		"mi300x": `# in the shell, before the program starts
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
# near-gpu: start the program with taskset -c 0-47,96-143

# in the program, after its imports
import torch
torch.backends.cuda.preferred_blas_library("hipblaslt")  # hipblaslt

# in the program, where it makes them
# fused-optimizer: fused=True for Adam and AdamW
# pinned-loaders: pin_memory=True for each DataLoader
`,
	} {
		chosen, _ := Choose(machine(t, name), Hardware, nil, nil)
		if got := Snippet(chosen, nil); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
	if got := Snippet(nil, nil); got != "# nothing to set\n" {
		t.Errorf("nothing: %q", got)
	}
}

func TestPlanCanBeReadAgain(t *testing.T) {
	chosen, _ := Choose(machine(t, "a100"), Measured, nil, nil)
	text, err := Plan(chosen, "control.json")
	if err != nil {
		t.Fatal(err)
	}
	var plan struct {
		Settings []Setting
		Control  string
	}
	if err := json.Unmarshal(text, &plan); err != nil || len(plan.Settings) != len(chosen) || plan.Control != "control.json" {
		t.Errorf("%d of %d settings, control %q, %v", len(plan.Settings), len(chosen), plan.Control, err)
	}
	if text, err := Plan(nil, ""); err != nil || string(text) != `{"settings":[]}` {
		t.Errorf("an empty plan: %s, %v", text, err)
	}
}

func FuzzMachine(f *testing.F) {
	for _, name := range machines {
		text, err := os.ReadFile("testdata/machines/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.ReplaceAll(text, []byte("\n"), nil)) // an answer is one line
	}
	f.Add([]byte("warning from a library\n" + `{"backend":"cpu","os":"linux","cores":-3,"libraries":{"jemalloc":""}}`))
	f.Add([]byte(`{"backend":"rocm","os":"linux","hip":"99999999999999999999.1","gfx":"gfx942","gpu_free_mib":1e9}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := readMachine(text)
		if err != nil {
			return
		}
		chosen, left := Choose(m, Measured, nil, nil)
		if len(chosen)+len(left) != len(All()) {
			t.Errorf("%d chosen and %d left of %d", len(chosen), len(left), len(All()))
		}
		if _, err := Plan(chosen, ""); err != nil {
			t.Error(err)
		}
		Snippet(chosen, nil)
	})
}

func FuzzObservations(f *testing.F) {
	f.Add([]byte(`{"setting":"tf32","when":"exit","in_effect":null,"effect":3}` + "\nnoise\n"))
	f.Add([]byte(`{"dead":"torch.backends.cudnn.workspace_limit","value":1073741824,"instead":"…"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := readObservations(text)
		if err == nil && len(all) > strings.Count(string(text), "\n")+1 {
			t.Errorf("%d observations in %d bytes", len(all), len(text))
		}
	})
}
