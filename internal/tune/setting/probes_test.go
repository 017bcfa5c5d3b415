package setting

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// probed is what a program that has the module prints, one JSON object: by question, what a probe saw and whether that
// is as wanted.
func probed(t *testing.T, program string, env ...string) map[string][2]any {
	t.Helper()
	python, folder := realPython(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "saturate_tune.py"), Module(), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", "import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True\n"+program, folder)
	cmd.Env = append(environ(t), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var found map[string][2]any
	if err := json.Unmarshal(answer(out), &found); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return found
}

func expect(t *testing.T, found map[string][2]any, want map[string][2]any) {
	t.Helper()
	for question, answer := range want {
		if found[question] != answer {
			t.Errorf("%s: %v, want %v", question, found[question], answer)
		}
	}
}

// TestOnlyThreadsOfTheOperatorCount has threads beside it that spin: some for a moment, as those of other pools do, one
// for good.
func TestOnlyThreadsOfTheOperatorCount(t *testing.T) {
	found := probed(t, `
import hashlib, json, threading, time
import saturate_tune, torch
block, stop = bytes(1 << 20), threading.Event()
def count(wanted, tries=5):  # on a busy machine threads that spin for a moment do so for long
    seen = saturate_tune.working_threads(wanted)
    return seen if seen[1] is not None or tries == 1 else count(wanted, tries - 1)
def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stop.is_set():
        hashlib.sha256(block).digest()  # outside of Python's lock
def beside(threads, seconds):
    for _ in range(threads):
        threading.Thread(target=spin, args=(seconds,)).start()
seen = {}
torch.set_num_threads(3)
beside(4, 0.1)
seen["three"] = count(3)
torch.set_num_threads(2)
beside(1, 0.1)  # taken for one of them it would make three
seen["two for three"] = count(3)
beside(1, 60)
seen["never quiet"] = saturate_tune.working_threads(2)
stop.set()
print(json.dumps(seen))`)
	if found["never quiet"] == [2]any{"2 threads work", true} {
		t.Log("the thread that spins did not run in time: the machine is busy")
		delete(found, "never quiet")
	} else {
		expect(t, found, map[string][2]any{"never quiet": {"other threads are always busy", nil}})
	}
	expect(t, found, map[string][2]any{
		"three":         {"3 threads work", true},
		"two for three": {"2 threads work", false},
	})
}

// TestOptionsThatAreSoByThemselves asks XLA about an option that is false unless it is set.
func TestOptionsThatAreSoByThemselves(t *testing.T) {
	const program = `
import json, saturate_tune
print(json.dumps({wanted: saturate_tune.xla_option("xla_cpu_enable_fast_math", wanted) for wanted in ("true", "false")}))`
	expect(t, probed(t, program), map[string][2]any{
		"true":  {"xla_cpu_enable_fast_math is at its default", false},
		"false": {"xla_cpu_enable_fast_math is false by default", true},
	})
	expect(t, probed(t, program, "XLA_FLAGS=--xla_cpu_enable_fast_math=true"), map[string][2]any{
		"true":  {"xla_cpu_enable_fast_math is true", true},
		"false": {"xla_cpu_enable_fast_math is true", false},
	})
}
