package files

import (
	"errors"
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
