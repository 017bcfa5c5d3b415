package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// makersOf are the calls that a value is made with: those in what the variables that it mentions are assigned, filled and looped with,
// in its function and, for a parameter, in the callers.
func (p *SourcePass) makersOf(value pysrc.Expr, fn *project.Function) []Call {
	return p.makers(value, fn, 2)
}

func (p *SourcePass) makers(value pysrc.Expr, fn *project.Function, callers int) []Call {
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	wanted := map[string]bool{}
	values := []pysrc.Node{value}
	wantNames(value, wanted)
	for grown := true; grown; {
		grown = false
		pysrc.Inspect(body, func(n pysrc.Node) bool {
			if n != body && startsScope(n) {
				return false
			}
			targets, from := assigned(n)
			if from != nil && !slices.Contains(values, from) && stores(targets, wanted) {
				values, grown = append(values, from), true
				wantNames(from, wanted)
			}
			return true
		})
	}
	var list []Call
	for _, s := range fn.Sites {
		if slices.ContainsFunc(values, func(v pysrc.Node) bool { return v.Bounds().Contains(int(s.Node.Start)) }) {
			list = append(list, Call{s, p})
		}
	}
	if params := fn.Params(); params != nil && callers > 0 {
		for _, a := range params.All() {
			if !wanted[a.Name] || a.Name == "self" {
				continue
			}
			for _, caller := range p.Project.Callers(fn) {
				if given := caller.Given(fn, a.Name); given != nil {
					list = append(list, p.In(caller.Module()).makers(given, caller.Func, callers-1)...)
				}
			}
		}
	}
	return list
}

// wantNames adds the variables that an expression reads.
func wantNames(e pysrc.Node, names map[string]bool) {
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Load && name.ID != "self" {
			names[name.ID] = true
		}
		return true
	})
}

// startsScope reports a function or class that is written inside of another one.
func startsScope(n pysrc.Node) bool {
	switch n.(type) {
	case *pysrc.FunctionDef, *pysrc.ClassDef, *pysrc.Lambda:
		return true
	}
	return false
}
