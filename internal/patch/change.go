package patch

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"saturate/internal/files"
)

// Change is one file before and after.
type Change struct {
	Path string // as the edits name it
	Old  []byte // nil when there is no such file yet
	New  []byte
}

// Changes applies patches to the files below dir, in memory. read gives a file's bytes; nil means the disk.
func Changes(dir string, patches []Patch, read func(path string) ([]byte, error)) ([]Change, error) {
	if read == nil {
		read = func(path string) ([]byte, error) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			return files.Read(path, files.MaxSource)
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
