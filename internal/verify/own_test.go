package verify

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"saturate/internal/probe/probetest"
	"saturate/internal/run"
)

func TestOwn(t *testing.T) {
	top := t.TempDir()
	probetest.Write(t, top, map[string]string{
		".optimize-1f2e3d4c/x": "", ".verify-1f2e3d4c/x": "", ".tune-1f2e3d4c/x": "",
		"work/state.json": `{"key": "0123456789abcdef"}`, "work/lock": "",
		"run/run.json":     `{"schema": "` + run.Schema + `"}`,
		"data/state.json":  `{"_data_files": []}`,
		"other/state.json": `{"key": "0123456789abcdef"}`, // nobody has worked in it
		"log/run.json":     `{"schema": "another"}`,
		"broken/run.json":  `{`,
	})
	for name, want := range map[string]bool{
		".optimize-1f2e3d4c": true, ".verify-1f2e3d4c": true, ".tune-1f2e3d4c": true, "work": true, "run": true,
		"data": false, "other": false, "log": false, "broken": false, "none": false,
	} {
		if got := Own(filepath.Join(top, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A patched copy of the tree holds none of saturate's folders, and not the other variant.
func TestPatchWithRunsInTheTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, inGit := range []bool{true, false} {
		top := t.TempDir()
		probetest.Write(t, top, map[string]string{
			"train.py": "x = 1\n", "runs/exp/last.pt": "a checkpoint", "out/.optimize-1f2e3d4c/trees/base/train.py": "x = 1\n",
			"out/.verify-1f2e3d4c/variants/before/train.py": "x = 1\n",
			"fix.patch": "--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
		})
		if inGit {
			if said, err := exec.Command("git", "-C", top, "init", "-q").CombinedOutput(); err != nil {
				t.Fatal(err, string(said))
			}
		}
		into := filepath.Join(top, "out/.verify-1f2e3d4c/variants/after")
		if _, err := Prepare(t.Context(), top, "fix.patch", into, []string{"python", "train.py"}); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(into, "train.py")); string(text) != "x = 2\n" {
			t.Errorf("in git %v: %q %v", inGit, text, err)
		}
		for _, name := range []string{"out/.optimize-1f2e3d4c", "out/.verify-1f2e3d4c"} {
			if _, err := os.Lstat(filepath.Join(into, name)); err == nil {
				t.Errorf("in git %v: the copy holds %s", inGit, name)
			}
		}
	}
}

func TestTooFew(t *testing.T) {
	for pairs, want := range map[int]bool{1: true, 5: true, 6: false, 50: false} {
		if got := TooFew(pairs) != ""; got != want {
			t.Errorf("%d pairs: %v", pairs, got)
		}
	}
}
