package rule

import (
	"slices"
	"strings"
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
var nearRoom = sync.Pool{New: func() any { return new(moduleSet) }}

// moduleSet holds modules by their number.
type moduleSet []uint64

// add reports whether a module was not in the set yet.
func (s moduleSet) add(m *project.Module) bool {
	word, bit := &s[m.Number>>6], uint64(1)<<(m.Number&63)
	was := *word&bit != 0
	*word |= bit
	return !was
}

func setFor(p *project.Project) moduleSet { return make(moduleSet, (len(p.Modules)+63)/64) }

func (p *SourcePass) nearModules() []*project.Module {
	room := nearRoom.Get().(*moduleSet)
	defer nearRoom.Put(room)
	if words := (len(p.Project.Modules) + 63) / 64; len(*room) != words {
		*room = setFor(p.Project)
	}
	seen := *room
	clear(seen)
	seen.add(p.Module)
	list := append(make([]*project.Module, 0, 16), p.Module)
	for _, m := range p.Module.UsedBy {
		if m.Role != project.Test && seen.add(m) {
			list = append(list, m)
		}
	}
	for _, m := range p.Module.ImportedBy { // a script that imports this module sets the scene for it
		if m.Role != project.Test && !strings.HasSuffix(m.Path, "__init__.py") && seen.add(m) {
			list = append(list, m)
		}
	}
	for from, depth := 0, 0; depth < 3; depth++ {
		to := len(list)
		for ; from < to; from++ {
			for _, used := range list[from].Uses {
				if seen.add(used) && !used.Ours() {
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
	if p.shared.nearSet == nil {
		p.shared.nearSet = setFor(p.Project)
		for _, m := range p.Near() {
			p.shared.nearSet.add(m)
		}
	}
	for _, w := range words {
		for i, said := range p.saying(w) {
			if said&p.shared.nearSet[i] != 0 {
				return true
			}
		}
	}
	return false
}

// saying are the modules of the project whose source contains a word.
func (p *SourcePass) saying(word string) moduleSet {
	if known, ok := p.shared.index.saying.Load(word); ok {
		return known.(moduleSet)
	}
	set := setFor(p.Project)
	for _, m := range p.Project.Modules {
		if m.Says(word) {
			set.add(m)
		}
	}
	p.shared.index.saying.Store(word, set)
	return set
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
