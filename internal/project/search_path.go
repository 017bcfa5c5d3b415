package project

import (
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// addedFolder finds the module that an import names in the folders that a module, or one beside it that it imports, puts on
// Python's search path: sys.path.append("core"), and import _init_paths.
func (p *Project) addedFolder(m *Module, dotted string) place {
	if at := p.inFolders(m.onPath, m, dotted); at.found() {
		return at
	}
	own := folderOf(slashed(m.Path))
	for _, b := range m.imported {
		alias := b.Node.(*pysrc.Alias)
		if b.from != nil || strings.Contains(alias.Name, ".") || !p.tops[alias.Name] {
			continue
		}
		if beside := p.names[below(own, alias.Name)]; beside != nil && len(beside.onPath) > 0 {
			if at := p.inFolders(beside.onPath, m, dotted); at.found() {
				return at
			}
		}
	}
	return place{}
}

// inFolders finds what an import of a module names below one of several folders.
func (p *Project) inFolders(folders []string, m *Module, dotted string) place {
	for _, folder := range folders {
		if at := p.inFolder(folder, dotted); at.module != nil && at.module != m {
			return at
		}
	}
	return place{}
}

// findOnAddedPath finds what import models leads to where the module, or one beside it that it imports, puts folders on the
// search path that the source does not spell out: the one folder or module of that name.
func (p *Project) findOnAddedPath(m *Module) {
	var last *Module // most names come from the same module as the one before
	adds := func(m *Module) bool {
		if m == nil || m == last {
			return false
		}
		last = m
		return m.Says("sys.path")
	}
	if !adds(m) && !slices.ContainsFunc(m.imported, func(b *Binding) bool { return adds(b.place.module) }) {
		return
	}
	for _, b := range m.imported {
		alias, ok := b.Node.(*pysrc.Alias)
		if !ok || b.from != nil || b.place.found() {
			continue
		}
		if at := p.onlyFolder(firstOf(alias.Name)); at.found() && (alias.Asname == "" || !strings.Contains(alias.Name, ".")) {
			b.place = at
		}
	}
}

// onlyFolder is the package or module of a name where the project has just one.
func (p *Project) onlyFolder(name string) place {
	if !p.tops[name] || wellKnown[name] || standard[name] {
		return place{}
	}
	only, found := place{}, 0
	for dir := range p.packages {
		if path.Base(dir) == name {
			only, found = place{module: p.packages[dir], folder: dir}, found+1
		}
	}
	for _, m := range p.ends[name] {
		only, found = place{module: m}, found+1
	}
	if found != 1 {
		return place{}
	}
	return only
}
