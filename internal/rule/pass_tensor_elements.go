package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// tensorElements reports nested loops that compute on a tensor number by number: x[t, e] with the variables of both.
func (p *SourcePass) tensorElements() {
	for _, loop := range p.stepLoops() {
		outer, ok := loop.Target.(*pysrc.Name)
		if !ok || p.takesSteps(loop) || !rangeOfMany(loop.Iter) {
			continue
		}
		part := p.elementOfBoth(loop, outer.ID)
		if part == nil {
			continue
		}
		way, hot := p.EachStep(header(loop))
		sure, why := way.Sure*likely, any(way)
		if from := p.calledAround(p.Function(loop), 0); !hot && from != nil && !p.EvaluationOnly(loop) {
			hot, sure, why = true, likely*p.GPU(), p.In(from.Module()).At(from, "training calls it again and again")
		}
		if hot {
			p.Report(header(loop), sure).Because(why, p.At(part, "one element in each iteration")).
				Saying("Python computes on %s one element at a time", p.Short(part.Value)).
				Advising("Compute on whole rows: keep the loop over the axis whose steps need each other, and leave the other axis to the tensor.")
		}
	}
}

// elementOfBoth is x[i, j] of a tensor that a loop within a loop computes with, by the variables of both; nil where there is none.
func (p *SourcePass) elementOfBoth(loop *pysrc.For, outer string) (found *pysrc.Subscript) {
	for _, s := range loop.Body {
		inner, ok := s.(*pysrc.For)
		if !ok || !rangeOfMany(inner.Iter) {
			continue
		}
		index, ok := inner.Target.(*pysrc.Name)
		if !ok {
			continue
		}
		for _, stmt := range inner.Body {
			pysrc.InspectPath(stmt, func(n pysrc.Node, path []pysrc.Node) bool {
				part, ok := n.(*pysrc.Subscript)
				if found != nil || !ok || part.Ctx != pysrc.Load || len(path) == 0 {
					return found == nil
				}
				parts := elementsOf(part.Slice)
				both := len(parts) == 2 && slices.ContainsFunc(parts, func(e pysrc.Expr) bool { return isNamed(e, outer) }) &&
					slices.ContainsFunc(parts, func(e pysrc.Expr) bool { return isNamed(e, index.ID) })
				if _, arithmetic := path[len(path)-1].(*pysrc.BinOp); both && arithmetic && p.isOneTensor(part.Value, 0) {
					found = part
				}
				return found == nil
			})
		}
	}
	return found
}

// rangeOfMany reports range(n) of more than a few, reversed perhaps.
func rangeOfMany(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch lastName(c.Func) {
	case "reversed", "tqdm":
		return rangeOfMany(c.Args[0])
	case "range":
		n, written := pysrc.IntValue(c.Args[min(1, len(c.Args)-1)])
		return !written || n > 8
	}
	return false
}
