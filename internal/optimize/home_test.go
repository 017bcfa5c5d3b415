package optimize

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/patch"
	"saturate/internal/probe"
	"saturate/internal/probe/probetest"
	"saturate/internal/verify"
)

// packagedJob trains with the optimizer of a package, which lies beside the program's folder, and says where that is.
const packagedJob = `import torch
import pkg

pkg.hello()
model = torch.nn.Linear(64, 64)
optimizer = pkg.optimizer(model)
for i in range(200):
    loss = model(torch.ones(8, 64)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
`

const packagedOptimizer = `import os

def hello():
    with open(os.environ["SEEN"], "a") as file:
        file.write(__file__ + "\n")

def optimizer(model):
    import torch
    return torch.optim.AdamW(model.parameters(), lr=1e-3)
`

// importable is a project that Python finds by PYTHONPATH, wherever the program runs.
func importable(t *testing.T) (o Options, seen func() []string) {
	t.Helper()
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	top := t.TempDir()
	dir := filepath.Join(top, "project")
	probetest.Write(t, dir, map[string]string{"pkg/__init__.py": packagedOptimizer, "jobs/train.py": packagedJob})
	log := filepath.Join(t.TempDir(), "seen") // programs may write to its folder
	env := append(os.Environ(), "PYTHONPATH="+dir, "SEEN="+log, "OMP_NUM_THREADS=1")
	writable := []string{filepath.Dir(log)}
	o = Options{
		Dir: dir, Command: append(forked.Command(t, python), "jobs/train.py"), State: filepath.Join(dir, "runs", ".optimize-1"), Steps: 20, Quick: true, Pairs: 1, Writable: writable, Timeout: 5 * time.Minute,
		Profile: WithProbe(env, writable, nil), Execute: verify.Programs(env), Prepare: ByCommand(env, writable, time.Minute),
	}
	return o, func() []string {
		data, _ := os.ReadFile(log)
		os.Remove(log)
		return strings.Fields(string(data))
	}
}

// The program of a tree, and the command that makes files for it, run the tree's modules though Python finds the
// user's.
func TestModulesOfTheTree(t *testing.T) {
	o, seen := importable(t)
	p := &protocol{Options: o.defaults()}
	if err := p.open(); err != nil {
		t.Fatal(err)
	}
	defer p.close()
	base, repaired := p.base(), p.tree("01")
	if err := graft(base, repaired, nil); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(repaired.dir, "pkg/__init__.py")
	if err := os.WriteFile(file, []byte(strings.Replace(packagedOptimizer, "lr=", "fused=True, lr=", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.profile(t.Context(), base, "baseline", p.Steps); err != nil {
		t.Fatal(err)
	}
	result, err := p.measure(t.Context(), Proving, "rungs/01", base, repaired, []Rung{{Candidate: Candidate{Safety: patch.Unsafe}}})
	if err != nil || result.Pairs != 1 || len(result.Unloaded()) > 0 {
		t.Fatalf("%s: %s, %q, %v", result.Verdict, result.Reason, result.Unloaded(), err)
	}
	// Files are made by a script that is named by its whole path.
	script := filepath.Join(repaired.dir, "jobs/make.py")
	if err := os.WriteFile(script, []byte("import pkg\npkg.hello()\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.prepare(t.Context(), repaired, []string{o.Command[0], script}, nil); err != nil {
		t.Fatal(err)
	}
	got, original := seen(), filepath.Join(base.dir, "pkg/__init__.py")
	want := []string{original, original, file, file}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("ran %q, want %q", got, want)
	}
}

// What the program never imports is not kept, however fast it seems.
func TestRepairThatIsNeverImported(t *testing.T) {
	side := func() verify.Outcome { return verify.Outcome{Modules: &probe.Modules{}} }
	v := verify.Result{Verdict: verify.Faster, Blocks: []verify.Block{{Outcomes: [2]verify.Outcome{side(), side()}}}}
	v.Plan.Before.Sources, v.Plan.After.Sources = map[string]string{"a.py": "1"}, map[string]string{"a.py": "2"}
	var r Rung
	if new(protocol).take(&r, v); r.Decision != Useless || !strings.Contains(r.Because, "imports none of the changed files") {
		t.Errorf("%s: %s", r.Decision, r.Because)
	}
	v.Blocks[0].Outcomes[1].Modules.Loaded = []string{"a.py"}
	if new(protocol).take(&r, v); strings.Contains(r.Because, "imported none of the files") {
		t.Errorf("%s: %s", r.Decision, r.Because)
	}
}

// A program that runs the user's own code all the same cannot be measured in a copy.
func TestProgramOfTheOriginal(t *testing.T) {
	o, _ := importable(t)
	text := fmt.Sprintf("import importlib.util, sys\nspec = importlib.util.spec_from_file_location('pkg', %q)\nsys.modules['pkg'] = importlib.util.module_from_spec(spec)\n"+
		"spec.loader.exec_module(sys.modules['pkg'])\n", filepath.Join(o.Dir, "pkg/__init__.py"))
	if err := os.WriteFile(filepath.Join(o.Dir, "jobs/train.py"), []byte(text+packagedJob), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "pkg was loaded from "+filepath.Join(o.Dir, "pkg/__init__.py")+", not from "+filepath.Join(o.State, "trees/base/project/pkg/__init__.py")) {
		t.Errorf("%v", err)
	}
}
