package verify

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/probe/probetest"
)

// packaged is a project whose program lies beside its package and writes down the loss that the package gives.
func packaged(loss string) map[string]string {
	return map[string]string{
		"pkg/__init__.py": "", "pkg/part.py": "LOSS = " + loss + "\n", "pkg/unused.py": "",
		"jobs/train.py": `import json, sys
from pkg import part

with open(sys.argv[1], "w") as file:
    for i in range(12):
        print(json.dumps({"step": i + 1, "s": 0.01, "samples": 1, "loss": part.LOSS}), file=file)
`,
	}
}

const partPatch = "--- a/pkg/part.py\n+++ b/pkg/part.py\n@@ -1 +1 @@\n-LOSS = 2\n+LOSS = 3\n"

// lead is a way by which Python finds a project that is not where the program runs.
type lead struct {
	python string
	env    []string
}

func leads(t *testing.T, project string) map[string]lead {
	t.Helper()
	finder := fmt.Sprintf(`import sys
from importlib.util import spec_from_file_location

class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "pkg":
            return spec_from_file_location(name, %[1]q + "/pkg/__init__.py", submodule_search_locations=[%[1]q + "/pkg"])

sys.meta_path.append(Finder)
`, project)
	return map[string]lead{
		"PYTHONPATH": {python(t), []string{"PYTHONPATH=" + project}},
		"pth":        {probetest.Environment(t, python(t), map[string]string{"pkg.pth": project + "\n"}), nil},
		"finder":     {probetest.Environment(t, python(t), map[string]string{"pkg.pth": "import pkg_finder\n", "pkg_finder.py": finder}), nil},
	}
}

// repositoryOf commits a project.
func repositoryOf(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git %s: %v: %s", args[0], err, out)
		}
	}
}

// Whatever two variants are, and however Python finds the project, each runs its own modules.
func TestEachVariantRunsItsOwnModules(t *testing.T) {
	project := filepath.Join(t.TempDir(), "project")
	probetest.Write(t, project, packaged("2"))
	repositoryOf(t, project)
	probetest.Write(t, project, packaged("3")) // uncommitted
	plain := filepath.Join(t.TempDir(), "plain")
	probetest.Write(t, plain, packaged("2"))
	probetest.Write(t, plain, map[string]string{"fix.patch": partPatch})
	copied := filepath.Join(t.TempDir(), "copied")
	probetest.Write(t, copied, packaged("3"))
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(plain))
	ways := map[string]map[string]lead{plain: leads(t, plain), copied: leads(t, copied), project: leads(t, project)}
	for _, c := range []struct{ name, lead, dir, before, after, job string }{
		{"folder and folder", plain, plain, ".", copied, "jobs/train.py"},
		{"folder and folder, the change is installed", copied, plain, ".", copied, "jobs/train.py"},
		{"the program by its whole path", plain, plain, ".", copied, filepath.Join(plain, "jobs/train.py")},
		{"ref and working tree", project, project, "HEAD", ".", "jobs/train.py"},
		{"ref and working tree, from below", project, filepath.Join(project, "jobs"), "HEAD", ".", "train.py"},
		{"ref and folder", project, project, "HEAD", copied, "jobs/train.py"},
		{"working tree and patch", plain, plain, ".", "fix.patch", "jobs/train.py"},
	} {
		for way, lead := range ways[c.lead] {
			t.Run(c.name+", "+way, func(t *testing.T) {
				t.Parallel()
				state, plan := t.TempDir(), Plan{Pairs: 1, Numerics: Unchecked}
				for _, side := range []struct {
					v     *Variant
					named string
				}{{&plan.Before, c.before}, {&plan.After, c.after}} {
					var err error
					if *side.v, err = Prepare(context.Background(), c.dir, side.named, filepath.Join(state, filepath.Base(side.named)), []string{lead.python, c.job, stepsWord}); err != nil {
						t.Fatal(err)
					}
				}
				r, err := Run(context.Background(), plan, Options{Execute: Programs(append(os.Environ(), lead.env...))})
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Blocks) != 1 || r.Blocks[0].Fatal != "" {
					t.Fatalf("%s: %s", r.Verdict, r.Reason)
				}
				for i, want := range []float64{2, 3} {
					if o := r.Blocks[0].Outcomes[i]; float64(*o.Steps[0].Loss) != want {
						t.Errorf("%s has the loss %v, want %v", r.Blocks[0].side(i), *o.Steps[0].Loss, want)
					} else if o.Modules == nil || c.name != "ref and working tree, from below" && !slices.Equal(o.Modules.Loaded, []string{"pkg/part.py"}) {
						t.Errorf("%s loaded %+v of the changed files", r.Blocks[0].side(i), o.Modules)
					}
				}
			})
		}
	}
}

// compareFolders runs one pair of two folders.
func compareFolders(t *testing.T, before, after string, env []string, command ...string) Result {
	t.Helper()
	plan := Plan{Pairs: 1, Numerics: Unchecked}
	for dir, v := range map[string]*Variant{before: &plan.Before, after: &plan.After} {
		var err error
		if *v, err = InFolder(filepath.Base(dir), dir, command); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Run(context.Background(), plan, Options{Dir: t.TempDir(), Execute: Programs(append(os.Environ(), env...))})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Code that is neither variant's proves nothing.
func TestCodeOfNeitherVariant(t *testing.T) {
	top := t.TempDir()
	before, after := filepath.Join(top, "before"), filepath.Join(top, "after")
	probetest.Write(t, before, packaged("2"))
	probetest.Write(t, after, packaged("3"))
	third := filepath.Join(top, "third")
	probetest.Write(t, third, packaged("4"))
	for _, c := range []struct {
		name, python string
		env          []string
		prelude      string
		want         string
	}{
		{"installed", probetest.Environment(t, python(t), map[string]string{"pkg/__init__.py": "", "pkg/part.py": "LOSS = 4\n"}), nil, "", "never loaded the changed file pkg/part.py: its pkg.part is "},
		{"a third tree", python(t), []string{"PYTHONPATH=" + third}, "", "its pkg.part is " + third + "/pkg/part.py"},
		{"by hand", python(t), nil, fmt.Sprintf(`import importlib.util, sys
for name in ("pkg", "pkg.part"):
    spec = importlib.util.spec_from_file_location(name, %q + ("/pkg/part.py" if "." in name else "/pkg/__init__.py"))
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
sys.modules["pkg"].part = sys.modules["pkg.part"]
`, before), "was loaded from " + before},
		{"nobody tells", python(t), nil, "import sys\nsys.path.insert(0, '.')\nsys.modules['saturate_probe.home']._folder = '/nowhere'\n", "it is unknown which modules the program loaded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, dir := range []string{before, after} {
				probetest.Write(t, dir, map[string]string{"jobs/train.py": c.prelude + packaged("")["jobs/train.py"]})
			}
			r := compareFolders(t, before, after, c.env, c.python, "jobs/train.py", stepsWord)
			if r.Verdict != Invalid || r.Cause != ByModules || r.Blamed != "" || !strings.Contains(r.Reason, c.want) || r.Gate(0.05) != GateUndecided {
				t.Errorf("%s by %q, %q is to blame: %s; want %q", r.Verdict, r.Cause, r.Blamed, r.Reason, c.want)
			}
			again, err := Kept(r.Dir, r.Plan)
			if again != 0 || !err {
				t.Errorf("%d blocks are kept, the same plan: %v", again, err)
			}
		})
	}
}

// The same with a program that is watched, whose workers load what it does not.
func TestCodeOfNeitherVariantInAWorker(t *testing.T) {
	top := t.TempDir()
	before, after := filepath.Join(top, "before"), filepath.Join(top, "after")
	program := fmt.Sprintf(`import importlib.util, sys, torch
from torch.utils.data import DataLoader, Dataset

class Points(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, index):
        if "part" not in sys.modules:
            spec = importlib.util.spec_from_file_location("part", %q)
            sys.modules["part"] = importlib.util.module_from_spec(spec)
        return torch.full((4,), float(index))

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for x in DataLoader(Points(), batch_size=4, num_workers=1):
    loss = model(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
`, filepath.Join(before, "part.py"))
	probetest.Write(t, before, map[string]string{"part.py": "", "train.py": program})
	probetest.Write(t, after, map[string]string{"part.py": "faster = True\n", "train.py": program})
	r := compareFolders(t, before, after, nil, append(forked.Command(t, python(t)), "train.py")...)
	if r.Cause != ByModules || !strings.Contains(r.Reason, "after (after) ran code of another tree: part was loaded from "+filepath.Join(before, "part.py")+", not from "+filepath.Join(after, "part.py")) {
		t.Errorf("%s by %q: %s", r.Verdict, r.Cause, r.Reason)
	}
}

// The ranks of a program run their variant's modules as well, and one that does not is told of though the steps are
// another's.
func TestRanksOfTwoTrees(t *testing.T) {
	top := t.TempDir()
	before, after := filepath.Join(top, "before"), filepath.Join(top, "after")
	program := fmt.Sprintf(`import importlib.util, os, sys, torch, torch.distributed as dist
if os.environ["RANK"] == "1":
    spec = importlib.util.spec_from_file_location("part", %q)
    sys.modules["part"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["part"])
import part

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
torch.nn.init.zeros_(model.module.weight), torch.nn.init.zeros_(model.module.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0)
for _ in range(12):
    loss = model(torch.ones(4, 4)).mean() + part.LOSS
    dist.all_reduce(loss.data)
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
`, filepath.Join(before, "part.py"))
	probetest.Write(t, before, map[string]string{"part.py": "LOSS = 2\n", "jobs/train.py": program})
	probetest.Write(t, after, map[string]string{"part.py": "LOSS = 3\n", "jobs/train.py": program})
	r := compareFolders(t, before, after, []string{"PYTHONPATH=" + before}, append(twoRanks(t), "jobs/train.py")...)
	if r.Cause != ByModules || !strings.Contains(r.Reason, "after (after) ran code of another tree: part was loaded from "+filepath.Join(before, "part.py")) {
		t.Errorf("%s by %q: %s", r.Verdict, r.Cause, r.Reason)
	}
	for i, want := range []float64{2 + 2, 3 + 2} { // both ranks together
		if o := r.Blocks[0].Outcomes[i]; len(o.Steps) == 0 || float64(*o.Steps[0].Loss) != want {
			t.Errorf("%s has the steps %+v, want the loss %v", r.Blocks[0].side(i), o.Steps, want)
		}
	}
}

// Changes that the program never imports are no reason for any difference.
func TestNoneOfTheChangesIsLoaded(t *testing.T) {
	top := t.TempDir()
	before, after := filepath.Join(top, "before"), filepath.Join(top, "after")
	probetest.Write(t, before, packaged("2"))
	probetest.Write(t, after, packaged("2"))
	probetest.Write(t, after, map[string]string{"pkg/unused.py": "faster = True\n", "new.py": ""})
	r := compareFolders(t, before, after, []string{"PYTHONPATH=" + before}, python(t), "jobs/train.py", stepsWord)
	if got := strings.Join(r.Warnings, "\n"); r.Verdict == Invalid || !strings.Contains(got, "none of the changed files was imported by the program") || !strings.Contains(got, "new.py, pkg/unused.py") {
		t.Errorf("%s: %s; %s", r.Verdict, r.Reason, got)
	}
	probetest.Write(t, after, packaged("2.0"))
	r = compareFolders(t, before, after, []string{"PYTHONPATH=" + before}, python(t), "jobs/train.py", stepsWord)
	if got := r.Unloaded(); got != nil {
		t.Errorf("%q were not loaded, though another change was", got)
	}
}

// A commit names its submodules and does not hold them: they are linked, and so belong to both variants.
func TestSubmodules(t *testing.T) {
	project := filepath.Join(t.TempDir(), "project")
	probetest.Write(t, project, packaged("2"))
	probetest.Write(t, project, map[string]string{"parts/sub/inner.py": "LOSS = 5\n", "jobs/train.py": strings.ReplaceAll(packaged("")["jobs/train.py"], "from pkg import part", "import inner as part, pkg.part")})
	repositoryOf(t, filepath.Join(project, "parts/sub"))
	repositoryOf(t, project)
	probetest.Write(t, project, map[string]string{"pkg/part.py": "LOSS = 3\n"})
	plan := Plan{Pairs: 1}
	var err error
	command := []string{python(t), "jobs/train.py", stepsWord}
	if plan.Before, err = Prepare(t.Context(), project, "HEAD", filepath.Join(t.TempDir(), "before"), command); err != nil {
		t.Fatal(err)
	}
	if plan.After, err = Prepare(t.Context(), project, ".", "", command); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(plan.Before.Notes, "\n"); !strings.Contains(notes, "submodules (parts/sub) are linked into HEAD") {
		t.Errorf("notes: %s", notes)
	}
	search := "PYTHONPATH=" + filepath.Join(project, "parts/sub") + string(os.PathListSeparator) + project
	r, err := Run(t.Context(), plan, Options{Execute: Programs(append(os.Environ(), search))})
	if err != nil || r.Pairs != 1 {
		t.Errorf("%s: %s, %v", r.Verdict, r.Reason, err)
	}
}

// Which tree stands in the place of which.
func TestHome(t *testing.T) {
	ref := func(root, inside string) Variant {
		return Variant{Kind: Ref, Root: root, Dir: filepath.Join(root, inside), Origin: "/u/repo", Command: []string{root}}
	}
	folder := func(dir string) Variant {
		return Variant{Kind: Folder, Root: dir, Dir: dir, Command: []string{dir}}
	}
	sources := func(v Variant, list ...string) Variant {
		v.Sources = map[string]string{}
		for i := 0; i < len(list); i += 2 {
			v.Sources[list[i]] = list[i+1]
		}
		return v
	}
	for _, c := range []struct {
		name     string
		v, other Variant
		want     probe.Home
	}{
		{"the same folder", folder("/u/repo"), folder("/u/repo"), probe.Home{}},
		{"a folder", sources(folder("/u/new"), "a.py", "2", "b.py", "1", "c.yaml", "7"), sources(folder("/u/old"), "a.py", "1", "b.py", "1"), probe.Home{
			Root: "/u/new", Moves: []probe.Move{{From: "/u/old", To: "/u/new"}}, Changed: []string{"a.py"},
		}},
		{"a ref beside another", ref("/s/1", "."), ref("/s/2", "."), probe.Home{
			Root: "/s/1", Moves: []probe.Move{{From: "/u/repo", To: "/s/1"}, {From: "/s/2", To: "/s/1"}},
		}},
		{"a folder in the repository, which is not where the user stands", folder("/u/repo/tuned"), ref("/s/1", "."), probe.Home{
			Root: "/u/repo/tuned", Moves: []probe.Move{{From: "/s/1", To: "/u/repo/tuned"}, {From: "/u/repo", To: "/u/repo/tuned"}},
		}},
		{"the working tree from below", sources(folder("/u/repo/sub"), "a.py", "2", "b.py", "1"), sources(ref("/s/1", "sub"), "sub/a.py", "1", "sub/b.py", "1", "lib/c.py", "1"), probe.Home{
			Root: "/u/repo", Moves: []probe.Move{{From: "/s/1", To: "/u/repo"}}, Changed: []string{"sub/a.py"},
		}},
		{"its copy", sources(ref("/s/1", "sub"), "sub/a.py", "1", "sub/b.py", "1", "lib/c.py", "1"), sources(folder("/u/repo/sub"), "a.py", "2", "b.py", "1"), probe.Home{
			Root: "/s/1", Moves: []probe.Move{{From: "/u/repo", To: "/s/1"}, {From: "/u/repo/sub", To: "/s/1/sub"}}, Changed: []string{"sub/a.py"},
		}},
		{"another folder than where the user stands", folder("/v/sub"), ref("/s/1", "sub"), probe.Home{
			Root: "/v/sub", Moves: []probe.Move{{From: "/s/1/sub", To: "/v/sub"}, {From: "/s/1"}, {From: "/u/repo/sub", To: "/v/sub"}, {From: "/u/repo"}},
		}},
	} {
		if got := (Plan{Before: c.other, After: c.v}).home(c.v); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if got := (Plan{Before: c.v, After: c.other}).home(c.v); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, before: %+v, want %+v", c.name, got, c.want)
		}
	}
}
