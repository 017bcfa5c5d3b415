package rule

import (
	"strings"

	"saturate/internal/pysrc"
)

// gradientsOneByOne reports loops over the tensors of a model that change each gradient, or each weight by its gradient,
// in every step.
func (p *SourcePass) gradientsOneByOne() {
	for _, c := range p.MethodCalls("parameters", "named_parameters") {
		loop, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.For)
		if !ok || !loop.Iter.Bounds().Contains(int(c.Node.Start)) {
			continue
		}
		p.gradientLoop(loop)
	}
	for _, loop := range p.loopsOverGiven() { // over weights that a caller gives, or that the function has picked
		p.gradientLoop(loop)
	}
	for _, c := range p.CallsTo("zip") { // over lists that a caller makes of them
		loop, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.For)
		if ok && loop.Iter == pysrc.Expr(c.Node) && !p.overWeights(c.Node) {
			p.gradientLoop(loop)
		}
	}
	for _, loop := range p.loopsOverGroups() {
		p.gradientLoop(loop)
	}
	p.normsListed()
}

func (p *SourcePass) gradientLoop(loop *pysrc.For) {
	changed := changesByGradient(loop)
	if changed == "" {
		changed = addsNorms(loop)
	}
	if changed == "" && p.changesWeights(loop) {
		changed = "weights"
	}
	if changed == "" || p.pointedAt(loop.Span) || p.Function(loop).Class != nil && p.Function(loop).Class.Derives("torch.optim.Optimizer") {
		return
	}
	way, ok := p.eachUpdate(loop)
	if !ok {
		return
	}
	if changed == normsOfWeights {
		p.Report(header(loop), likely*way.Sure).Because(way).AnyVersion().
			Saying("the norm of the weights is computed one tensor at a time in every step").
			Advising("Use torch._foreach_norm on the list of all weights, and compute it only in steps that log it.")
		return
	}
	if changed == normsOnly {
		p.Report(header(loop), likely*way.Sure).Because(way).AnyVersion().
			Saying("the norm of the gradients is computed one tensor at a time in every step").
			Advising("Use what torch.nn.utils.clip_grad_norm_ returns: the norm of all gradients, from a few kernels. max_norm=float(\"inf\") only measures.")
		return
	}
	r := p.Report(header(loop), likely*way.Sure).Because(way).AnyVersion().
		Saying("%s are changed one tensor at a time in every step", changed).
		Advising("Let torch change all tensors at once: torch.nn.utils.clip_grad_norm_ and clip_grad_value_, an optimizer with " +
			"fused=True, or torch._foreach_mul_ and its like on a list of tensors.")
	p.clipTogether(r, loop)
}

// normsOnly and normsOfWeights stand for a loop that only measures gradients, or weights.
const (
	normsOnly      = "norms"
	normsOfWeights = "norms of weights"
)

// addsNorms tells of a loop that adds the norm of each gradient to a sum that stays on the GPU, total += p.grad.norm() ** 2, or that of
// each weight, p.data. It is empty for other loops.
func addsNorms(loop *pysrc.For) string {
	turns := namesStored(loop.Target)
	found, weights, read := false, false, false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.AugAssign:
				if x.Op == pysrc.Add && !turns[rootName(x.Target)] {
					found = found || isNormOf(x.Value, turns, "grad")
					weights = weights || isNormOf(x.Value, turns, "data")
				}
			case *pysrc.Call:
				switch lastName(x.Func) {
				case "item", "float", "tolist", "cpu", "numpy", "print", "add_scalar", "add_histogram", "log":
					read = true
				}
			}
			return true
		})
	}
	switch {
	case read:
		return ""
	case found:
		return normsOnly
	case weights: // without a graph, which a penalty needs
		return normsOfWeights
	}
	return ""
}

// isNormOf reports an expression that takes the norm, or the sum of the squares, of a weight's gradient or data.
func isNormOf(e pysrc.Expr, weights map[string]bool, part string) bool {
	norm, gradient, size := false, part == "", false // of a list of gradients
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Attribute:
			gradient = gradient || x.Attr == part && weights[rootName(x)]
			norm = norm || x.Attr == "norm" || x.Attr == "vector_norm" || x.Attr == "square" || x.Attr == "pow"
			size = size || asksSize(x)
		case *pysrc.BinOp:
			norm = norm || x.Op == pysrc.Pow
		}
		return true
	})
	return norm && gradient && !size
}

// changesByGradient names what a loop over weights changes in place: gradients, or weights by their gradient. It is empty
// where gradients are only read, dropped or exchanged with other processes.
func changesByGradient(loop *pysrc.For) (what string) {
	turns := namesStored(loop.Target)
	ofWeight := func(e pysrc.Expr) bool { return turns[rootName(e)] }
	hasGradient, weight := false, false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Attribute:
				hasGradient = hasGradient || x.Attr == "grad" && ofWeight(x)
			case *pysrc.AugAssign:
				if ofWeight(x.Target) {
					what, weight = changedPart(x.Target), true
				}
			case *pysrc.Call:
				a, ok := x.Func.(*pysrc.Attribute)
				if !ok || !ofWeight(a) || !inPlace(a.Attr) {
					return true
				}
				switch a.Attr {
				case "zero_", "requires_grad_", "detach_", "copy_", "fill_":
				default:
					what, weight = changedPart(a.Value), true
				}
			}
			return true
		})
	}
	if !hasGradient || !weight {
		return ""
	}
	return what
}

// changedPart is what p.grad.data and p.data stand for.
func changedPart(e pysrc.Expr) string {
	if strings.Contains(pysrc.DottedName(e)+".", ".grad.") {
		return "gradients"
	}
	return "weights"
}
