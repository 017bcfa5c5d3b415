package rule

import (
	"saturate/internal/pysrc"
)

// mixedStates reports averages that a step computes tensor by tensor into a dict of weights, and loads:
// model.load_state_dict({k: r * w[k] + (1 - r) * v for k, v in model.state_dict().items()}). Loops over such a dict are looked at.
func (p *SourcePass) mixedStates(lookAt func(*pysrc.For)) {
	for _, c := range p.MethodCalls("load_state_dict") {
		if c.Func.Def != nil {
			pysrc.Inspect(c.Func.Def, func(n pysrc.Node) bool {
				if loop, ok := n.(*pysrc.For); ok && p.isState(loop.Iter) {
					lookAt(loop)
				}
				return true
			})
		}
		mixed := p.dictOf(firstArg(c.Node))
		if mixed == nil || !isMix(mixed.Value) || !p.overWeights(mixed.Generators[0].Iter) || p.pointedAt(mixed.Span) {
			continue
		}
		if way, ok := p.eachUpdate(p.Module.StatementAt(mixed.Start)); ok {
			p.Report(mixed, likely*way.Sure).Because(way, p.At(c, "and copied here"))
		}
	}
}

// isState reports a variable that was set to the weights of a model: own, after own = model.state_dict().
func (p *SourcePass) isState(e pysrc.Expr) bool {
	name, ok := e.(*pysrc.Name)
	if !ok {
		return false
	}
	said, ok := p.Module.SaidLast(name).(*pysrc.Call)
	return ok && lastName(said.Func) == "state_dict"
}

// dictOf is the comprehension that an expression is, or that a variable was set to.
func (p *SourcePass) dictOf(e pysrc.Expr) *pysrc.DictComp {
	if name, ok := e.(*pysrc.Name); ok {
		e = p.Module.SaidLast(name)
	}
	mixed, _ := e.(*pysrc.DictComp)
	return mixed
}

// isMix reports a sum of two products: old * decay + new * (1 - decay).
func isMix(e pysrc.Expr) bool {
	sum, ok := e.(*pysrc.BinOp)
	if !ok || sum.Op != pysrc.Add {
		return false
	}
	left, one := sum.Left.(*pysrc.BinOp)
	right, two := sum.Right.(*pysrc.BinOp)
	return one && two && left.Op == pysrc.Mult && right.Op == pysrc.Mult
}
