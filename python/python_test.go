package python

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What patches import is there, and the lab is not part of it.
func TestRuntime(t *testing.T) {
	runtime := Runtime()
	for _, name := range []string{"__init__", "offline", "prepare", "whisper_features", "mel", "replay", "calls", "results"} {
		if len(runtime["saturate_gpu/"+name+".py"]) == 0 {
			t.Errorf("%s is missing", name)
		}
	}
	for name := range runtime {
		if strings.Contains(name, "/lab/") {
			t.Errorf("%s is part of it", name)
		}
	}
	for _, module := range []string{"offline", "prepare", "whisper_features", "mel", "replay"} {
		if Text(module) == "" {
			t.Errorf("%s is empty", module)
		}
	}
}

// The package imports with the standard library alone, and its calls understand what the program says.
func TestCalls(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	unittest(t, python, "-S", "-m", "unittest", "-q", "test_saturate_gpu")
}

// Steps that are recorded train as plain ones do, and those that cannot be recorded are refused.
func TestReplay(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: no Python with torch")
	}
	unittest(t, python, "-m", "unittest", "-q", "test_replay")
}

// The room that a cache takes is reckoned from all that is stored of it.
func TestPrepare(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: no Python with torch")
	}
	unittest(t, python, "-m", "unittest", "-q", "test_prepare")
}

func unittest(t *testing.T, command ...string) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
