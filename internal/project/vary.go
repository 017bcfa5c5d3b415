package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// Varies reports whether an expression may differ from one call of its function
// to the next: it depends on a parameter other than self, on a loop variable, on
// an attribute that methods other than __init__ set, or on something random.
func (e *Eval) Varies(m *Module, x pysrc.Expr) bool {
	e.steps = mostSteps
	sc := m.blocks[m.BlockAt(x.Bounds().Start)].Scope
	return e.varies(x, sc, functionOf(sc), 0)
}

// VariesBut is Varies where the parameters of some names are known to be the same in every call.
func (e *Eval) VariesBut(m *Module, x pysrc.Expr, same map[string]bool) bool {
	e.sameParams = same
	defer func() { e.sameParams = nil }()
	return e.Varies(m, x)
}

func (e *Eval) varies(x pysrc.Expr, sc *Scope, fn *Function, depth int) bool {
	if e.steps--; depth > deepestTensor || e.steps <= 0 {
		return true // nobody is served by a guess that it does not
	}
	varies := false
	pysrc.Inspect(x, func(n pysrc.Node) bool {
		if varies {
			return false
		}
		switch n := n.(type) {
		case *pysrc.Name:
			varies = e.nameVaries(n, sc, fn, depth)
		case *pysrc.Attribute:
			if IsSelf(n.Value) {
				varies = fn.Class != nil && fn.Class.changes(n.Attr)
				return false
			}
		case *pysrc.Call:
			switch v := e.expr(n.Func, sc); {
			case strings.Contains(v.Name, "random") || strings.HasPrefix(v.Name, "time.") ||
				strings.HasPrefix(v.Name, "torch.rand"):
				varies = true
			case v.Kind == Callable && v.Func != nil && v.Func.returnsRandom():
				varies = true
			}
		}
		return true
	})
	return varies
}

func (e *Eval) nameVaries(n *pysrc.Name, sc *Scope, fn *Function, depth int) bool {
	holder, b := sc.find(n.ID)
	if b == nil || holder.Func != fn || fn == fn.Module.Main {
		return false // a global: the same for every call
	}
	var room [8]*Binding
	for _, b := range holder.reaching(room[:0], n.ID, sc, n.Start) {
		switch b.Kind {
		case Parameter:
			if b.Name != fn.Self() && !e.sameParams[b.Name] {
				return true
			}
		case Iterated, Augmented, Caught:
			return true
		case Assigned, Entered:
			if !e.begin(b) {
				continue
			}
			v := e.varies(b.Value, fn.Module.blocks[b.Block].Scope, fn, depth+1)
			e.end(b)
			if v {
				return true
			}
		}
	}
	return false
}

// changes reports an attribute that a method other than __init__ assigns.
func (c *Class) changes(name string) bool {
	found := false
	c.each(func(c *Class) bool {
		for _, a := range c.attrs[name] {
			switch a.fn.BaseName() {
			case "__init__", "__post_init__", "setup":
			default:
				found = true
			}
		}
		return !found
	})
	return found
}

// returnsRandom reports a function whose own calls are random.
func (f *Function) returnsRandom() bool {
	for _, s := range f.Sites {
		if strings.Contains(s.Calls.Name, "random") || strings.HasPrefix(s.Calls.Name, "torch.rand") {
			return true
		}
	}
	return false
}
