package probe_test

import (
	"bytes"
	"encoding/json"
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

// job says which tree each of its modules, and those of a child, came from. As usual it lies in a folder below the
// package.
const job = `import importlib, multiprocessing, os, sys

def where(name):
    try:
        return importlib.import_module(name).TREE
    except ModuleNotFoundError:
        return "none"

def all():
    print(*[name + "=" + where(name) for name in ("pkg", "pkg.part", "pkg.space.deep", "alone")], flush=True)

if __name__ == "__main__":
    all()
    child = multiprocessing.get_context("spawn").Process(target=all)
    child.start()
    child.join()
    if hasattr(os, "fork"):
        pid = os.fork()
        if pid == 0:
            importlib.import_module("pkg.late")
            os._exit(0)
        os.waitpid(pid, 0)
`

// project is a package with a module, a folder without __init__.py, a module beside it, and the job.
func project(tree string) map[string]string {
	text := fmt.Sprintf("TREE = %q\n", tree)
	return map[string]string{
		"pkg/__init__.py": text, "pkg/part.py": text, "pkg/late.py": text, "pkg/space/deep.py": text, "alone.py": text, "jobs/job.py": job,
	}
}

// finder is what setuptools installs for an editable package, in short.
const finder = `import sys
from importlib.util import spec_from_file_location

class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "pkg":
            return spec_from_file_location(name, %[1]q + "/pkg/__init__.py", submodule_search_locations=[%[1]q + "/pkg"])
        if name == "alone":
            return spec_from_file_location(name, %[1]q + "/alone.py")

def install():
    sys.meta_path.append(Finder)
`

// run runs a program in a Home, unwatched, and returns what it printed and told.
func runAt(t *testing.T, home probe.Home, env []string, command ...string) (string, probe.Modules) {
	t.Helper()
	folder := t.TempDir()
	environ, err := home.Environ(append(os.Environ(), env...), folder)
	if err == nil {
		environ, err = probe.Turned(environ)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = home.Root, append(environ, "SATURATE_PROBE_DEBUG=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	modules, err := probe.ReadModules(folder)
	if err != nil && home.Turns() {
		t.Fatalf("%v: %s", err, said.String())
	}
	return string(out), modules
}

// However Python is led to the project, a copy's program gets the copy's modules, in its children too.
func TestModulesComeFromTheCopy(t *testing.T) {
	for _, way := range []struct {
		name string
		lead func(t *testing.T, original string) (python string, env []string)
	}{
		{"PYTHONPATH", func(t *testing.T, original string) (string, []string) {
			return plainPython(t), []string{"PYTHONPATH=" + original}
		}},
		{"a link in PYTHONPATH", func(t *testing.T, original string) (string, []string) {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(original, link); err != nil {
				t.Skip(err)
			}
			return plainPython(t), []string{"PYTHONPATH=" + link}
		}},
		{"a .pth file", func(t *testing.T, original string) (string, []string) {
			return probetest.Environment(t, plainPython(t), map[string]string{"__editable__.pkg-1.pth": original + "\n"}), nil
		}},
		{"an editable finder", func(t *testing.T, original string) (string, []string) {
			return probetest.Environment(t, plainPython(t), map[string]string{
				"__editable__.pkg-1.pth": "import __editable___pkg_finder; __editable___pkg_finder.install()\n", "__editable___pkg_finder.py": fmt.Sprintf(finder, original),
			}), nil
		}},
		{"a sitecustomize", func(t *testing.T, original string) (string, []string) {
			dir := t.TempDir()
			probetest.Write(t, dir, map[string]string{"sitecustomize.py": fmt.Sprintf("import sys\nsys.path.insert(0, %q)\n", original)})
			return plainPython(t), []string{"PYTHONPATH=" + dir}
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			original := filepath.Join(t.TempDir(), "project")
			clone := filepath.Join(original, "runs", "copy") // as where runs lie in the project
			probetest.Write(t, original, project("original"))
			probetest.Write(t, clone, project("copy"))
			python, env := way.lead(t, original)
			home := probe.Home{Root: clone, Moves: []probe.Move{{From: original, To: clone}}, Changed: []string{"pkg/late.py", "pkg/never.py", "jobs/job.py"}}

			trap, _ := runAt(t, probe.Home{Root: clone}, env, python, "jobs/job.py")
			if !strings.Contains(trap, "pkg.part=original") {
				t.Fatalf("this way does not lead to the original, so it shows nothing: %s", trap)
			}
			out, modules := runAt(t, home, env, python, "jobs/job.py")
			if want := strings.Repeat("pkg=copy pkg.part=copy pkg.space.deep=copy alone=copy\n", 2); out != want {
				t.Errorf("the program and its child have\n%swant\n%s", out, want)
			}
			if want := (probe.Modules{Loaded: []string{"jobs/job.py", "pkg/late.py"}}); !reflect.DeepEqual(modules, want) {
				t.Errorf("told %+v, want %+v", modules, want)
			}

			// What the copy has no more is gone, and what is new in it is there.
			if err := os.Rename(filepath.Join(clone, "pkg/part.py"), filepath.Join(clone, "pkg/fresh.py")); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(clone, "alone.py"), filepath.Join(clone, "joined.py")); err != nil {
				t.Fatal(err)
			}
			probetest.Write(t, clone, map[string]string{"jobs/look.py": "from job import where\nprint(*map(where, ('pkg.part', 'pkg.fresh', 'alone', 'joined')))\n"})
			want := "none copy none copy\n"
			if way.name == "an editable finder" { // it knows its modules by name
				want = "none copy none none\n"
			}
			out, modules = runAt(t, home, env, python, "jobs/look.py")
			if len(modules.Strays) > 0 || out != want {
				t.Errorf("part, fresh, alone and joined are %s, strays %+v", out, modules.Strays)
			}
		})
	}
}

// What comes from another tree all the same is told, and so is an installed package in place of a changed file.
func TestStraysAreTold(t *testing.T) {
	t.Parallel()
	original, clone := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "copy")
	probetest.Write(t, original, project("original"))
	probetest.Write(t, clone, project("copy"))
	probetest.Write(t, clone, map[string]string{"src/lib/core.py": "", "tools/random.py": "", "random.py": "", "old/json/decoder.py": ""})
	python := probetest.Environment(t, plainPython(t), map[string]string{"lib/__init__.py": "", "lib/core.py": "", "tools.py": ""})
	home := probe.Home{Root: clone, Moves: []probe.Move{{From: original, To: clone}}, Changed: []string{
		"src/lib/core.py", "random.py", "old/json/decoder.py", "elsewhere/tools.py",
	}}
	program := fmt.Sprintf(`
import importlib.util, random, json.decoder, lib.core, tools, sys
spec = importlib.util.spec_from_file_location("by_hand", %q)
sys.modules["by_hand"] = importlib.util.module_from_spec(spec)
`, filepath.Join(original, "pkg/part.py"))
	probetest.Write(t, clone, map[string]string{"jobs/program.py": program})
	_, modules := runAt(t, home, nil, python, "jobs/program.py")
	real := func(path string) string { path, _ = filepath.EvalSymlinks(path); return path }
	if want := []probe.Stray{{Module: "by_hand", File: real(filepath.Join(original, "pkg/part.py")), Place: filepath.Join(clone, "pkg/part.py")}}; !slices.Equal(modules.Strays, want) {
		t.Errorf("strays %+v, want %+v", modules.Strays, want)
	}
	if len(modules.Shadows) != 1 || modules.Shadows[0].Module != "lib.core" || modules.Shadows[0].Place != "src/lib/core.py" || !strings.HasSuffix(modules.Shadows[0].File, "site-packages/lib/core.py") {
		t.Errorf("shadows %+v, want lib.core of site-packages alone", modules.Shadows)
	}
	if got := modules.Problem(); !strings.Contains(got, "by_hand was loaded from "+modules.Strays[0].File+", not from "+modules.Strays[0].Place) {
		t.Errorf("the problem: %s", got)
	}
	if got := (probe.Modules{Shadows: modules.Shadows}).Problem(); !strings.Contains(got, "never loaded the changed file src/lib/core.py: its lib.core is "+modules.Shadows[0].File) {
		t.Errorf("the problem: %s", got)
	}
	_, modules = runAt(t, home, nil, python, filepath.Join(original, "jobs/job.py"))
	if got := modules.Problem(); !strings.Contains(got, "name the program relative to its folder") {
		t.Errorf("the problem of a program of the original: %q, %+v", got, modules)
	}
	if got, want := home.Command([]string{python, filepath.Join(original, "jobs/job.py"), original}), []string{python, filepath.Join(clone, "jobs/job.py"), original}; !slices.Equal(got, want) {
		t.Errorf("the command is %q, want %q", got, want)
	}
}

// An environment in the project, and what is linked into the copy, belong to no tree.
func TestWhatTreesShare(t *testing.T) {
	t.Parallel()
	original := filepath.Join(t.TempDir(), "project")
	clone := filepath.Join(t.TempDir(), "copy")
	probetest.Write(t, original, project("original"))
	probetest.Write(t, clone, project("copy"))
	probetest.Write(t, original, map[string]string{"ignored/gen.py": "", "vendor/site-packages/third.py": ""})
	if err := os.Symlink(filepath.Join(original, "ignored"), filepath.Join(clone, "ignored")); err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command(plainPython(t), "-m", "venv", "--without-pip", filepath.Join(original, ".venv")).CombinedOutput(); err != nil {
		t.Skipf("no environment can be made: %v: %s", err, out)
	}
	found, _ := filepath.Glob(filepath.Join(original, ".venv/lib/python3*/site-packages"))
	if len(found) != 1 {
		t.Skipf("an environment has its packages in %q", found)
	}
	probetest.Write(t, found[0], map[string]string{"second.py": ""})
	probetest.Write(t, clone, map[string]string{"jobs/look.py": "import gen, second, third, pkg\nprint(pkg.TREE)\n"})
	home := probe.Home{Root: clone, Moves: []probe.Move{{From: original, To: clone}}}
	env := []string{"PYTHONPATH=" + strings.Join([]string{filepath.Join(original, "ignored"), filepath.Join(original, "vendor/site-packages"), original}, string(os.PathListSeparator))}
	out, modules := runAt(t, home, env, filepath.Join(original, ".venv/bin/python"), "jobs/look.py")
	if out != "copy\n" || modules.Problem() != "" {
		t.Errorf("pkg is of %s; %s", out, modules.Problem())
	}
}

// A program that is watched tells when it tells of its steps, also when it is then killed, and its variable is not the
// user's.
func TestWatchedModules(t *testing.T) {
	t.Parallel()
	original, clone, folder := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "copy"), t.TempDir()
	probetest.Write(t, original, project("original"))
	probetest.Write(t, clone, project("copy"))
	probetest.Write(t, clone, map[string]string{"jobs/train.py": `import os, signal, torch, pkg
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(12):
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
import time; time.sleep(0.5)
optimizer.step()
print(pkg.TREE, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
`})
	home := probe.Home{Root: clone, Moves: []probe.Move{{From: original, To: clone}}, Changed: []string{"pkg/__init__.py", "pkg/part.py"}}
	environ, err := home.Environ(append(os.Environ(), "PYTHONPATH="+original), folder)
	if err != nil {
		t.Fatal(err)
	}
	out, said := watchAny(t, probe.Plan{Command: []string{python(t), "jobs/train.py"}, Dir: clone, Environ: environ})
	modules, err := probe.ReadModules(folder)
	if err != nil || !strings.Contains(said, "copy") || len(out.Run.Steps) < 12 || !slices.Equal(modules.Loaded, []string{"pkg/__init__.py"}) || modules.Problem() != "" {
		t.Errorf("%v, %d steps, %+v\n%s", err, len(out.Run.Steps), modules, said)
	}
	if text, err := json.Marshal(out.Run.Environment); err != nil || strings.Contains(string(text), clone+"/pkg") || strings.Contains(string(text), "SATURATE_HOME") {
		t.Errorf("the environment is told as %s, %v", text, err)
	}
}

func TestNobodyTold(t *testing.T) {
	m, err := probe.ReadModules(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "unknown which modules") {
		t.Errorf("%+v, %v", m, err)
	}
	if got := (probe.Modules{Unknown: err.Error()}).Problem(); !strings.Contains(got, "unknown which modules") {
		t.Errorf("the problem: %q", got)
	}
	if env, err := (probe.Home{Root: "/x"}).Environ([]string{"A=1"}, ""); err != nil || !slices.Equal(env, []string{"A=1"}) {
		t.Errorf("a Home without other trees: %q, %v", env, err)
	}
}
