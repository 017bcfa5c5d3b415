package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// freezing is a place that turns the gradients of a model's weights off, and the model, nil where that is not seen.
type freezing struct {
	in *SourcePass
	of pysrc.Expr
}

// mayFreeze reports a call of a model whose weights may have their gradients turned off somewhere near: by hand, or by a function
// made for it. What is known to freeze another model does not count.
func (p *SourcePass) mayFreeze(c *pysrc.Call) bool {
	return slices.ContainsFunc(p.freezings(), func(f freezing) bool { return f.in.concerns(f.of, p, c, 0) })
}

// freezings are the places near this module that turn gradients of weights off.
func (p *SourcePass) freezings() (list []freezing) {
	if p.shared.freezes != nil {
		return *p.shared.freezes
	}
	for _, m := range p.Near() {
		in := p.In(m)
		for _, a := range m.Assignments {
			if t, ok := a.Target.(*pysrc.Attribute); ok && t.Attr == "requires_grad" && !pysrc.IsConst(a.Value, pysrc.True) {
				list = append(list, in.freezingOf(t.Value)...)
			}
		}
		for _, s := range m.Sites {
			list = append(list, in.freezingBy(s)...)
		}
	}
	p.shared.freezes = &list
	return list
}

// freezingBy is what a call freezes: net.requires_grad_(False), net.freeze(), set_requires_grad([net, other], False), freeze(net).
func (p *SourcePass) freezingBy(s *project.Site) (list []freezing) {
	name := strings.ToLower(lastName(s.Node.Func))
	if !strings.Contains(name, "freeze") && !strings.Contains(name, "requires_grad") || strings.Contains(name, "unfreeze") ||
		slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool { return pysrc.IsConst(e, pysrc.True) }) {
		return nil
	}
	if f, ok := s.Node.Func.(*pysrc.Attribute); ok && (name == "requires_grad_" || len(s.Node.Args) == 0) {
		return p.freezingOf(f.Value)
	}
	first := firstArg(s.Node)
	switch x := first.(type) {
	case nil:
		return []freezing{{p, nil}}
	case *pysrc.List:
		for _, e := range x.Elts {
			list = append(list, p.freezingOf(e)...)
		}
		return list
	}
	return p.freezingOf(first)
}

// freezingOf is the model whose weight, or part, an expression stands for: the net of p in for p in net.parameters().
func (p *SourcePass) freezingOf(e pysrc.Expr) []freezing {
	name, ok := e.(*pysrc.Name)
	if !ok || name.ID == "self" {
		return []freezing{{p, e}}
	}
	for loop := p.LoopAround(e); loop != nil; loop = p.LoopAround(loop) {
		f, ok := loop.(*pysrc.For)
		if !ok || !storesName(f.Target, name.ID) {
			continue
		}
		var list []freezing
		pysrc.Inspect(f.Iter, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Attribute); ok && (a.Attr == "parameters" || a.Attr == "named_parameters" || a.Attr == "children" || a.Attr == "modules") {
				list = append(list, p.freezingOf(a.Value)...)
				return false
			}
			return true
		})
		switch x := f.Iter.(type) {
		case *pysrc.List:
			for _, e := range x.Elts {
				list = append(list, p.freezingOf(e)...)
			}
		case *pysrc.Tuple:
			for _, e := range x.Elts {
				list = append(list, p.freezingOf(e)...)
			}
		}
		if len(list) == 0 {
			return []freezing{{p, nil}}
		}
		return list
	}
	return []freezing{{p, e}}
}

// mostFreezesDeep is how many calls away a model may be frozen by a function that is given it.
const mostFreezesDeep = 3

// concerns reports whether what is frozen here may be the model that a call of another module runs.
func (p *SourcePass) concerns(frozen pysrc.Expr, in *SourcePass, c *pysrc.Call, depth int) bool {
	name, fn := pysrc.DottedName(frozen), p.functionOf(frozen)
	if frozen == nil || name == "" || fn == nil {
		return true
	}
	model := in.Module.SiteAt(c)
	if model == nil || lastName(frozen) == lastName(c.Func) {
		return true
	}
	if own := fn.Class; own != nil && (name == "self" || strings.HasPrefix(name, "self.")) {
		mine := in.Function(c).Class
		if mine != nil && (related(own, mine) || sharesHeir(own, mine)) && name != "self" {
			return sameField(name, pysrc.DottedName(c.Func))
		}
		if len(model.Possible()) == 0 {
			return true
		}
		return slices.ContainsFunc(model.Possible(), func(v Value) bool {
			k := v.Class
			if k == nil && v.Func != nil {
				k = v.Func.Class
			}
			return k == nil && v.Made == nil || k != nil && related(k, own)
		})
	}
	if fn.HasParameter(rootName(frozen)) {
		callers := p.Project.Callers(fn)
		return depth > mostFreezesDeep || len(callers) > mostCallersOfFreeze || slices.ContainsFunc(callers, func(s *project.Site) bool {
			given := s.Given(fn, rootName(frozen))
			if given == nil {
				return true
			}
			return slices.ContainsFunc(p.In(s.Module()).freezingOf(given), func(f freezing) bool { return f.in.concerns(f.of, in, c, depth+1) })
		})
	}
	v := p.Eval(frozen)
	return slices.ContainsFunc(append([]Value{v}, v.Either...), func(v Value) bool {
		return slices.ContainsFunc(model.Possible(), func(w Value) bool {
			switch {
			case v.Class != nil && w.Class != nil:
				return related(v.Class, w.Class)
			case v.Made != nil && w.Made != nil && v.Class == nil && w.Class == nil:
				return v.Made == w.Made
			}
			return v.Class == nil && v.Made == nil || w.Class == nil && w.Made == nil
		})
	})
}

// mostCallersOfFreeze is how many callers of a function that freezes are asked what they give it.
const mostCallersOfFreeze = 8

// functionOf is the function that an expression stands in; nil for none.
func (p *SourcePass) functionOf(e pysrc.Expr) *project.Function {
	if e == nil {
		return nil
	}
	return p.Function(e)
}

// related reports a class and one that derives from it.
func related(a, b *project.Class) bool {
	return a == b || a.Derives(b.FullName()) || b.Derives(a.FullName())
}

// sharesHeir reports classes of which a third one derives, whose object holds the fields of both.
func sharesHeir(a, b *project.Class) bool {
	return slices.ContainsFunc(a.Heirs(), func(c *project.Class) bool { return c.Derives(b.FullName()) })
}

// sameField reports a field and a part of it, or the other way round: self.net and self.net.encoder.
func sameField(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}
