package rule

import (
	"path"
	"slices"
	"sync"

	"saturate/internal/project"
)

// Near returns the modules that affect this one: itself, the modules it imports and calls within a few files, and the
// modules that use it. Files that saturate wrote do not count.
func (p *SourcePass) Near() []*project.Module {
	if p.shared.near == nil {
		p.shared.near = p.nearModules()
	}
	return p.shared.near
}

// nearRoom holds sets of modules that are used again.
var nearRoom = sync.Pool{New: func() any { return map[*project.Module]bool{} }}

func (p *SourcePass) nearModules() []*project.Module {
	seen := nearRoom.Get().(map[*project.Module]bool)
	defer nearRoom.Put(seen)
	clear(seen)
	seen[p.Module] = true
	list := []*project.Module{p.Module}
	for _, m := range p.Module.UsedBy {
		if !seen[m] && m.Role != project.Test {
			seen[m] = true
			list = append(list, m)
		}
	}
	for _, m := range p.Module.ImportedBy { // a script that imports this module sets the scene for it
		if !seen[m] && m.Role != project.Test && path.Base(m.Path) != "__init__.py" {
			seen[m] = true
			list = append(list, m)
		}
	}
	for from, depth := 0, 0; depth < 3; depth++ {
		to := len(list)
		for ; from < to; from++ {
			for _, used := range list[from].Uses {
				if !seen[used] && !used.Ours() {
					seen[used] = true
					list = append(list, used)
				}
			}
		}
	}
	return list
}

// NearSays reports whether the source of a module near this one contains one of the words, in code or comments: a quick
// check that the project considers a subject.
func (p *SourcePass) NearSays(words ...string) bool {
	for _, m := range p.Near() {
		for _, w := range words {
			if m.Says(w) {
				return true
			}
		}
	}
	return false
}

// nearCalls reports whether a module near this one calls one of the canonical names; a name may end in .*.
func (p *SourcePass) nearCalls(names ...string) bool {
	for _, m := range p.Near() {
		if m.Role != project.Test && len(p.In(m).CallsTo(names...)) > 0 {
			return true
		}
	}
	return false
}

// nearImports reports whether a module near this one imports a library, by its first name.
func (p *SourcePass) nearImports(library string) bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool { return m.Imports(library) })
}
