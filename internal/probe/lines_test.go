package probe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/probe/probetest"
)

const branches = `import os, sys

def choose(name):
    if name == "sgd":
        return "SGD"
    for _ in range(3):
        if name == "adam":
            continue
        print("neither")
    return "Adam"

def unused():
    return choose("sgd")

if __name__ == "__main__":
    if sys.argv[1:] == ["loud"]:
        print("loud")
    pid = os.fork()
    if pid == 0:
        choose("other")
        os._exit(0)
    os.waitpid(pid, 0)
    choose("adam")
`

// Lines of functions that were entered are told apart by whether they ran, in any process; of other functions nothing is
// said.
func TestIdleLines(t *testing.T) {
	t.Parallel()
	interpreter := newPython(t)
	original, clone := filepath.Join(t.TempDir(), "project"), filepath.Join(t.TempDir(), "copy")
	probetest.Write(t, clone, map[string]string{"jobs/job.py": branches, "jobs/other.py": "x = 1\n"})
	home := probe.Home{Root: clone, Moves: []probe.Move{{From: original, To: clone}}, Changed: []string{"jobs/job.py"}, Lines: true}
	_, modules := runAt(t, home, nil, interpreter, "jobs/job.py")
	told := modules.Lines["jobs/job.py"]
	if want := []int{5, 17}; !slices.Equal(told.Idle, want) || len(modules.Lines) != 1 {
		t.Errorf("idle lines %v, want %v; ran %v", told.Idle, want, told.Ran)
	}
	home.Lines = false
	if _, modules = runAt(t, home, nil, interpreter, "jobs/job.py"); modules.Lines != nil {
		t.Errorf("nobody asked, and lines are told: %v", modules.Lines)
	}
}

// newPython is an interpreter that can tell which lines run.
func newPython(t *testing.T) string {
	t.Helper()
	names := []string{"python3", "python3.12", "python3.13", "python3.14"}
	if home, err := os.UserHomeDir(); err == nil {
		installed, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
		names = append(names, installed...)
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import sys; sys.exit(sys.version_info < (3, 12))").Run() == nil {
			return path
		}
	}
	t.Skip("no Python 3.12 or later was found")
	return ""
}
