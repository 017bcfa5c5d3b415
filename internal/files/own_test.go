package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenOwn: what somebody has put under a name that saturate uses is not written through.
func TestOpenOwn(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	plants := map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink(victim, path) },
		"dangling":  func(path string) error { return os.Symlink(filepath.Join(dir, "none"), path) },
		"hard link": func(path string) error { return os.Link(victim, path) },
		"folder":    func(path string) error { return os.Mkdir(path, 0o755) },
	}
	for name, plant := range plants {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", ""))
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
		if f, err := OpenOwn(path, Shared); !errors.Is(err, errForeign) {
			t.Errorf("%s: opened %v, error %v", name, f, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "none")); err == nil {
		t.Error("a file was made where a link leads to nothing")
	}
	own := filepath.Join(dir, "own")
	for range 2 { // new, then again
		f, err := OpenOwn(own, Private)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if err := OwnFolder(filepath.Join(dir, "new", "folder"), 0o700); err != nil {
		t.Error(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "round")); err != nil {
		t.Fatal(err)
	}
	if err := OwnFolder(filepath.Join(dir, "round"), 0o700); !errors.Is(err, errForeign) {
		t.Errorf("a folder that is a link: %v", err)
	}
}
