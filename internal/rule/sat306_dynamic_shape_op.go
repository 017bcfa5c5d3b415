package rule

import (
	"bytes"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// dynamicShapeOp finds operations whose result's size depends on values, in every step.
var dynamicShapeOp = Rule{
	Code: "SAT306", Name: "dynamic-shape-op", Severity: Advice, Subject: AboutWaits,
	Areas: []Area{HostArea},
	Asks:  [][]string{{"sync=shape"}},
	Title: "the size of a result depends on GPU values",
	What: "nonzero, masked_select, unique, argwhere, torch.where(condition) with one argument, x[mask], or " +
		"repeat_interleave with counts but no output_size, on a GPU tensor, in every training step; x[mask] with a mask that stays on the host.",
	Why:  "The host needs the size of the result before it can continue, so it waits until every queued kernel has run.",
	Fine: "No alternative with a static shape: so unique costs little, unless its result is only counted. A small model whose step waits elsewhere anyway. Training on the CPU.",
	Advice: "Keep the shape: torch.where(mask, x, 0), a mask in the loss (ignore_index, or reduction=\"none\" " +
		"with a weighted sum), or padding.",
	Bad:  "loss = criterion(out[mask], target[mask])",
	Good: "loss = (criterion(out, target) * mask).sum() / mask.sum()  # reduction=\"none\"",
	Source: func(p *SourcePass) {
		said := map[*project.Function]*Report{}
		var unique []Call // of which another size makes no sense; after what has an alternative, which they join
		for _, c := range p.MethodCalls("nonzero", "masked_select", "unique", "unique_consecutive", "argwhere") {
			if strings.HasPrefix(c.Method(), "unique") && !p.onlyCounted(c.Node) {
				unique = append(unique, c)
			} else if of := p.shapedBy(c); of != nil {
				p.reportDynamic(c.Node, of, said)
			}
		}
		for _, c := range p.CallsTo("torch.where") {
			if len(c.Node.Args) == 1 && len(c.Node.Keywords) == 0 {
				p.reportDynamic(c.Node, c.Node.Args[0], said)
			}
		}
		for _, c := range p.MethodCalls("repeat_interleave") {
			if counts := p.repeatCounts(c); counts != nil {
				p.reportDynamic(c.Node, counts, said)
			}
		}
		for _, s := range p.StepSubscripts() {
			if (s.Ctx == pysrc.Load || p.readToChange(s) || p.setToTensor(s)) && (p.isMask(s.Slice, 0) || p.masksTensor(s)) {
				p.reportDynamicAt(s, max(p.OnDevice(s.Value), likely), said) // only a tensor of the GPU takes a mask of the GPU
			} else if p.maskedByHost(s) {
				if r := p.reportDynamicAt(s, likely, said); r != nil {
					r.Saying("the mask of %s is on the host: it is counted there, and its indices are copied to the GPU in every step", p.Short(s)).
						Advising("Keep the mask on the GPU: register_buffer in a module, or device= of the tensor that it selects from. Better, keep the shape.")
				}
			}
		}
		for _, c := range unique {
			if of := p.shapedBy(c); of != nil {
				if r := p.reportDynamic(c.Node, of, said); r != nil {
					r.Small("its result has no other size")
				}
			}
		}
	},
}

// masksTensor reports x[labels != 255] of a tensor on the GPU: a mask of the host would be copied first.
func (p *SourcePass) masksTensor(s *pysrc.Subscript) bool {
	c, ok := s.Slice.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || p.isList(s.Value) || p.isArray(c.Left) || p.isArray(c.Comparators[0]) {
		return false
	}
	switch c.Ops[0] {
	case pysrc.Is, pysrc.IsNot, pysrc.In, pysrc.NotIn:
		return false
	}
	return p.isOnDevice(s.Value) && (p.isTensor(c.Left) || p.isOneTensor(c.Left, 0))
}

// readToChange reports x[mask] of x[mask] -= 1, which is read before it is set. x[mask] = 1 only fills.
func (p *SourcePass) readToChange(s *pysrc.Subscript) bool {
	change, ok := p.Module.StatementAt(s.Start).(*pysrc.AugAssign)
	return ok && change.Target == pysrc.Expr(s)
}

// setToTensor reports x[mask] = y of a tensor y, whose values have to be counted. A number only fills, on the host or of it.
func (p *SourcePass) setToTensor(s *pysrc.Subscript) bool {
	set, ok := p.Module.StatementAt(s.Start).(*pysrc.Assign)
	return ok && len(set.Targets) == 1 && set.Targets[0] == pysrc.Expr(s) && p.isOneTensor(set.Value, 0) && p.madeOnHost(set.Value) == nil
}

// onlyCounted reports len(x) and x.numel() of a result: nothing is shaped by it.
func (p *SourcePass) onlyCounted(result pysrc.Expr) (counted bool) {
	p.Inspect(p.Module.StatementAt(result.Bounds().Start), func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			counted = counted || isNamed(n.Func, "len") && firstArg(n) == result
		case *pysrc.Attribute:
			counted = counted || n.Value == result && (n.Attr == "numel" || n.Attr == "shape" || n.Attr == "size")
		}
		return !counted
	})
	return counted
}

// reportDynamic reports an operation on a tensor of the GPU that runs in every step, and returns that. What a function does more
// of the kind is told with the first.
func (p *SourcePass) reportDynamic(n pysrc.Expr, tensor pysrc.Expr, said map[*project.Function]*Report) *Report {
	return p.reportDynamicAt(n, p.OnDevice(tensor), said)
}

func (p *SourcePass) reportDynamicAt(n pysrc.Expr, sure float64, said map[*project.Function]*Report) *Report {
	if sure < likely || bytes.HasPrefix(p.Module.Text[n.Bounds().End:], []byte(".item()")) { // that is reported as such
		return nil
	}
	if path, ok := p.EachStep(n); ok {
		if first := said[p.Function(n)]; first != nil {
			first.Too(p.At(n, "so does "+p.Short(n)))
			return nil
		}
		r := p.Report(n, sure*path.Sure).Because(path).
			Saying("the size of %s depends on GPU values, so the host waits for the GPU in every step", p.Short(n))
		said[p.Function(n)] = r
		return r
	}
	return nil
}

// shapedBy returns the tensor of x.nonzero() and of torch.nonzero(x), nil for a namesake.
func (p *SourcePass) shapedBy(c Call) pysrc.Expr {
	if p.NameOf(c.Receiver()) == "torch" {
		return firstArg(c.Node)
	}
	if p.NameOf(c.Receiver()) != "" && p.Eval(c.Receiver()).Kind != 0 && p.OnDevice(c.Receiver()) == 0 {
		return nil
	}
	return c.Receiver()
}

// repeatCounts returns the counts of torch.repeat_interleave(x, counts) and x.repeat_interleave(counts), nil where the size of
// the result is given.
func (p *SourcePass) repeatCounts(c Call) pysrc.Expr {
	at := 0
	if p.NameOf(c.Receiver()) == "torch" {
		at = 1
	}
	if c.Node.Keyword("output_size") != nil {
		return nil
	}
	if k := c.Node.Keyword("repeats"); k != nil {
		return k.Value
	}
	if len(c.Node.Args) > at {
		return c.Node.Args[at]
	}
	return nil
}
