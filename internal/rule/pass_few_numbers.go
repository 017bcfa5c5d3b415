package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostNumbers is up to how many numbers a copy is nothing beside another wait.
const mostNumbers = 64

// fewBesideWait reports a tensor of a few numbers that is copied in a function which waits for the GPU for more: the
// copy is not what it waits for.
func (p *SourcePass) fewBesideWait(fn *project.Function, made *pysrc.Call) bool {
	return fn != nil && fn.Def != nil && p.ofFewNumbers(made) && p.waitsIn(fn)
}

// ofFewNumbers reports a call that makes a tensor of a few numbers: torch.tensor([1]), torch.zeros(3), torch.tensor(x.shape).
func (p *SourcePass) ofFewNumbers(made *pysrc.Call) bool {
	switch name := lastName(made.Func); name {
	case "tensor", "as_tensor", "IntTensor", "LongTensor", "FloatTensor", "ByteTensor", "Tensor":
		first := firstArg(made)
		if shapeOf(first) != nil {
			return true
		}
		switch x := first.(type) {
		case *pysrc.List:
			return len(x.Elts) <= mostNumbers && !slices.ContainsFunc(x.Elts, func(e pysrc.Expr) bool {
				_, more := e.(*pysrc.Starred)
				return more
			})
		case *pysrc.Constant, *pysrc.UnaryOp:
			return name == "tensor" || name == "as_tensor"
		}
	case "zeros", "ones", "empty", "rand", "randn", "eye":
		count := int64(1)
		for _, a := range made.Args {
			n, known := p.Eval(a).Int()
			if !known {
				return false
			}
			count *= n
		}
		return len(made.Args) > 0 && count <= mostNumbers
	}
	return false
}

// waitsIn reports a function in which a rule finds a wait for the GPU in every step.
func (p *SourcePass) waitsIn(fn *project.Function) bool {
	return slices.ContainsFunc([]*Rule{&itemInHotLoop, &cpuNumpyInLoop, &dynamicShapeOp}, func(r *Rule) bool {
		return slices.ContainsFunc(p.said(r).reports, func(r *Report) bool { return p.Module.FunctionAt(r.span.Start) == fn })
	})
}
