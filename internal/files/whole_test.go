package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("no more")
	cases := []struct {
		name string
		fail error
		want string
	}{
		{"a writer that fails leaves the old file", refused, "old"},
		{"one that succeeds replaces it", nil, "new content"},
	}
	for _, c := range cases {
		size, err := Stream(path, func(w io.Writer) error {
			_, err := io.WriteString(w, "new content")
			return errors.Join(err, c.fail)
		})
		if !errors.Is(err, c.fail) || err == nil && size != int64(len(c.want)) {
			t.Errorf("%s: size %d, error %v", c.name, size, err)
		}
		if got, _ := os.ReadFile(path); string(got) != c.want {
			t.Errorf("%s: the file holds %q, want %q", c.name, got, c.want)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%d files are left, want 1", len(left))
	}
}

func TestNoFolder(t *testing.T) {
	if err := Write(filepath.Join(t.TempDir(), "none", "file"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
