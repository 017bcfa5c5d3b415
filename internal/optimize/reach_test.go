package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/project"
	"saturate/internal/run"
)

// What a command runs is read from its imports; where these do not tell, everything counts.
func TestReach(t *testing.T) {
	const dir = "/job"
	for _, tt := range []struct {
		name    string
		command string
		files   map[string]string
		want    string // the files, or "all"
	}{
		{"imports, over others", "python train.py", map[string]string{"train.py": "from data import D\n", "data.py": "from lib.audio import read\n", "lib/audio.py": "", "lib/other.py": "", "old.py": ""}, "data.py lib/audio.py train.py"},
		{"a folder by its first name", "python train.py", map[string]string{"train.py": "import lib.audio\n", "lib/audio.py": "", "old.py": ""}, "lib/audio.py train.py"},
		{"a package and its parts", "python -m pkg.train", map[string]string{"pkg/__init__.py": "", "pkg/train.py": "from .data import D\n", "pkg/data.py": "", "pkg/test.py": ""}, "pkg/data.py pkg/train.py"},
		{"a module with a main", "python -m pkg", map[string]string{"pkg/__init__.py": "", "pkg/__main__.py": "from . import data\n", "pkg/data.py": ""}, "pkg/__init__.py pkg/__main__.py pkg/data.py"},
		{"a launcher of another name", "torchrun --nproc_per_node 2 ./jobs/train.py", map[string]string{"jobs/train.py": "", "train.py": ""}, "jobs/train.py"},
		{"a file in a flag", "python train.py --config=conf/a.py", map[string]string{"train.py": "", "conf/a.py": "", "conf/b.py": ""}, "conf/a.py train.py"},
		{"the whole path", "python /job/train.py", map[string]string{"train.py": "", "old.py": ""}, "train.py"},
		{"a search path of its own", "python train.py", map[string]string{"train.py": "import sys\nsys.path.insert(0, 'code/lib')\nimport audio\n", "code/lib/audio.py": "", "code/lib/old.py": ""}, "code/lib/audio.py train.py"},
		{"a script that is no Python", "bash run.sh", map[string]string{"train.py": "", "old.py": ""}, "all"},
		{"imports by name", "python train.py", map[string]string{"train.py": "import models\n", "models/__init__.py": "import importlib\nimportlib.import_module('models.' + name)\n", "models/a.py": ""}, "all"},
		{"starts another program", "python launch.py", map[string]string{"launch.py": "import subprocess, sys\nsubprocess.run([sys.executable, 'train.py'])\n", "train.py": ""}, "all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sources := map[string][]byte{}
			for name, text := range tt.files {
				sources[filepath.Join(dir, name)] = []byte(text)
			}
			p, err := project.FromSources(context.Background(), sources)
			if err != nil {
				t.Fatal(err)
			}
			r := reachOf(p, dir, strings.Fields(tt.command))
			var files []string
			for name := range r.files {
				files = append(files, name)
			}
			slices.Sort(files)
			got := strings.Join(files, " ")
			if r.all {
				got = "all"
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A script that the program does not import has the same faults. No repair of it is tried, none is in the patch, and it
// is said.
func TestOtherProgramsAreLeftAlone(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	if err := os.WriteFile(filepath.Join(o.Dir, "other.py"), []byte(slowProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if result.Final == nil || strings.Contains(result.Diff, "other.py") {
		t.Errorf("the patch:\n%s", result.Diff)
	}
	for _, c := range result.Candidates {
		if slices.ContainsFunc(c.Places, func(at string) bool { return strings.HasPrefix(at, "other.py") }) {
			t.Errorf("%s is for %v", c.ID, c.Places)
		}
	}
	if !slices.ContainsFunc(result.Notes, func(n string) bool { return strings.HasSuffix(n, "left out: other.py") }) {
		t.Errorf("notes %q", result.Notes)
	}
}

// Branches that the program did not take have the same faults. They are not in the patch.
func TestIdleBranchesAreLeftAlone(t *testing.T) {
	o := newWorld(1, effect{shows: "fused", seconds: 0.5, loss: 1}).options(t)
	o.Rules.Select = []string{"SAT301", "SAT406"}
	const taken = "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\n"
	const both = "if len(model) > 9:\n    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)\nelse:\n    " + taken
	source := strings.Replace(slowProgram, taken, both, 1) + "        if epoch > 7:\n            total = loss.item()\n"
	if err := os.WriteFile(filepath.Join(o.Dir, "train.py"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	lineOf := func(text string) int { return 1 + strings.Count(source[:strings.Index(source, text)], "\n") }
	profile := o.Profile
	o.Profile = func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error) {
		seen, err := profile(ctx, home, command, steps, scratch)
		for i := range seen.Run.Steps {
			seen.Run.Steps[i].Parts = []run.Part{{Name: "data", Seconds: seen.Run.Steps[i].Seconds / 2}, {Name: "optimizer", Seconds: seen.Run.Steps[i].Seconds / 2}}
		}
		seen.Idle = map[string][]int{"train.py": {lineOf("lr=1e-4"), lineOf("loss.item")}}
		return seen, err
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(result.Diff, "+    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)") || strings.Contains(result.Diff, "1e-4, fused") {
		t.Errorf("the patch:\n%s", result.Diff)
	}
	if said := fmt.Sprintf("findings in lines that did not run were left out: train.py:%d and train.py:%d", lineOf("loss.item"), lineOf("lr=1e-4")); !slices.Contains(result.Notes, said) {
		t.Errorf("notes %q", result.Notes)
	}
}

// Whole paths into the project lead into the copy: the user's own files are neither run nor written.
func TestWholePathsLeadIntoTheCopy(t *testing.T) {
	o := newWorld(1).options(t)
	o.PlanOnly = true
	o.Command = []string{"python", filepath.Join(o.Dir, "train.py"), "--data", "/elsewhere/data"}
	var ran []string
	profile := o.Profile
	o.Profile = func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error) {
		ran = command
		return profile(ctx, home, command, steps, scratch)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if want := []string{"python", "train.py", "--data", "/elsewhere/data"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
}

// A folder of Python packages in the project is linked: copies of it would take gigabytes.
func TestEnvironmentsAreLinked(t *testing.T) {
	o := newWorld(1).options(t)
	o.PlanOnly = true
	env := filepath.Join(o.Dir, ".venv")
	if err := errors.Join(os.Mkdir(env, 0o755), os.WriteFile(filepath.Join(env, "pyvenv.cfg"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	profile := o.Profile
	o.Profile = func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error) {
		if target, err := os.Readlink(filepath.Join(home.Root, ".venv")); err != nil || target != env {
			t.Errorf("linked to %q: %v", target, err)
		}
		return profile(ctx, home, command, steps, scratch)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// A repair of a file that is reached by a link changes the file, which is what git can patch.
func TestLinkedProgram(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	from, to := filepath.Join(o.Dir, "train.py"), filepath.Join(o.Dir, "jobs/first.py")
	if err := errors.Join(os.Mkdir(filepath.Dir(to), 0o755), os.Rename(from, to), os.Symlink("jobs/first.py", from)); err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if result.Final == nil || !strings.Contains(result.Diff, "+++ b/jobs/first.py") || strings.Contains(result.Diff, "b/train.py") {
		t.Errorf("the patch:\n%s", result.Diff)
	}
}

// A program that names its own folder by the whole path reads and writes there, which is said; the folder of copies is
// none of git's business.
func TestOwnFolderByItsWholePath(t *testing.T) {
	o := newWorld(1).options(t)
	o.PlanOnly = true
	if err := os.WriteFile(filepath.Join(o.Dir, "train.py"), []byte(slowProgram+"open('"+o.Dir+"/log.txt', 'a')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(result.Notes, func(n string) bool { return strings.HasPrefix(n, "train.py uses the absolute path of this folder") }) {
		t.Errorf("notes %q", result.Notes)
	}
	if text, err := os.ReadFile(filepath.Join(o.State, ".gitignore")); string(text) != "*\n" {
		t.Errorf("ignored %q: %v", text, err)
	}
}
