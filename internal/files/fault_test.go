package files

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFaults: a disk that fails at any step leaves the old file, whole, and nothing beside it.
func TestFaults(t *testing.T) {
	for _, why := range []error{syscall.ENOSPC, syscall.EIO} {
		for _, at := range []string{"create", "write", "sync", "rename"} {
			path := filepath.Join(t.TempDir(), "file")
			if err := Write(path, []byte("old")); err != nil {
				t.Fatal(err)
			}
			Fault = func(op, _ string) error {
				if op == at {
					return why
				}
				return nil
			}
			err := Write(path, []byte("new content"))
			Fault = nil
			if !errors.Is(err, why) {
				t.Errorf("%s at %s: error %v", why, at, err)
			}
			if got, _ := os.ReadFile(path); string(got) != "old" {
				t.Errorf("%s at %s: the file holds %q", why, at, got)
			}
			if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
				t.Errorf("%s at %s: %d files are left", why, at, len(left))
			}
		}
	}
}
