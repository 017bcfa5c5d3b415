package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// greedySearches reports loops in evaluation that take the best element of a GPU tensor, leave out what a mask says, and go on with the
// rest until nothing is left, as non-maximum suppression does: the host must know how many are left in each iteration.
func (p *SourcePass) greedySearches() {
	for _, test := range p.Module.Tests {
		loop, ok := p.Module.StatementAt(test.Bounds().Start).(*pysrc.While)
		if !ok || loop.Test != test {
			continue
		}
		rest := leftToCount(test)
		if rest == nil || !takesAnEnd(loop.Body, rest.ID) {
			continue
		}
		left := p.leftByMask(loop.Body, rest.ID)
		if left == nil || !p.runsForEvaluation(test) {
			continue
		}
		p.Report(header(loop), probable*p.GPU()).Because(p.At(left, "its size depends on GPU values")).
			Saying("the loop waits for the GPU to count what is left of %s in each iteration", rest.ID).
			Advising("Boxes that overlap are suppressed in one call by torchvision.ops.nms, or batched_nms for all classes and images at " +
				"once. Otherwise copy the tensors to the host before the loop.")
	}
}

// leftToCount is the variable whose elements a test counts: x.numel(), x.size(0) > 0, x.shape[0], len(x); or nil.
func leftToCount(test pysrc.Expr) *pysrc.Name {
	switch x := test.(type) {
	case *pysrc.Compare:
		if len(x.Ops) == 1 && isNumber(x.Comparators[0]) {
			return leftToCount(x.Left)
		}
	case *pysrc.Subscript:
		name, _ := shapeOf(x.Value).(*pysrc.Name)
		if isZero(x.Slice) {
			return name
		}
	case *pysrc.Call:
		if pysrc.DottedName(x.Func) == "len" {
			name, _ := firstArg(x).(*pysrc.Name)
			return name
		}
		if f, ok := x.Func.(*pysrc.Attribute); ok && slices.Contains([]string{"numel", "nelement", "size"}, f.Attr) {
			name, _ := f.Value.(*pysrc.Name)
			return name
		}
	}
	return nil
}

// takesAnEnd reports statements that take the first or last element of a variable: x[0], x[-1], x[0, 4].
func takesAnEnd(body []pysrc.Stmt, name string) bool {
	found := false
	for _, stmt := range body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if s, ok := n.(*pysrc.Subscript); ok && isNamed(s.Value, name) {
				at, known := pysrc.IntValue(firstIndex(s))
				found = found || known && (at == 0 || at == -1)
			}
			return !found
		})
	}
	return found
}

// leftByMask is the part that is left of a variable, by a mask of the GPU that the statements compute: x = x[1:][iou < limit]. It is nil
// where the variable becomes something else.
func (p *SourcePass) leftByMask(body []pysrc.Stmt, name string) (left pysrc.Expr) {
	for _, stmt := range body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			assign, ok := n.(*pysrc.Assign)
			if !ok || len(assign.Targets) != 1 || !isNamed(assign.Targets[0], name) {
				return true
			}
			s, ok := assign.Value.(*pysrc.Subscript)
			if ok && rootName(s) == name && slices.ContainsFunc(madeInTurn(s.Slice, body), func(e pysrc.Expr) bool { return p.selects(e, s) }) {
				left = s
			}
			return true
		})
	}
	return left
}

// selects reports an expression with a mask in it, where the mask or what it selects from is on the GPU: iou < limit,
// (iou < limit).nonzero().
func (p *SourcePass) selects(e, from pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Compare:
			found = found || max(p.OnDevice(x), p.OnDevice(from)) >= probable
		case *pysrc.Call:
			found = found || comparisons[lastName(x.Func)] && max(p.OnDevice(x), p.OnDevice(from)) >= probable
		}
		return !found
	})
	return found
}
