package cli

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestOptimizeKilledAtRandom kills `optimize` of a real program. No process of it is left, the project is not changed, and the
// same command goes on to a patch. TestKilledAtRandom of internal/optimize kills the protocol far more often, without programs.
func TestOptimizeKilledAtRandom(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if os.Getenv("SATURATE_ACCEPT") == "" || python == "" {
		t.Skip("it takes minutes and needs torch: `make accept` runs it")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "saturate")
	if out, err := exec.Command("go", "build", "-o", binary, "saturate/cmd/saturate").CombinedOutput(); err != nil {
		t.Skipf("cannot build the program: %v: %s", err, out)
	}
	archive, err := txtar.ParseFile("testdata/script/optimize.txtar")
	if err != nil {
		t.Fatal(err)
	}
	project, state := filepath.Join(dir, "job"), filepath.Join(dir, "state")
	for _, f := range archive.Files {
		if f.Name == "job/train.py" {
			if err := os.Mkdir(project, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(project, "train.py"), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	contents := func() map[string]string {
		all := map[string]string{}
		for _, pattern := range []string{"job/*", "job/.*", "*", ".*"} {
			names, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, name := range names {
				if data, err := os.ReadFile(name); err == nil && name != binary {
					all[name] = string(data)
				} else if name != state && name != binary {
					all[name] = "folder"
				}
			}
		}
		return all
	}
	begin := func(out *bytes.Buffer) *exec.Cmd {
		cmd := exec.Command(binary, "optimize", project, "--only", "SAT2", "--steps", "20", "--quick", "--pairs", "1", "--state", state, "--", python, "train.py")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+filepath.Join(dir, "job"), "XDG_STATE_HOME="+state, "XDG_CACHE_HOME="+state, "SATURATE_KILLED_HERE="+dir)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	before := contents()
	const kills = 6
	met := 0
	for range kills {
		var out bytes.Buffer
		cmd := begin(&out)
		time.Sleep(time.Duration(rand.Int64N(int64(12 * time.Second))))
		_ = cmd.Process.Kill() // the program alone, not its group: what it started has to notice
		if cmd.Wait() != nil && cmd.ProcessState.ExitCode() == -1 {
			met++
		}
		for tries := 0; ; tries++ {
			left := processesWith("SATURATE_KILLED_HERE=" + dir)
			if len(left) == 0 {
				break
			}
			if tries == 100 {
				t.Fatalf("still running 10 s after the kill: %q", left)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if after := contents(); !maps.Equal(before, after) {
			t.Fatalf("beside the state folder there was %v and is %v", before, after)
		}
	}
	if met == 0 {
		t.Error("no kill met it")
	}
	var out bytes.Buffer
	_ = begin(&out).Wait() // 3: one pair is inconclusive
	if _, err := os.Stat(filepath.Join(state, "optimize.patch")); err != nil {
		t.Errorf("it does not go on: %v\n%s", err, out.String())
	}
	if after := contents(); !maps.Equal(before, after) {
		t.Errorf("beside the state folder there was %v and is %v", before, after)
	}
	t.Logf("%d of %d kills met it", met, kills)
}

// processesWith are the command lines of programs with a variable in their environment.
func processesWith(variable string) (lines []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range all {
		environ, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(environ, []byte(variable)) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return lines
}
