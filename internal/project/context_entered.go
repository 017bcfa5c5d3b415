package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// enters reports an expression of a with statement or a decorator that is a context of one of the names: called there, kept in
// a variable, a field or a partial, given by a function, or written as a generator around one.
func (p *Project) enters(e *Eval, m *Module, x pysrc.Expr, names []string, depth int) bool {
	callee := x
	if c, ok := x.(*pysrc.Call); ok {
		callee = c.Func
	}
	v := e.Of(m, callee)
	if v.Name != "" && contains(names, v.Name) {
		return true
	}
	if v.Func != nil && callee != x && depth < 3 && p.entersAroundYield(e, v.Func, names, depth) {
		return true
	}
	made := e.Of(m, x)
	return made.isContext(names)
}

// isContext reports an object of one of the names, or a choice between such objects and a context that does nothing.
func (v *Value) isContext(names []string) bool {
	chosen := false
	for i := range v.Either {
		switch one := &v.Either[i]; {
		case one.Name == "contextlib.nullcontext()" || one.Name == "contextlib.nullcontext" || one.Name == "contextlib.suppress()":
		case !one.isContext(names):
			return false
		default:
			chosen = true
		}
	}
	return chosen || v.Kind == Instance && v.Name != "" && contains(names, v.Name)
}

// entersAroundYield reports a context that the project writes as a generator, with one of the names around what it is for.
func (p *Project) entersAroundYield(e *Eval, fn *Function, names []string, depth int) bool {
	if fn.Def == nil || !fn.IsGenerator() || !slices.ContainsFunc(fn.Decorators(), func(d pysrc.Expr) bool {
		return e.Of(fn.Module, d).Name == "contextlib.contextmanager"
	}) {
		return false
	}
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if y, ok := n.(*pysrc.Yield); ok && !found {
			found = p.under(e, fn.Module, y.Start, names, depth+1)
		}
		return !found
	})
	return found
}
