package rule

import (
	"path/filepath"
	"strings"

	"saturate/internal/pysrc"
)

// moveToHelpers moves the functions and classes of programs that stand on their own into a module beside them, at the same lines;
// see split. It gives how many programs it changed, and the helpers by the programs' paths.
func (r *pyRepository) moveToHelpers() (int, map[string]string) {
	count, moved := 0, map[string]string{}
	r.added = map[string][]byte{}
	for _, f := range r.files {
		rel, err := filepath.Rel(r.root, f.module.Path)
		if err != nil || !f.module.MainGuard || len(f.module.ImportedBy) > 0 || looksForward(f.parsed) {
			continue
		}
		files, _ := split(f.parsed)
		if files == nil {
			continue
		}
		stem := strings.TrimSuffix(filepath.Base(rel), ".py")
		if strings.ContainsAny(stem, "-. ") {
			continue
		}
		part := stem + "_part_zz"
		f.whole = []byte(strings.Replace(files["case.py"], "from part_zz import ", "from "+part+" import ", 1))
		path := filepath.Join(filepath.Dir(rel), part+".py")
		r.added[path] = []byte(files["part_zz.py"])
		moved[rel] = path
		count++
	}
	return count, moved
}

// looksForward reports a program with from __future__ import, which must stand first, or one whose functions change variables of
// the module.
func looksForward(f *pysrc.File) bool {
	found := false
	pysrc.Inspect(f.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.ImportFrom:
			found = found || n.Module == "__future__" || n.Names[0].Name == "*"
		case *pysrc.Global:
			found = true
		}
		return !found
	})
	return found
}
