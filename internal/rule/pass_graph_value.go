package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// deepestGraph is how many variables and operations a graph is followed through.
const deepestGraph = 12

// hasGraph reports an expression that holds the graph of what computed it: a loss that a function differentiates, what a
// model gives with gradients on, and what is computed from them.
func (p *SourcePass) hasGraph(e pysrc.Expr, depth int) bool {
	if depth > deepestGraph {
		return false
	}
	any := func(parts ...pysrc.Expr) bool {
		for _, part := range parts {
			if p.hasGraph(part, depth+1) {
				return true
			}
		}
		return false
	}
	switch x := e.(type) {
	case *pysrc.Name:
		return p.nameHasGraph(x, depth)
	case *pysrc.Attribute:
		return !withoutGraph[x.Attr] && any(x.Value)
	case *pysrc.Subscript:
		return any(x.Value)
	case *pysrc.UnaryOp:
		return x.Op != pysrc.Not && any(x.Operand)
	case *pysrc.BinOp:
		return any(x.Left, x.Right)
	case *pysrc.IfExp:
		return any(x.Body, x.Orelse)
	case *pysrc.List:
		return any(x.Elts...)
	case *pysrc.Tuple:
		return any(x.Elts...)
	case *pysrc.Call:
		return p.callHasGraph(x, depth)
	}
	return false
}

// nameHasGraph reports a variable that is differentiated where it stands, or was set to something with a graph.
func (p *SourcePass) nameHasGraph(name *pysrc.Name, depth int) bool {
	said := p.Module.SaidLast(name)
	if said == nil {
		return false
	}
	if p.hasGraph(said, depth+1) {
		return true
	}
	_, call := said.(*pysrc.Call)
	return call && !endsGraph(said) && !p.withoutGradients(said) && wentBack(p.Function(name), name)
}

// goesBack reports a backward pass.
func goesBack(s *project.Site) bool {
	return s.Method() == "backward" || s.Method() == "manual_backward"
}

// wentBack reports a variable whose value, or a part of it, its function goes back through: not what was put there later.
func wentBack(fn *project.Function, name *pysrc.Name) bool {
	value := fn.Module.SaidLast(name)
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return goesBack(s) && slices.ContainsFunc(differentiatedBy(s), func(e pysrc.Expr) bool {
			found := false
			pysrc.Inspect(e, func(n pysrc.Node) bool {
				other, ok := n.(*pysrc.Name)
				found = found || ok && other.ID == name.ID && fn.Module.SaidLast(other) == value
				return !found
			})
			return found
		})
	})
}

// differentiatedBy is what a backward pass goes back through: loss of loss.backward() and of accelerator.backward(loss).
func differentiatedBy(s *project.Site) []pysrc.Expr {
	f, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok || len(s.Node.Args) > 0 && (s.Calls.Func != nil || s.Calls.Name != "" && !strings.HasPrefix(s.Calls.Name, "torch.")) {
		return s.Node.Args // of an object that knows the model
	}
	return append([]pysrc.Expr{f.Value}, s.Node.Args...)
}

// endsGraph reports an expression that takes a value off its graph: loss.detach(), float(loss).
func endsGraph(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Attribute:
		return withoutGraph[x.Attr]
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok {
			return withoutGraph[a.Attr] && a.Attr != "grad" || endsGraph(a.Value) // torch.autograd.grad(…) goes back through it
		}
		switch lastName(x.Func) {
		case "float", "int", "bool", "len", "str", "round":
			return true
		}
	}
	return false
}

func (p *SourcePass) callHasGraph(c *pysrc.Call, depth int) bool {
	if endsGraph(c) || p.withoutGradients(c) {
		return false
	}
	if p.isModelCall(c) || p.isModel(c.Func) {
		return true
	}
	name := p.NameOf(c.Func)
	if rest, ok := strings.CutPrefix(name, "torch."); ok && !strings.Contains(rest, "(") && !withoutGraph[lastName(c.Func)] || isCriterion(lastName(c.Func)) {
		for _, arg := range c.Args {
			if p.hasGraph(arg, depth+1) {
				return true
			}
		}
		return false
	}
	if s := p.Module.SiteAt(c); s != nil && s.Calls.Func != nil && s.Calls.Func.Def != nil && s.Calls.Kind == project.Callable {
		return p.returnsGraph(s.Calls.Func)
	}
	a, ok := c.Func.(*pysrc.Attribute)
	return ok && p.hasGraph(a.Value, depth+1)
}

// returnsGraph reports a function that returns a loss after it has gone back through it: a step of its own.
func (p *SourcePass) returnsGraph(fn *project.Function) bool {
	for _, r := range fn.Returns() {
		name, ok := r.(*pysrc.Name)
		if !ok || !wentBack(fn, name) {
			continue
		}
		if said := fn.Module.SaidLast(name); said != nil && !endsGraph(said) {
			return true
		}
	}
	return false
}

// withoutGraph are the methods and attributes of a tensor whose result has no graph.
var withoutGraph = setOfNames("detach", "detach_", "data", "item", "tolist", "numpy", "grad", "shape", "size", "dim", "ndim", "numel",
	"device", "dtype", "argmax", "argmin", "argsort", "eq", "ne", "gt", "ge", "lt", "le", "isnan", "isinf", "isfinite", "any", "all",
	"long", "int", "bool", "byte", "nonzero", "unique", "zeros_like", "ones_like", "rand_like", "randn_like", "is_nonzero", "requires_grad")
