package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Has reports whether a module can import a library: the project asks for it, imports it already, or a virtual
// environment of the project, or that of whoever asks, holds it. Nothing is run to find out.
func (p *Project) Has(m *Module, library string) bool {
	if p.Versions.Above(m.Path).Known(library) || slices.ContainsFunc(p.Modules, func(other *Module) bool {
		return other.program == m.program && other.Imports(library)
	}) {
		return true
	}
	return slices.ContainsFunc(p.environments, func(dir string) bool { return holds(dir, library) })
}

// holds reports a virtual or conda environment with a package.
func holds(environment, library string) bool {
	name := strings.ReplaceAll(library, "-", "_")
	for _, pattern := range []string{"lib/python*/site-packages", "Lib/site-packages"} {
		found, err := filepath.Glob(filepath.Join(globEscape(environment), filepath.FromSlash(pattern), name, "__init__.py"))
		if err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// globEscape makes a path match itself alone.
func globEscape(path string) string {
	if os.PathSeparator == '\\' {
		return path
	}
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
