package repair

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRepairedProgramsRun runs programs before and after all of their repairs, unsafe ones included, on the CPU: they
// print the same numbers.
func TestRepairedProgramsRun(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	dir := t.TempDir()
	var before []string
	for name, codes := range map[string][]string{
		"loop.py":    {"SAT201", "SAT203", "SAT301", "SAT311", "SAT312", "SAT401", "SAT404", "SAT406", "SAT409", "SAT512"},
		"whisper.py": {"SAT201", "SAT203", "SAT311", "SAT316", "SAT401", "SAT406"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		versions, err := os.ReadFile("testdata/requirements.txt")
		if err != nil {
			t.Fatal(err)
		}
		project := folder(t, map[string]string{name: string(text), "requirements.txt": string(versions)})
		plan := planOf(t, Options{Paths: []string{project}, Unsafe: true})
		var made []string
		for _, m := range plan.Made {
			made = append(made, m.Finding.Code)
		}
		for _, code := range codes {
			if !slices.Contains(made, code) {
				t.Errorf("%s: %s is not repaired (repaired: %v)", name, code, made)
			}
		}
		for _, l := range plan.Left {
			if l.Reason == Withheld {
				t.Errorf("%s: %s is withheld: %s", name, l.Finding.Code, l.Detail)
			}
		}
		for prefix, data := range map[string]string{"before_": string(text), "after_": repaired(plan, name)} {
			if err := os.WriteFile(filepath.Join(dir, prefix+name), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before = append(before, name)
	}
	slices.Sort(before)
	driver := "import runpy, sys\nfor name in sys.argv[1:]:\n    for side in ('before_', 'after_'):\n        print('##', side + name, flush=True)\n        runpy.run_path(side + name, run_name='__main__')\n"
	cmd := exec.Command(python, append([]string{"-W", "ignore", "-c", driver}, before...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CUDA_VISIBLE_DEVICES=", "HF_HUB_OFFLINE=1", "OMP_NUM_THREADS=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
	}
	printed := map[string]string{}
	for part := range strings.SplitSeq(string(out), "## ") {
		if name, text, ok := strings.Cut(part, "\n"); ok {
			printed[name] = text
		}
	}
	for _, name := range before {
		// Whether one is read in each step or not, every number is the same to four digits.
		if a, b := printed["before_"+name], printed["after_"+name]; a != b || a == "" {
			t.Errorf("%s: before\n%s\nafter\n%s", name, a, b)
		}
	}
}
