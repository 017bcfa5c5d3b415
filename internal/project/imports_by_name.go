package project

import (
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// importsByName reports a call that imports the module of a name: import_module(name), and __import__(name), which gives
// the package of a dotted name that is written out.
func importsByName(function string, call *pysrc.Call) bool {
	if len(call.Args) != 1 {
		return false
	}
	text, _ := pysrc.StringValue(call.Args[0])
	return function == "importlib.import_module" || function == "__import__" && !strings.Contains(text, ".")
}

// importedByName tells what import_module(name) gives: a module of the project, or one of those in a folder where only
// the beginning of the name is known, as in import_module("models." + args.model).
func (e *Eval) importedByName(name pysrc.Expr, sc *Scope) Value {
	if text, ok := e.expr(name, sc).Str(); ok {
		at := e.p.importFrom(sc.Module, text, 0)
		return e.moduleValue(at, text)
	}
	folder, ok := strings.CutSuffix(beginningOf(name), ".")
	if !ok {
		return Value{}
	}
	at := e.p.importFrom(sc.Module, folder, 0)
	if at.folder == "" {
		return Value{}
	}
	var values []Value
	for _, m := range e.p.Modules {
		if file := slashed(m.Path); path.Dir(file) == at.folder && path.Base(file) != "__init__.py" && !m.Notebook {
			values = append(values, e.moduleValue(place{module: m}, m.Name).lessSure(Likely))
		}
	}
	return merge(values)
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

// beginningOf is the text that "models." + name or f"models.{name}" begins with.
func beginningOf(e pysrc.Expr) string {
	text := ""
	switch e := e.(type) {
	case *pysrc.BinOp:
		if e.Op == pysrc.Add {
			return beginningOf(e.Left)
		}
	case *pysrc.JoinedStr:
		if len(e.Values) > 0 {
			return beginningOf(e.Values[0])
		}
	default:
		text, _ = pysrc.StringValue(e)
	}
	return text
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
