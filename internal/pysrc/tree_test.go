package pysrc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrees compares with trees that CPython 3.14.2 made of the same files:
//
//	python3.14 testdata/dump.py --full x.py > x.tree
//
// They hold the syntax of every version since 3.8, so that the newest is tested
// where no interpreter is new enough for it.
func TestTrees(t *testing.T) {
	paths, err := filepath.Glob("testdata/trees/*.py")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(path, ".py") + ".tree")
			if err != nil {
				t.Fatal(err)
			}
			f := Parse(path, src)
			for _, e := range f.Errors {
				t.Errorf("%s:%v", path, e)
			}
			if got := dump(f, 14); !bytes.Equal(got, want) {
				t.Error(firstDifference(got, want))
			}
		})
	}
}
