package offline

import (
	"path"
	"path/filepath"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// importRoot is the folder from which a module is imported, so that a module beside the first part of its name
// can be imported too: the folder of train.py for data/speech.py that train.py knows as data.speech.
func importRoot(m *project.Module) string { return rootOf(m, map[*project.Module]bool{}) }

func rootOf(m *project.Module, seen map[*project.Module]bool) string {
	seen[m] = true
	whole := strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(m.Path), ".py"), "/__init__")
	for _, user := range m.ImportedBy {
		root, found := "", false
		pysrc.Inspect(user.File.Module, func(n pysrc.Node) bool {
			var names []string
			switch n := n.(type) {
			case *pysrc.Import:
				for _, a := range n.Names {
					names = append(names, a.Name)
				}
			case *pysrc.ImportFrom:
				if n.Level > 0 {
					break
				}
				names = append(names, n.Module)
				for _, a := range n.Names {
					names = append(names, n.Module+"."+a.Name)
				}
			}
			for _, name := range names {
				tail := strings.ReplaceAll(name, ".", "/")
				if whole == tail {
					root, found = ".", true
				} else if rest, ok := strings.CutSuffix(whole, "/"+tail); ok {
					root, found = rest, true
				}
			}
			return !found
		})
		if found {
			return root
		}
	}
	for _, user := range m.ImportedBy { // by dots: as the one who does so
		if !seen[user] {
			if root := rootOf(user, seen); root != "" {
				return root
			}
		}
	}
	root := path.Dir(filepath.ToSlash(m.Path))
	for range strings.Count(m.Name, ".") {
		root = path.Dir(root)
	}
	return root
}

// relative is a path as seen from a folder.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(to))
	if err != nil {
		return filepath.ToSlash(to)
	}
	return filepath.ToSlash(rel)
}
