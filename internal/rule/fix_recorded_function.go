package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// inFunction takes the function that each step calls. Its variables and its parameters are what a step brings; but for
// parameters that are objects, such as the model, which stay the same.
func (r *recorded) inFunction() bool {
	fn := r.p.Function(r.stmts[0]).Def
	if fn == nil || r.p.LoopAround(r.stmts[0]) != nil || !slices.Contains(fn.Body, r.stmts[0]) {
		return false
	}
	r.fn, r.sets = fn, r.setBy(fn.Body)
	for _, a := range fn.Args.All() {
		if !r.isObject(a.Name) {
			r.sets[a.Name] = true
		}
	}
	return true
}

// isObject reports a parameter that the step calls, or of which it reads a part: model(x), self.criterion, args.clip.
func (r *recorded) isObject(name string) bool {
	found := false
	is := func(e pysrc.Expr) bool { n, ok := e.(*pysrc.Name); return ok && n.ID == name }
	methods := map[pysrc.Expr]bool{}
	for _, s := range r.stmts {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Call:
				methods[n.Func] = true
				found = found || is(n.Func)
			case *pysrc.Attribute:
				found = found || is(n.Value) && (!methods[n] || r.p.Eval(n.Value).IsInstance("torch.nn.Module", "torch.optim.Optimizer"))
			}
			return !found
		})
	}
	return found
}

// unchanged reports a step function whose objects are set where they are made, and nowhere else. Who calls the function, and
// what happens between two calls, is not followed: what has the name of a part that the step reads counts as that part.
func (r *recorded) unchanged(objects []string) bool {
	parts := map[string]bool{}
	for _, o := range objects {
		for i, part := range strings.Split(o, ".") {
			parts[part] = parts[part] || i > 0
		}
	}
	return !slices.ContainsFunc(r.p.Near(), func(m *project.Module) bool { return r.p.In(m).changes(objects, parts) })
}

// changes reports a module that sets one of the parts outside of a constructor, calls a method that does, or declares one of
// the names global.
func (p *SourcePass) changes(names []string, parts map[string]bool) bool {
	found := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Attribute:
			found = found || n.Ctx != pysrc.Load && parts[n.Attr] && !p.constructs(n)
		case *pysrc.Subscript:
			base := dottedBase(n)
			found = found || n.Ctx != pysrc.Load && parts[lastPart(base)] && lastPart(base) != "param_groups"
		case *pysrc.Call:
			found = found || p.callsSetter(n, parts)
		case *pysrc.Global:
			found = found || slices.ContainsFunc(n.Names, func(name string) bool { return slices.Contains(names, name) })
		}
		return !found
	})
	return found
}

// constructs reports code of a constructor, or of a method that nothing but the constructor calls.
func (p *SourcePass) constructs(n Node) bool {
	fn, class := p.Function(n), p.Class(n)
	if fn.Def == nil || class == nil {
		return false
	}
	if fn.Def.Name == "__init__" || fn.Def.Name == "__post_init__" {
		return true
	}
	called, others := false, false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		if call, ok := n.(*pysrc.Call); ok && lastName(call.Func) == fn.Def.Name {
			by := p.Function(call).Def
			called, others = true, others || by == nil || by.Name != "__init__" || p.Class(call) != class
		}
		return !others
	})
	return called && !others
}

// callsSetter reports a method of the project that sets something in a part of this name.
func (p *SourcePass) callsSetter(call *pysrc.Call, parts map[string]bool) bool {
	f, ok := call.Func.(*pysrc.Attribute)
	if !ok || !parts[lastName(f.Value)] {
		return false
	}
	class := p.Eval(f.Value).Class
	if class == nil {
		return false
	}
	fn := class.Method(f.Attr)
	return fn != nil && fn.Def != nil && setsOwn(fn.Def, nil) && !p.constructs(call)
}
