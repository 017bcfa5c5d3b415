package project

import (
	"maps"
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// Programs get classes and functions by names that they compute, from the names of a module: models.__dict__[name],
// globals()[name], getattr(sys.modules[__name__], name), eval("models." + name).

// namespace is the module whose names an expression holds as a dict.
func (e *Eval) namespace(x pysrc.Expr, sc *Scope) (Value, bool) {
	of := Value{}
	switch x := x.(type) {
	case *pysrc.Attribute:
		if x.Attr == "__dict__" {
			of = e.expr(x.Value, sc)
		}
	case *pysrc.Call:
		switch name := pysrc.DottedName(x.Func); {
		case name == "vars" && len(x.Args) == 1:
			of = e.expr(x.Args[0], sc)
		case len(x.Args) == 0 && (name == "globals" || (name == "locals" || name == "vars") && functionOf(sc) == sc.Module.Main):
			of = e.ownModule(sc)
		}
	}
	return of, of.Kind == Package || len(of.Either) > 0 && of.Either[0].Kind == Package
}

// ownModule is the module of a scope as its code sees it.
func (e *Eval) ownModule(sc *Scope) Value {
	m := sc.Module
	at := place{module: m}
	if file := slashed(m.Path); path.Base(file) == "__init__.py" {
		at.folder = path.Dir(file)
	}
	return e.moduleValue(at, m.Name)
}

// loadedModule is what sys.modules holds under a name.
func (e *Eval) loadedModule(name pysrc.Expr, sc *Scope) Value {
	if n, ok := name.(*pysrc.Name); ok && n.ID == "__name__" {
		return e.ownModule(sc)
	}
	return e.importedByName(name, sc)
}

// memberNamed tells what a value has under a name that the program computes: one that an option sets by default, one of
// several, or any that fits.
func (e *Eval) memberNamed(of Value, by pysrc.Expr, sc *Scope) Value {
	attr, ok := pysrc.StringValue(by)
	var name Value
	if !ok {
		name = e.expr(by, sc)
		if attr, ok = name.Str(); !ok && len(name.Either) > 0 {
			if v := e.oneOfMembers(of, name.Either); v.Kind != Unknown || len(v.Either) > 0 {
				return v
			}
		}
	}
	if !ok {
		computed := e.nameIn(by, sc)
		if attr, ok = computed.whole(); !ok && of.Module == sc.Module && computed.unknown() {
			return e.anyClass(sc.Module, computed)
		} else if !ok {
			return e.anyMember(of, computed)
		}
	}
	if v := e.attribute(of, attr); v.Kind != Unknown && v.Kind != Missing {
		return v.chosenBy(name)
	}
	return Value{}
}

// namedIn tells what a loop over the names of a module gives, or over what they stand for.
func (e *Eval) namedIn(of Value, values bool, path trail) Value {
	if values && path == 0 || !values && path.first() == 1 && path.rest() == 0 {
		return e.anyMember(of, hole)
	}
	return Value{}
}

// oneOfMembers is what getattr gives for one of several names, such as those of a key in several settings files.
func (e *Eval) oneOfMembers(of Value, names []Value) Value {
	var values []Value
	for _, name := range names {
		attr, ok := name.Str()
		if !ok {
			return Value{}
		}
		v := e.attribute(of, attr)
		if v.Kind == Unknown && len(v.Either) == 0 || v.Kind == Missing {
			return Value{}
		}
		values = append(values, v.lessSure(name.Sure))
	}
	return merge(values)
}

// anyMember tells what getattr(module, name) may give where the name is not known: the classes and functions that a
// module of the project defines or, if it is a package, brings together. If settings name some of them, these are meant.
func (e *Eval) anyMember(of Value, name computedName) Value { return e.oneOf(members(of), name) }

// members are the names of the classes and functions that modules of the project define or, if they are packages, bring
// together.
func members(of Value) (list []*Binding) {
	for _, v := range append([]Value{of}, of.Either...) {
		if v.Kind != Package || v.Module == nil {
			continue
		}
		for _, b := range v.Module.Scope.all() {
			if b.Kind == ClassNamed || b.Kind == Defined {
				list = append(list, b)
			}
		}
		list = append(list, v.Module.brought()...)
	}
	return list
}

// oneOf is one of the classes and functions of the project to which names that fit are bound.
func (e *Eval) oneOf(list []*Binding, name computedName) Value {
	from, named := len(e.possible), false
	for _, b := range list {
		if !name.fits(b.Name) || named && !e.p.isSetting(b.Name) {
			continue
		}
		one := e.binding(b)
		if one.Class != nil && one.Kind == Type || one.Func != nil && one.Kind == Callable {
			if !named && e.p.isSetting(b.Name) {
				named = true
				e.possible = e.possible[:from]
			}
			e.mayBe(one.lessSure(Likely))
		}
	}
	return e.merged(from)
}

// isSetting reports a text that is a value in a settings file.
func (p *Project) isSetting(text string) bool {
	p.settingOnce.Do(func() {
		p.settingTexts = map[string]bool{}
		for _, f := range p.Settings {
			if f.Role != Test && f.Top != nil {
				f.Top.each(func(s *Setting) {
					if s.Scalar.Type == String {
						p.settingTexts[s.Scalar.Text] = true
					}
				})
			}
		}
	})
	return p.settingTexts[text]
}

// anyClass is one of the classes that a module defines or imports from others of the project.
func (e *Eval) anyClass(m *Module, name computedName) Value {
	var list []*Binding
	for _, b := range m.Scope.all() {
		if b.Kind == ClassNamed || b.Kind == Imported && b.from != nil && b.place.found() {
			list = append(list, b)
		}
	}
	if len(m.starred) > 0 {
		stars := m.byStar()
		for _, name := range slices.Sorted(maps.Keys(stars)) {
			list = append(list, stars[name])
		}
	}
	list = slices.DeleteFunc(list, func(b *Binding) bool { return e.binding(b).Kind != Type })
	return e.oneOf(list, name)
}

// brought are the names that a package imports from the modules of its folder.
func (m *Module) brought() (list []*Binding) {
	file := slashed(m.Path)
	if path.Base(file) != "__init__.py" {
		return nil
	}
	folder := path.Dir(file) + "/"
	own := func(other *Module) bool {
		return other != nil && other != m && strings.HasPrefix(slashed(other.Path), folder)
	}
	for _, b := range m.imported {
		if b.from != nil && own(b.place.module) {
			list = append(list, b)
		}
	}
	for _, at := range m.starred {
		if own(at.module) {
			for _, b := range at.module.Scope.all() {
				if b.Kind == ClassNamed || b.Kind == Defined {
					list = append(list, b)
				}
			}
		}
	}
	return list
}

// evaluated tells what eval gives for a text that is a dotted name, or a call of one.
func (e *Eval) evaluated(x pysrc.Expr, site *Site, sc *Scope) Value {
	name := e.nameIn(x, sc)
	called := false
	if last := len(name.texts) - 1; strings.HasSuffix(name.texts[last], ")") {
		before, _, found := strings.Cut(name.texts[0], "(")
		if !found && last > 0 {
			return Value{}
		}
		if found {
			name, called = computedName{texts: []string{before}}, true
		}
	}
	var v Value
	for i, part := range name.parts() {
		text, whole := part.whole()
		switch {
		case whole && !isPythonName(text):
			return Value{}
		case i == 0 && whole:
			v = e.name(text, sc, x.Bounds().Start)
		case i == 0:
			v = e.anyClass(sc.Module, part)
		case whole:
			v = e.attribute(v, text)
		default:
			v = e.anyPart(v, part)
		}
	}
	if called {
		return e.result(&v, &pysrc.Call{Span: x.Bounds()}, site, sc)
	}
	return v.lessSure(Likely)
}

// anyPart is one of the modules of a package or of the members of a module.
func (e *Eval) anyPart(of Value, name computedName) Value {
	from := len(e.possible)
	for _, v := range append([]Value{of}, of.Either...) {
		if v.folder() != "" {
			e.mayBe(merge(e.modulesNamed(v.folder(), name)))
		}
	}
	e.mayBe(e.anyMember(of, name))
	return e.merged(from)
}

// modulesNamed are the modules and packages of a folder that may have a computed name.
func (e *Eval) modulesNamed(folder string, name computedName) (list []Value) {
	for _, part := range e.p.folderParts()[folder] {
		if name.fits(part.base) {
			list = append(list, e.moduleValue(part.at, part.at.module.Name).lessSure(Likely))
		}
	}
	return list
}

// folderPart is a module or package of a folder.
type folderPart struct {
	at   place
	base string // its name there
}

// byFolder lists the modules and packages of each folder.
func (p *Project) byFolder() map[string][]folderPart {
	parts := map[string][]folderPart{}
	for _, m := range p.Modules {
		if m.Notebook {
			continue
		}
		file := slashed(m.Path)
		at, base := place{module: m}, strings.TrimSuffix(path.Base(file), ".py")
		if base == "__init__" {
			file = path.Dir(file)
			at.folder, base = file, path.Base(file)
		}
		parts[path.Dir(file)] = append(parts[path.Dir(file)], folderPart{at, base})
	}
	return parts
}

// isPythonName reports a text that may be a name.
func isPythonName(text string) bool {
	for i := range len(text) {
		if !inName(text[i]) {
			return false
		}
	}
	return text != "" && (text[0] < '0' || text[0] > '9')
}
