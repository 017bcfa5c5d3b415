package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := Read(path, 1000); err != nil || len(data) != 1000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := Read(path, 999); !errors.Is(err, errTooLarge) {
		t.Errorf("a file over the limit: %v", err)
	}
	if _, err := Read(dir, 1000); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 1000); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Read("/dev/zero", 1000); !errors.Is(err, ErrNotRegular) && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a device: %v", err)
	}
	if data, err := ReadAll(iotest.OneByteReader(strings.NewReader("by the byte")), 11); err != nil || string(data) != "by the byte" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadAll(strings.NewReader("longer"), 5); !errors.Is(err, errTooLarge) {
		t.Errorf("a stream over the limit: %v", err)
	}
	gone := errors.New("input/output error")
	if _, err := ReadAll(iotest.TimeoutReader(iotest.ErrReader(gone)), 5); !errors.Is(err, gone) {
		t.Errorf("a disk that fails: %v", err)
	}
}
