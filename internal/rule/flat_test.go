package rule

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// TestInspectFlat: the line gives what the tree gives, also where a visit stops
// going deeper.
func TestInspectFlat(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.py")
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := &project.Module{File: pysrc.Parse(path, text)}
		p := &SourcePass{Module: m, shared: &moduleFacts{}}
		for _, stop := range []func(pysrc.Node) bool{
			func(pysrc.Node) bool { return false },
			func(n pysrc.Node) bool { _, ok := n.(*pysrc.Call); return ok },
			func(n pysrc.Node) bool { _, ok := n.(*pysrc.FunctionDef); return ok },
		} {
			var flat, tree []pysrc.Node
			p.Inspect(m.File.Module, func(n pysrc.Node) bool { flat = append(flat, n); return !stop(n) })
			pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool { tree = append(tree, n); return !stop(n) })
			if !slices.Equal(flat, tree) {
				t.Fatalf("%s: %d nodes in the line, %d in the tree", path, len(flat), len(tree))
			}
		}
	}
}
