package rule

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// computedOnHost is the call that fills the tensor of the host from which an expression is computed there, all of it in the step that
// asks: time of time = sigma / (1 + sigma), sigma = torch.randn(n).exp(). It is nil for anything else, and for what holds data.
func (p *SourcePass) computedOnHost(e pysrc.Expr) *pysrc.Call {
	if !p.filledOnHost(e, 0) {
		return nil
	}
	return p.fillOf(e, p.LoopAround(e), 0)
}

// storedInto reports a variable whose function sets parts of what it holds, to data perhaps.
func (p *SourcePass) storedInto(name *pysrc.Name) bool {
	return slices.ContainsFunc(p.Module.Subscripts, func(s *pysrc.Subscript) bool {
		return s.Ctx != pysrc.Load && rootName(s.Value) == name.ID && p.Function(s) == p.Function(name)
	})
}

// fillOf is the call of torch that fills the tensor from which an expression is computed, in a loop; nil where data or something older
// has a part in it.
func (p *SourcePass) fillOf(e pysrc.Expr, loop pysrc.Stmt, depth int) (made *pysrc.Call) {
	if depth > deepestHeld {
		return nil
	}
	first := func(parts []pysrc.Expr) *pysrc.Call {
		for _, part := range parts {
			if made = p.fillOf(part, loop, depth+1); made != nil {
				return made
			}
		}
		return nil
	}
	switch x := e.(type) {
	case *pysrc.Name:
		values := p.Module.SaidEither(x)
		if len(values) == 0 || p.storedInto(x) || depth == 0 && p.usedBetween(x.ID, values[0].Bounds().End, x) {
			return nil
		}
		for _, v := range values {
			if loop != nil && v.Bounds().Start < loop.Bounds().Start {
				return nil // it stays on the host
			}
			if made = p.fillOf(v, loop, depth+1); made == nil {
				return nil
			}
		}
		return made
	case *pysrc.BinOp:
		return first([]pysrc.Expr{x.Left, x.Right})
	case *pysrc.UnaryOp:
		return p.fillOf(x.Operand, loop, depth+1)
	case *pysrc.Call:
		if p.makesTensor(x) {
			return x
		}
		name := p.NameOf(x.Func)
		if rest, ok := strings.CutPrefix(name, "torch."); ok && !strings.Contains(rest, "(") && rest != "from_numpy" && rest != "tensor" &&
			rest != "as_tensor" && !hostTensors[rest] {
			return first(x.Args)
		}
		if a, ok := x.Func.(*pysrc.Attribute); ok && (reshapes[a.Attr] || elementwise[a.Attr]) {
			return p.fillOf(a.Value, loop, depth+1)
		}
	}
	return nil
}
