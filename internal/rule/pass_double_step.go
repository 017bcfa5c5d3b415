package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// doubleInStep reports tensors that each step turns into float64 to compute with them: logits.double().softmax(1).
func (p *SourcePass) doubleInStep() {
	if slices.ContainsFunc(p.Near(), func(m *project.Module) bool { return len(p.In(m).doubleInTorch()) > 0 }) {
		return // whose model gets its inputs in float64
	}
	said := map[*pysrc.FunctionDef]bool{}
	for _, c := range p.MethodCalls("double", "to", "type") {
		if !p.widensToDouble(c) || said[c.Func.Def] || c.Receiver() == nil || p.isModel(c.Receiver()) || p.isReduced(c.Receiver(), 0) ||
			p.valueOnGPU(c.Receiver(), 0) < likely || (fewNumbers{p, 64, 1}).in(c.Receiver(), 0) || p.losesDigits(c) {
			continue
		}
		if way, ok := p.EachStep(c); ok {
			said[c.Func.Def] = true
			p.Report(c, way.Sure*likely).At(Advice).Because(way).
				Saying("%s is computed with in float64 in every step", p.Short(c.Receiver())).
				Advising("Compute in float32: .float() has the digits that a loss needs.")
		}
	}
}

// widensToDouble reports x.double(), x.to(torch.float64), x.to(device, dtype=torch.double) and x.type(torch.float64).
func (p *SourcePass) widensToDouble(c Call) bool {
	if c.Method() == "double" {
		return len(c.Node.Args) == 0
	}
	return slices.ContainsFunc(argumentsOf(c.Node), func(e pysrc.Expr) bool { return isDouble(p.NameOf(e)) })
}

// isReduced reports one number, a loss, or a sum, mean or norm of all elements; and hits, which are counted.
func (p *SourcePass) isReduced(e pysrc.Expr, depth int) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		if slices.ContainsFunc(p.Function(x).Sites, func(s *project.Site) bool { return s.Method() == "backward" && rootName(s.Node.Func) == x.ID }) {
			return true
		}
		value := p.Module.SaidOnce(x)
		return value != nil && depth < 3 && p.isReduced(value, depth+1)
	case *pysrc.BinOp:
		return p.isReduced(x.Left, depth) || p.isReduced(x.Right, depth)
	case *pysrc.Compare:
		return true
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && (a.Attr == "detach" || a.Attr == "clone") {
			return p.isReduced(a.Value, depth)
		}
		switch lastName(x.Func) {
		case "eq", "ne": // hits, to be counted
			return true
		case "sum", "mean", "norm", "max", "min", "item":
			_, torch := x.Func.(*pysrc.Attribute)
			return torch && x.Keyword("dim") == nil && x.Keyword("axis") == nil && (len(x.Args) == 0 || p.NameOf(x.Func) == "torch."+lastName(x.Func) && len(x.Args) == 1)
		}
		return isCriterion(lastName(x.Func)) && x.Keyword("reduction") == nil && x.Keyword("reduce") == nil
	}
	return false
}

// losesDigits reports a function that needs more digits than float32 has: it inverts or decomposes matrices, or adds up long runs.
func (p *SourcePass) losesDigits(c Call) bool {
	return slices.ContainsFunc(c.Func.Sites, func(s *project.Site) bool {
		switch lastName(s.Node.Func) {
		case "inverse", "pinverse", "svd", "symeig", "det", "logdet", "slogdet", "solve", "lstsq", "qr", "cholesky", "eig", "cumsum", "cumprod", "logcumsumexp",
			"acos", "arccos", "atan2", "lgamma", "digamma", "erfinv", "expm1", "log1p":
			return true
		}
		return false
	})
}
