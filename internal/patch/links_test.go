package patch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"saturate/internal/files"
)

func keepSecret(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func isSecret(t *testing.T, path string) {
	t.Helper()
	if got, _ := os.ReadFile(path); string(got) != "precious" {
		t.Errorf("a file outside of the project holds %q", got)
	}
}

// TestPlantedTemporary: a project brings a link under a name that a temporary file might have.
func TestPlantedTemporary(t *testing.T) {
	root, changes := project(t)
	secret := keepSecret(t)
	if err := os.Symlink(secret, filepath.Join(root, ".a.py.saturate-tmp")); err != nil {
		t.Fatal(err)
	}
	j := &Journal{Dir: t.TempDir()}
	if err := j.Apply(root, "fix", changes); err != nil {
		t.Fatal(err)
	}
	isSecret(t, secret)
	for range 100 {
		if a, b := files.Beside("a.py"), files.Beside("a.py"); a == b {
			t.Fatalf("a temporary name came twice: %s", a)
		}
	}
}

// TestLinkOutOfProject: a file of the project is a link to one elsewhere.
func TestLinkOutOfProject(t *testing.T) {
	root, changes := project(t)
	secret := keepSecret(t)
	folder := filepath.Join(root, "away")
	if err := errors.Join(os.Symlink(secret, filepath.Join(root, "d.py")), os.Symlink(filepath.Dir(secret), folder)); err != nil {
		t.Fatal(err)
	}
	j := &Journal{Dir: t.TempDir()}
	for _, path := range []string{"d.py", "away/secret", filepath.Join(root, "away", "secret")} {
		err := j.Apply(root, "fix", append(changes[:1:1], Change{path, []byte("precious"), []byte("stolen")}))
		if err == nil || !strings.Contains(err.Error(), "is a link out of") {
			t.Errorf("%s: error %v", path, err)
		}
	}
	isSecret(t, secret)
	is(t, root, changes, old)
}

// TestDiskFails: whatever step of writing fails, all files are as they were before.
func TestDiskFails(t *testing.T) {
	for _, at := range []string{"create", "write", "sync", "rename"} {
		for nth := range 10 {
			root, changes := project(t)
			j := &Journal{Dir: t.TempDir()}
			n, failed := 0, false
			files.Fault = func(op, _ string) error {
				if op != at {
					return nil
				}
				if n++; n-1 == nth {
					failed = true
					return syscall.ENOSPC
				}
				return nil
			}
			err := j.Apply(root, "fix", changes)
			files.Fault = nil
			if !failed {
				break
			}
			if err == nil {
				t.Errorf("%s %d: no error", at, nth)
				continue
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s %d: error %v", at, nth, err)
			}
			if _, err := j.Recover(); err != nil {
				t.Errorf("%s %d: %v", at, nth, err)
			}
			side := old
			if got, _ := os.ReadFile(filepath.Join(root, "a.py")); string(got) == "a = 2\n" {
				side = fresh // the last step, the mark, failed: Recover finishes what is swapped
			}
			is(t, root, changes, side)
		}
	}
}
