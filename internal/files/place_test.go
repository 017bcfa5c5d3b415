package files

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFull(t *testing.T) {
	for err, want := range map[error]bool{
		nil: false, os.ErrNotExist: false, syscall.ENOSPC: true,
		&os.PathError{Op: "write", Path: "x", Err: syscall.EDQUOT}: true,
		fmt.Errorf("cannot write: %w", syscall.ENOSPC):             true,
	} {
		if DiskFull(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}

func TestRoom(t *testing.T) {
	dir := t.TempDir()
	free, total, err := Space(dir)
	if err != nil || total == 0 || free > total || Room(dir) < 0 {
		t.Errorf("%d of %d bytes, %v", free, total, err)
	}
	if got := Room(filepath.Join(dir, "none")); got != -1 {
		t.Errorf("a folder that is not there has room for %d bytes", got)
	}
}

func TestInside(t *testing.T) {
	for _, c := range []struct {
		path, folder string
		want         bool
	}{{"/a/b", "/a", true}, {"/a", "/a", true}, {"/ab", "/a", false}, {"/", "/a", false}, {"/a/../b", "/a", false}} {
		if got := Inside(filepath.FromSlash(c.path), filepath.FromSlash(c.folder)); got != c.want {
			t.Errorf("%s in %s: %v", c.path, c.folder, got)
		}
	}
}
