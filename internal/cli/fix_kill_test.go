package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFixKilledAtRandom kills `fix --apply` over 20 files at random moments, 200 times. The next command, whatever it
// is, leaves all of the files repaired or none of them; and --undo gives every byte back.
func TestFixKilledAtRandom(t *testing.T) {
	if os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("it takes two minutes: `make accept` runs it; TestKilledAnywhere of internal/patch stops at every point in turn")
	}
	const kills = 200
	dir := t.TempDir()
	binary := filepath.Join(dir, "saturate")
	if out, err := exec.Command("go", "build", "-o", binary, "saturate/cmd/saturate").CombinedOutput(); err != nil {
		t.Skipf("cannot build the program: %v: %s", err, out)
	}
	project := filepath.Join(dir, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	old := map[string][]byte{}
	for i := range 20 {
		name := fmt.Sprintf("train%02d.py", i)
		old[name] = fmt.Appendf(nil, `import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(4, %d).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(open("data%d"), batch_size=8)
for x, y in loader:
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
`, i+1, i)
		if err := os.WriteFile(filepath.Join(project, name), old[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command(binary, args...)
		cmd.Dir, cmd.Env = project, append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		var both bytes.Buffer
		cmd.Stdout, cmd.Stderr = &both, &both
		err := cmd.Run()
		return both.String(), err
	}
	// state says whether all files are old, or all repaired.
	state := func() string {
		repaired := 0
		for name, text := range old {
			now, err := os.ReadFile(filepath.Join(project, name))
			switch {
			case err != nil:
				t.Fatal(err)
			case bytes.Equal(now, text):
			case bytes.Equal(now, bytes.Replace(text, []byte("batch_size=8)"), []byte("batch_size=8, pin_memory=True)"), 1)):
				repaired++
			default:
				t.Fatalf("%s is neither old nor repaired:\n%s", name, now)
			}
		}
		switch repaired {
		case 0:
			return "old"
		case len(old):
			return "repaired"
		}
		t.Fatalf("%d of %d files are repaired", repaired, len(old))
		return ""
	}

	began := time.Now()
	if out, err := run("fix", "--apply"); err != nil || state() != "repaired" {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(began)
	if out, err := run("fix", "--undo"); err != nil || state() != "old" {
		t.Fatalf("%v: %s", err, out)
	}
	ends := map[string]int{}
	for range kills {
		cmd := exec.Command(binary, "fix", "--apply")
		cmd.Dir, cmd.Env = project, append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(whole + whole/10))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		said, err := run("rule", "SAT203") // any command
		if err != nil {
			t.Fatalf("the next command: %v: %s", err, said)
		}
		after := state()
		if left, _ := filepath.Glob(filepath.Join(project, ".*")); len(left) > 0 {
			t.Fatalf("left lying: %v", left)
		}
		if strings.Contains(said, "was interrupted") {
			ends[after+" after an interruption"]++
		} else {
			ends[after]++
		}
		if after == "repaired" {
			if out, err := run("fix", "--undo"); err != nil || state() != "old" {
				t.Fatalf("undo: %v: %s", err, out)
			}
		}
	}
	t.Logf("%d kills within %v: %v", kills, whole, ends)
	if ends["repaired after an interruption"] == 0 {
		t.Error("no kill met the program between the first and the last file")
	}
}
