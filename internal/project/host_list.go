package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// HostList reports an expression that is a list of Python or an array of NumPy in each case that the source shows: what
// a generator yields, what callers pass, what a function returns. Torch copies it where it indexes a tensor on the GPU.
func (e *Eval) HostList(m *Module, x pysrc.Expr) bool {
	v := e.Of(m, x)
	if len(v.Either) == 0 {
		return e.listsNumbers(&v)
	}
	return !slices.ContainsFunc(v.Either, func(w Value) bool { return !w.IsNone() && !e.listsNumbers(&w) })
}

// listsNumbers reports an array, and a list in which nothing is a tensor.
func (e *Eval) listsNumbers(v *Value) bool {
	if v.Kind == Instance {
		return strings.HasPrefix(v.Name, "numpy.") || v.Name == "range" || listMakers[v.Name] && v.Made != nil && !slices.ContainsFunc(v.Made.Node.Args, func(x pysrc.Expr) bool {
			return !e.mayBeNumber(x, v.Made.scope())
		})
	}
	if v.Kind != Display || v.scope == nil {
		return false
	}
	switch x := v.Expr.(type) {
	case *pysrc.List:
		if len(x.Elts) == 0 {
			added := e.appendedTo(v.scope.Module, x.Start)
			return len(added) > 0 && !slices.ContainsFunc(added, func(w Value) bool { return isTorch(&w) }) && !e.appendsTensor(v.scope, x)
		}
		return !slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return !e.mayBeNumber(part, v.scope) })
	case *pysrc.ListComp:
		return e.mayBeNumber(x.Elt, v.scope)
	}
	return false
}

// listMakers are functions of Python that give a list of what they are given.
var listMakers = setOf("list", "sorted()", "random.sample()", "random.choices()")

// mayBeNumber reports an element of a list that is neither a tensor, as far as the source shows, nor a slice.
func (e *Eval) mayBeNumber(x pysrc.Expr, sc *Scope) bool {
	if c, ok := x.(*pysrc.Call); ok && pysrc.DottedName(c.Func) == "slice" {
		return false
	}
	v := e.expr(x, sc)
	if _, text := v.Str(); text || isTorch(&v) {
		return false
	}
	return e.OnDevice(sc.Module, x) == 0
}

// appendsTensor reports an empty list to which a statement below appends a tensor of the device.
func (e *Eval) appendsTensor(sc *Scope, list *pysrc.List) bool {
	assign, ok := sc.Module.StatementAt(list.Start).(*pysrc.Assign)
	if !ok || len(assign.Targets) != 1 {
		return false
	}
	names, values := elements(assign.Targets[0]), elements(assign.Value)
	if len(names) == 0 || len(names) != len(values) {
		names, values = assign.Targets, []pysrc.Expr{assign.Value}
	}
	at := slices.Index(values, pysrc.Expr(list))
	if at < 0 {
		return false
	}
	name, ok := names[at].(*pysrc.Name)
	return ok && slices.ContainsFunc(sc.puts(name.ID), func(p put) bool { return e.OnDevice(sc.Module, p.value) > 0 })
}

// isTorch reports what torch has made.
func isTorch(v *Value) bool {
	return slices.ContainsFunc(append([]Value{*v}, v.Either...), func(w Value) bool {
		return w.Kind == Instance && strings.HasPrefix(w.Name, "torch.")
	})
}
