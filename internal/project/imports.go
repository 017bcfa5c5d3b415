package project

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"saturate/internal/pysrc"
)

// nameModules gives each module its dotted name and makes the table by which
// imports find it. A module's name starts at the nearest folder above it that
// is not a package.
func (p *Project) nameModules() {
	p.folderParts = sync.OnceValue(p.byFolder)
	p.settingsRead = sync.OnceValue(p.findRead)
	p.names = make(map[string]*Module, len(p.Modules))
	p.packages, p.ends = map[string]*Module{}, map[string][]*Module{}
	p.folders = map[string]bool{}
	p.tops = map[string]bool{}
	for _, m := range p.Modules {
		key := strings.TrimSuffix(slashed(m.Path), path.Ext(m.Path))
		p.names[key] = m
		p.ends[path.Base(key)] = append(p.ends[path.Base(key)], m)
		if path.Base(key) == "__init__" {
			p.packages[path.Dir(key)] = m
		}
		p.tops[path.Base(key)] = true
		for dir := path.Dir(key); !p.folders[dir]; dir = path.Dir(dir) {
			p.folders[dir] = true
			p.tops[path.Base(dir)] = true
		}
	}
	for _, m := range p.Modules {
		key := strings.TrimSuffix(slashed(m.Path), path.Ext(m.Path))
		name := path.Base(key)
		for dir := path.Dir(key); p.isPackage(dir); dir = path.Dir(dir) {
			name = path.Base(dir) + "." + name
		}
		m.Name = strings.TrimSuffix(name, ".__init__")
		for _, c := range m.Classes {
			c.full = m.Name + "." + c.Name
		}
	}
}

func slashed(p string) string {
	p = filepath.ToSlash(p)
	if p == "" || p[0] == '.' || p[len(p)-1] == '/' || strings.Contains(p, "/.") || strings.Contains(p, "//") {
		return path.Clean(p)
	}
	return p // as most are
}

// folderOf is path.Dir of a path that is clean already.
func folderOf(p string) string {
	switch i := strings.LastIndexByte(p, '/'); i {
	case -1:
		return "."
	case 0:
		return "/"
	default:
		return p[:i]
	}
}

// isPackage reports a folder with an __init__.py.
func (p *Project) isPackage(dir string) bool { return p.packages[dir] != nil }

// below joins two paths that are clean already.
func below(dir, name string) string {
	switch {
	case name == "":
		return dir
	case dir == ".":
		return name
	case strings.HasSuffix(dir, "/"):
		return dir + name
	}
	return dir + "/" + name
}

// place is what an import leads to: a module, a folder of modules, or neither.
type place struct {
	module *Module
	folder string
}

func (p place) found() bool { return p.module != nil || p.folder != "" }

// inFolder looks for a.b.c below a folder.
func (p *Project) inFolder(dir, dotted string) place {
	if dotted != "" && !p.tops[firstOf(dotted)] {
		return place{} // no file or folder has that name, so that no path need be made of it
	}
	key := below(dir, strings.ReplaceAll(dotted, ".", "/"))
	if m := p.names[key]; m != nil {
		return place{module: m}
	}
	if m := p.packages[key]; m != nil {
		return place{module: m, folder: key}
	}
	if p.folders[key] && dotted != "" {
		return place{folder: key}
	}
	return place{}
}

// importFrom finds the module that an import names, seen from a module: its own
// folder (as for a script), the folders above that are not packages, and src.
func (p *Project) importFrom(m *Module, dotted string, level int) place {
	dir := folderOf(slashed(m.Path))
	if level > 0 {
		for ; level > 1; level-- {
			dir = folderOf(dir)
		}
		if dotted == "" {
			return place{module: p.packages[dir], folder: dir}
		}
		return p.inFolder(dir, dotted)
	}
	first, _, _ := strings.Cut(dotted, ".")
	if !p.tops[first] {
		return place{} // nothing in the project has that name
	}
	if at := p.addedFolder(m, dotted); at.found() {
		return at
	}
	for own := true; ; own = false {
		// A module of a package does not see its neighbors without dots, but a script does, and all see what lies where
		// programs are started: in the project's folder, though it may hold an __init__.py.
		if !p.isPackage(dir) || own && m.MainGuard || dir == slashed(p.Root) {
			for _, root := range [...]string{dir, below(dir, "src")} {
				at := p.inFolder(root, dotted)
				if at.module == m && (wellKnown[first] || at.folder == "") || at.module == nil && wellKnown[first] {
					continue // a folder datasets beside a script does not hide the library datasets; a package imports parts of itself
				}
				if at.found() {
					return at
				}
			}
		}
		up := folderOf(dir)
		if up == dir || !p.folders[dir] {
			return place{}
		}
		dir = up
	}
}

// wellKnown are libraries whose name a project's folder sometimes has too.
var wellKnown = setOf("torch", "torchaudio", "torchvision", "transformers", "datasets", "tokenizers", "accelerate",
	"numpy", "librosa", "soundfile", "whisper", "TTS", "bark", "gtts", "jax", "flax", "optax", "wandb", "evaluate",
	"peft", "trl")

// Imports reports whether the module imports a library, by its first name.
func (m *Module) Imports(name string) bool { return m.imports[name] }

// findImports finds what each import of a module leads to.
func (p *Project) findImports(m *Module) {
	if m.digest != nil && !m.resolved {
		return
	}
	m.imports = map[string]bool{}
	var from *pysrc.ImportFrom // the last one, which may bind many names
	var at place
	for _, b := range m.imported {
		alias := b.Node.(*pysrc.Alias)
		switch {
		case b.from != nil:
			if b.from != from {
				from, at = b.from, p.importFrom(m, b.from.Module, b.from.Level)
				m.imports[firstOf(canonical(b.from.Module))] = true
			}
			b.place = at
			if b.from.Level == 0 && !p.binds(b.place, alias.Name) {
				if at := p.elsewhere(m, b.from.Module, alias.Name); at.found() {
					b.place = at
				}
			}
		case alias.Asname != "":
			b.place = p.importFrom(m, alias.Name, 0)
			m.imports[firstOf(canonical(alias.Name))] = true
		default: // import a.b binds a, and counts as the project's only if a.b is
			first := firstOf(alias.Name)
			if at := p.importFrom(m, first, 0); at.module != nil || p.importFrom(m, alias.Name, 0).found() {
				b.place = at
			}
			m.imports[firstOf(canonical(alias.Name))] = true
		}
	}
	p.findOnAddedPath(m)
	for _, from := range m.stars {
		at := p.importFrom(m, from.Module, from.Level)
		if !at.found() && from.Level == 0 && !standard[firstOf(from.Module)] {
			at = p.inFolder(folderOf(slashed(m.Path)), from.Module) // of its own package, as in Python 2
		}
		m.starred = append(m.starred, at)
		m.imports[firstOf(from.Module)] = true
	}
}

// joinImports lists for each module the modules that it imports from, and those that import it.
func (p *Project) joinImports() {
	for _, m := range p.Modules {
		seen := map[*Module]bool{m: true}
		add := func(at place) {
			if other := at.module; other != nil && !seen[other] {
				seen[other] = true
				m.ImportsFrom = append(m.ImportsFrom, other)
				other.ImportedBy = append(other.ImportedBy, m)
			}
		}
		for _, b := range m.imported {
			add(b.place)
			if b.from != nil && b.place.folder != "" {
				add(p.inFolder(b.place.folder, b.Node.(*pysrc.Alias).Name))
			}
		}
		for _, at := range m.starred {
			add(at)
		}
	}
}

func firstOf(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

// imported tells what an import binds.
func (e *Eval) imported(b *Binding) Value {
	alias := b.Node.(*pysrc.Alias)
	switch {
	case b.from != nil && b.place.found():
		return e.member(b.place, alias.Name)
	case b.from != nil && b.from.Level > 0:
		return Value{}
	case b.from != nil:
		return e.lib(b.from.Module + "." + alias.Name).value
	case alias.Asname != "":
		return e.moduleValue(b.place, alias.Name)
	}
	return e.moduleValue(b.place, firstOf(alias.Name))
}

func (e *Eval) moduleValue(at place, name string) Value {
	if !at.found() {
		return Value{Kind: Package, Name: canonical(name), Sure: Certain}
	}
	v := Value{Kind: Package, Name: name, Module: at.module, Sure: Certain, more: &more{folder: at.folder}}
	if at.module != nil {
		v.Name = at.module.Name
	}
	return v
}

// member tells what a module or folder of the project holds under a name.
func (e *Eval) member(at place, name string) Value {
	if at.module != nil {
		if b := at.module.Scope.last(name); b != nil && !b.bringsOwn(at, name) {
			v := e.exported(b)
			if v.Kind != Unknown || len(v.Either) > 0 || at.folder == "" {
				return v
			}
		}
	}
	if at.folder != "" {
		if sub := e.p.inFolder(at.folder, name); sub.found() {
			return e.moduleValue(sub, name)
		}
	}
	if at.module != nil {
		if v, ok := e.starred(name, at.module); ok {
			return v
		}
	}
	return Value{}
}

// bringsOwn reports a name of a package that is a module of its folder, which the package imports from itself: from . import
// models.
func (b *Binding) bringsOwn(at place, name string) bool {
	return b.Kind == Imported && b.from != nil && b.prior == nil && b.place.module == at.module && b.Node.(*pysrc.Alias).Name == name
}

// exported tells what a module's name stands for to those who import it: what
// is bound at its end, and of several possible bindings the first that is something.
func (e *Eval) exported(b *Binding) Value {
	from := len(e.possible)
	for ; b != nil; b = b.prior {
		if b.Kind == Augmented {
			continue
		}
		e.mayBe(e.held(e.binding(b), b, nil, 0))
		if b.Block == 0 {
			break
		}
	}
	slices.Reverse(e.possible[from:])
	return e.merged(from)
}

// starred looks a name up in what the module imports with a star.
func (e *Eval) starred(name string, m *Module) (Value, bool) {
	if len(m.starred) == 0 {
		return Value{}, false
	}
	b := m.byStar()[name]
	if b == nil {
		return Value{}, false
	}
	return e.exported(b), true
}

// byStar are the names of the modules that a module imports with a star, over any number of them.
// They are gathered once: a
// package may bring its thousand modules together so.
func (m *Module) byStar() map[string]*Binding {
	m.starsOnce.Do(func() {
		m.starNames = map[string]*Binding{}
		m.gatherStars(m.starNames, map[*Module]bool{m: true})
	})
	return m.starNames
}

func (m *Module) gatherStars(into map[string]*Binding, seen map[*Module]bool) {
	for _, at := range m.starred {
		if at.module == nil || seen[at.module] {
			continue
		}
		seen[at.module] = true
		for b := at.module.Scope.latest; b != nil; b = b.before { // the last of a name comes first
			if into[b.Name] == nil {
				into[b.Name] = b
			}
		}
		at.module.gatherStars(into, seen)
	}
}
