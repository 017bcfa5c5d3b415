package patch

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
)

// Change is one file before and after.
type Change struct {
	Path string // as the edits name it
	Old  []byte
	New  []byte
}

// Changes applies patches to the files below dir, in memory. read gives a file's bytes; nil means the disk.
func Changes(dir string, patches []Patch, read func(path string) ([]byte, error)) ([]Change, error) {
	if read == nil {
		read = func(path string) ([]byte, error) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			return os.ReadFile(path)
		}
	}
	byFile := map[string][]Edit{}
	for _, p := range patches {
		for _, e := range p.Edits {
			byFile[e.Path] = append(byFile[e.Path], e)
		}
	}
	var changes []Change
	for _, path := range slices.Sorted(maps.Keys(byFile)) {
		old, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s to change it: %w", path, err)
		}
		fresh, err := Edits(old, byFile[path])
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(old, fresh) {
			changes = append(changes, Change{path, old, fresh})
		}
	}
	return changes, nil
}

// Diff is the changes as one unified diff that `git apply` and `patch -p1` take.
func Diff(changes []Change) []byte {
	sorted := slices.SortedFunc(slices.Values(changes), func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	var out bytes.Buffer
	for _, c := range sorted {
		name := filepath.ToSlash(c.Path)
		d := diff.Diff("a/"+name, c.Old, "b/"+name, c.New)
		// The first line repeats the two names; git writes it as "diff --git".
		if _, rest, ok := bytes.Cut(d, []byte("\n")); ok {
			fmt.Fprintf(&out, "diff --git a/%s b/%s\n", name, name)
			out.Write(rest)
		}
	}
	return out.Bytes()
}
