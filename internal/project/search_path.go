package project

import (
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// addedFolder finds the module that an import names in the folders that a module puts on Python's search path with a text:
// sys.path.append("core"), sys.path.insert(0, "../lib"). The text is relative to where the program is started: in the
// project's folder, or beside the module.
func (p *Project) addedFolder(m *Module, dotted string) place {
	if len(m.Sites) == 0 || !m.Says("sys.path") {
		return place{}
	}
	own := path.Dir(slashed(m.Path))
	for _, s := range m.Sites {
		name := pysrc.DottedName(s.Node.Func)
		if name != "sys.path.append" && name != "sys.path.insert" || len(s.Node.Args) == 0 {
			continue
		}
		text, ok := pysrc.StringValue(s.Node.Args[len(s.Node.Args)-1])
		if !ok || text == "" || path.IsAbs(text) {
			continue
		}
		for _, root := range [...]string{own, "."} {
			if at := p.inFolder(path.Join(root, text), dotted); at.module != nil && at.module != m {
				return at
			}
		}
	}
	return place{}
}

// findOnAddedPath finds what import models leads to where the module, or one beside it that it imports, puts folders on the
// search path that the source does not spell out: the one folder or module of that name.
func (p *Project) findOnAddedPath(m *Module) {
	adds := func(m *Module) bool { return m != nil && m.Says("sys.path") }
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
