package verify

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/probe/probetest"
)

const onePatch = "--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-steps = 1\n+steps = 2\n"

// A patch works on a folder that is in no repository, too: sources are copied, large files linked.
func TestPatchWithoutRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	probetest.Write(t, dir, map[string]string{
		"train.py": "steps = 1\n", "one.patch": onePatch, "wrong.patch": strings.Replace(onePatch, "-steps = 1", "-steps = 7", 1),
		"data/large.bin": strings.Repeat("x", largestCopied+1), "__pycache__/old.pyc": "x", "lib/helper.py": "pass\n",
	})
	if err := os.Symlink("train.py", filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "runs", ".verify-1", "variants", "after")
	v, err := Prepare(context.Background(), dir, "one.patch", into, []string{"python", "train.py"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"train.py": "steps = 2\n", "link.py": "steps = 2\n", "lib/helper.py": "pass\n"} {
		if got, err := os.ReadFile(filepath.Join(v.Dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if target, err := os.Readlink(filepath.Join(v.Dir, "data/large.bin")); err != nil || target != filepath.Join(dir, "data/large.bin") {
		t.Errorf("the large file: %q, %v", target, err)
	}
	for _, name := range []string{"__pycache__", "runs"} {
		if _, err := os.Stat(filepath.Join(v.Dir, name)); err == nil {
			t.Errorf("%s is copied", name)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "train.py")); string(got) != "steps = 1\n" {
		t.Errorf("the user's own file is %q", got)
	}
	if _, err := Prepare(context.Background(), dir, "wrong.patch", into+"-2", nil); err == nil || !strings.Contains(err.Error(), "does not apply") {
		t.Errorf("a wrong patch: %v", err)
	}

	if err := v.unchanged(); err != nil {
		t.Error(err)
	}
	probetest.Write(t, v.Dir, map[string]string{"results/config.yaml": "written: by the program\n"})
	if err := v.unchanged(); err != nil {
		t.Errorf("a new file: %v", err)
	}
	probetest.Write(t, v.Dir, map[string]string{"lib/helper.py": "changed\n"})
	if err := v.unchanged(); err == nil || !strings.Contains(err.Error(), "helper.py changed during the experiment") {
		t.Errorf("a changed file: %v", err)
	}
}

func TestWithoutGit(t *testing.T) {
	dir := t.TempDir()
	probetest.Write(t, dir, map[string]string{"one.patch": onePatch, "a/train.py": "steps = 1\n"})
	t.Setenv("PATH", dir)
	for _, named := range []string{"main", "one.patch"} {
		if _, err := Prepare(context.Background(), dir, named, filepath.Join(dir, "into"), nil); !errors.Is(err, ErrNoGit) {
			t.Errorf("%s: %v", named, err)
		}
	}
	if v, err := Prepare(context.Background(), dir, "a", "", nil); err != nil || v.Kind != Folder || v.Dir != filepath.Join(dir, "a") {
		t.Errorf("a folder needs no git: %+v, %v", v, err)
	}
}
