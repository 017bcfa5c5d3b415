package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// drawnForJAX reports random arrays that NumPy draws and JAX copies in every step.
func (p *SourcePass) drawnForJAX() {
	loops := p.JAXLoops()
	for _, c := range p.CallsTo("jax.numpy.asarray", "jax.numpy.array", "jax.device_put") {
		from := firstArg(c.Node)
		if from == nil || p.Rare(c) != nil || !slices.ContainsFunc(loops, func(l jaxLoop) bool {
			return l.Func == c.Func && p.LoopAround(c) == l.Stmt
		}) {
			continue
		}
		if draw := p.drawnByNumPy(p.onceSaid(from)); draw != nil {
			p.Report(c, likely).Saying("%s draws on the host, and the result is copied in every step", p.Short(draw)).
				Advising("Draw on the GPU with jax.random, inside the compiled step: pass it a key, and jax.random.split the key.")
		}
	}
}

// drawnByNumPy is the call in an expression that draws from a generator of NumPy as many numbers as an array has, or nil.
func (p *SourcePass) drawnByNumPy(e pysrc.Expr) (draw *pysrc.Call) {
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && draw == nil && strings.HasPrefix(p.NameOf(c.Func), "numpy.random.") {
			switch lastName(c.Func) {
			case "normal", "standard_normal", "randn", "uniform", "rand", "random", "random_sample":
				draw = c
			}
		}
		return draw == nil
	})
	return draw
}

// widthsOfBatches reports arrays that are as wide as the longest sample of a batch and that a compiled function of JAX
// gets: each width is compiled anew.
func (p *SourcePass) widthsOfBatches() {
	if p.Module.Role == project.Test || p.Imports("torch") || !p.Project.Trains() || !p.nearImports("jax") || !p.NearSays("jit", "pmap") {
		return
	}
	for _, c := range p.CallsTo("numpy.zeros", "numpy.full", "numpy.ones", "numpy.empty") {
		shape, ok := firstArg(c.Node).(*pysrc.Tuple)
		if !ok || len(shape.Elts) < 2 || c.Func.Def == nil || !c.Func.IsGenerator() || p.EvaluationOnly(c) {
			continue
		}
		for _, side := range shape.Elts[1:] {
			if longest := p.onceSaid(side); isLongest(longest) {
				p.Report(c, probable).Because(p.At(longest, "the longest sample of the batch")).
					Saying("each batch is as wide as its longest sample, so JAX compiles again for each width").
					Advising("Pad to one of a few widths: a fixed length, or the next multiple of 64.")
				break
			}
		}
	}
}

// isLongest reports max(len(row) for row in rows) and max(map(len, rows)).
func isLongest(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	if !ok || pysrc.DottedName(c.Func) != "max" || len(c.Args) != 1 {
		return false
	}
	var each pysrc.Expr
	switch of := c.Args[0].(type) {
	case *pysrc.GeneratorExp:
		each = of.Elt
	case *pysrc.ListComp:
		each = of.Elt
	case *pysrc.Call:
		return pysrc.DottedName(of.Func) == "map" && len(of.Args) == 2 && pysrc.DottedName(of.Args[0]) == "len"
	}
	length, ok := each.(*pysrc.Call)
	return ok && pysrc.DottedName(length.Func) == "len" || isLength(each)
}
