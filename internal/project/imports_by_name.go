package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// importsByName reports a call that imports the module of a name: import_module(name), and __import__(name), which gives
// the package of a dotted name that is written out.
func importsByName(function string, call *pysrc.Call) bool {
	if function == "importlib.import_module" {
		return len(call.Args) > 0
	}
	if len(call.Args) != 1 {
		return false
	}
	text, _ := pysrc.StringValue(call.Args[0])
	return function == "__import__" && !strings.Contains(text, ".")
}

// importedByName tells what import_module(name) gives: a module of the project, or one of those in a folder whose names
// fit where not all of the name is known, as in import_module("models." + args.model).
func (e *Eval) importedByName(x pysrc.Expr, sc *Scope) Value { return merge(e.modulesByName(x, sc)) }

// modulesByName are all that import_module(name) may give.
func (e *Eval) modulesByName(x pysrc.Expr, sc *Scope) []Value {
	name := e.nameIn(x, sc)
	level := len(name.texts[0]) - len(strings.TrimLeft(name.texts[0], ".")) // import_module("." + name, __package__)
	name.texts = append([]string{name.texts[0][level:]}, name.texts[1:]...)
	if text, ok := name.whole(); ok {
		at := e.p.importFrom(sc.Module, text, level)
		return []Value{e.moduleValue(at, text)}
	}
	folder, last := "", name
	if level == 0 || strings.Contains(name.texts[0], ".") {
		var ok bool
		if folder, last, ok = name.cutLast(); !ok {
			return e.modulesFitting(name)
		}
	}
	at := e.p.importFrom(sc.Module, folder, level)
	if at.folder == "" {
		return nil
	}
	return e.modulesNamed(at.folder, last)
}

// mostFitting is how many modules a name may mean of which more than the last part is unknown.
const mostFitting = 40

// modulesFitting are the modules of the project whose whole names fit one of which the package alone is known:
// import_module(f"nets.{args.kind}.{args.name}").
func (e *Eval) modulesFitting(name computedName) (list []Value) {
	if !strings.Contains(name.texts[0], ".") {
		return nil
	}
	depth := len(name.parts())
	for _, m := range e.p.Modules {
		if m.Role != Test && !m.Notebook && strings.Count(m.Name, ".") == depth-1 && name.fits(m.Name) {
			list = append(list, e.moduleValue(place{module: m}, m.Name).lessSure(Likely))
		}
	}
	if len(list) > mostFitting {
		return nil
	}
	return list
}

// namesMembers are functions that give the class or function which a dotted name means.
var namesMembers = setOf("pydoc.locate", "hydra.utils.get_class", "hydra.utils.get_method", "hydra.utils.get_object")

// located tells what a dotted name means: a class of the project, or a member of a library.
func (e *Eval) located(name pysrc.Expr, sc *Scope) Value {
	text, ok := e.expr(name, sc).Str()
	if !ok || !strings.Contains(text, ".") {
		return Value{}
	}
	if c := e.p.classNamed(text); c != nil {
		return Value{Kind: Type, Class: c, Name: c.FullName(), Sure: Certain}
	}
	return e.lib(Canonical(text)).value
}

// joinByName adds to what a module imports the modules that it gets by their names, or by the names of their classes.
func (p *Project) joinByName(e *Eval, m *Module) {
	for _, s := range m.Sites {
		var v Value
		switch {
		case importsByName(s.Calls.Name, s.Node):
			v = e.importedByName(s.Node.Args[0], s.scope())
		case s.Calls.Func != nil && s.Calls.Func.looksUp:
			v = e.Of(m, s.Node)
		default:
			continue
		}
		for _, one := range append(v.Either, v) {
			m.joins(one.Module)
			if one.Class != nil {
				m.joins(one.Class.Module)
			}
		}
	}
}

// joins adds a module to those that this one imports from.
func (m *Module) joins(other *Module) {
	if other != nil && other != m && !slices.Contains(m.ImportsFrom, other) {
		m.ImportsFrom = append(m.ImportsFrom, other)
		other.ImportedBy = append(other.ImportedBy, m)
	}
}
