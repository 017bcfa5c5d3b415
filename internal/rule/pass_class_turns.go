package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// overClasses reports a loop by number whose iterations each compute on one part of a tensor along another axis than the first, or compare
// a tensor with the number: one of several classes, channels or heads.
func (p *SourcePass) overClasses(t *turns) bool {
	if !isRange(t.iter[0]) || p.kernelsIn(t) < fewKernels {
		return false
	}
	last := lastBound(t.iter[0].(*pysrc.Call))
	if last == nil {
		return false
	}
	if n, known := p.Eval(last).Int(); known && n < 2 {
		return false
	}
	item, ok := t.target[0].(*pysrc.Name)
	if !ok {
		return false
	}
	found := false
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Compare:
				found = found || len(x.Ops) == 1 && x.Ops[0] == pysrc.Eq && (mentionsName(x.Left, item.ID) && p.valueOnGPU(x.Comparators[0], 0) >= likely ||
					mentionsName(x.Comparators[0], item.ID) && p.valueOnGPU(x.Left, 0) >= likely)
			case *pysrc.Subscript:
				axes := elementsOf(x.Slice)
				found = found || x.Ctx == pysrc.Load && len(axes) > 1 && !mentionsName(axes[0], item.ID) && p.oneOnGPU(x.Value) &&
					slices.ContainsFunc(axes[1:], func(e pysrc.Expr) bool { return isNamed(e, item.ID) })
			}
			return !found
		})
	}
	return found
}

// fewKernels is how many kernels an iteration launches for a loop of a few of them to be worth a word.
const fewKernels = 2

// lastBound is the end of a range.
func lastBound(c *pysrc.Call) pysrc.Expr {
	if len(c.Args) == 0 {
		return nil
	}
	return c.Args[min(1, len(c.Args)-1)]
}

// kernelsIn counts the expressions of a loop's body that kernels compute from what differs from turn to turn.
func (p *SourcePass) kernelsIn(t *turns) (count int) {
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && mentionsAny(e, t.varying) && p.launches(e) {
				count++
				if c, ok := e.(*pysrc.Call); ok && p.Eval(c.Func).Func != nil {
					count++ // a function of the project does more than one thing
				}
			}
			return !isDefinition(n)
		})
	}
	return count
}
