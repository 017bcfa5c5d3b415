package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLockFolder(t *testing.T) {
	dir := t.TempDir()
	unlock, err := LockFolder(dir, "this test")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockFolder(dir, "this test"); !errors.Is(err, ErrBusy) {
		t.Errorf("the folder was taken twice: %v", err)
	}
	unlock()
	unlock, err = LockFolder(dir, "this test")
	if err != nil {
		t.Fatalf("the folder is still taken: %v", err)
	}
	unlock()
	if _, err := LockFolder(dir+"/none", "this test"); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("error %v", err)
	}
}

// TestLockSweeps: what a killed process left is removed by the next one that has the folder, and nothing else is.
func TestLockSweeps(t *testing.T) {
	dir := t.TempDir()
	var stay []string
	for _, name := range []string{".mine.saturate-tmp", "a.saturate-tmp", ".git", "sub/.a.b.saturate-tmp", "sub/deep/x"} {
		stay = append(stay, filepath.Join(dir, filepath.FromSlash(name)))
	}
	gone := []string{Beside(filepath.Join(dir, "state.json")), Beside(filepath.Join(dir, "sub", ".gitignore"))}
	for _, path := range append(slices.Clone(stay), gone...) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := LockFolder(dir, "another")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for _, path := range gone {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range stay {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
