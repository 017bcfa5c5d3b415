package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// collateLoop finds collate functions that fill their batch in Python loops.
var collateLoop = Rule{
	Code: "SAT125", Name: "collate-python-loop", Severity: Advice,
	Title:  "the collate function fills the batch in a Python loop",
	What:   "A collate function that writes samples into a padded tensor in a loop, one slice or one number at a time.",
	Why:    "Every turn goes through the interpreter and starts a small copy of its own; for a batch of long samples the loop is longer than the copy.",
	Fine:   "Small batches of large samples, where copying dominates.",
	Advice: "torch.nn.utils.rnn.pad_sequence pads a list of tensors in one call, torch.stack stacks equal ones; write number by number in no case.",
	Bad:    "for i, x in enumerate(samples):\n    batch[i, : len(x)] = x",
	Good:   "batch = pad_sequence(samples, batch_first=True)",
	Source: func(p *SourcePass) {
		for _, fn := range p.Module.Functions {
			if fn.Def == nil {
				continue
			}
			path, ok := p.EverySample(fn.Def.Body[0])
			if !ok || path.Kind != project.Collate {
				continue
			}
			for _, loop := range p.outerLoops(fn) {
				if writes := p.elementWrites(loop); writes > 0 {
					r := p.Report(header(loop), 0.9*path.Sure).Because(path)
					if writes > 1 {
						r.At(Warning).Saying("the collate function fills the batch number by number in nested Python loops")
					}
				}
			}
		}
	},
}

// outerLoops are the for loops of a function that no other loop of it holds.
func (p *SourcePass) outerLoops(fn *project.Function) []*pysrc.For {
	var list []*pysrc.For
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.FunctionDef, *pysrc.Lambda:
			return n == pysrc.Node(fn.Def)
		case *pysrc.For:
			list = append(list, n)
			return false
		}
		return true
	})
	return list
}

// elementWrites tells how deep the loops are around a write into a tensor,
// batch[i, …] = x, with the loop's own variable: 0 when there is none.
func (p *SourcePass) elementWrites(loop *pysrc.For) int {
	deepest := 0
	var walk func(n pysrc.Node, depth int, index map[string]bool)
	walk = func(n pysrc.Node, depth int, index map[string]bool) {
		switch n := n.(type) {
		case *pysrc.For:
			index = withNames(index, n.Target)
			depth++
		case *pysrc.Assign:
			for _, t := range n.Targets {
				if s, ok := t.(*pysrc.Subscript); ok && indexedBy(s, index) {
					deepest = max(deepest, min(depth, 1))
					if indices(s, index) > 1 {
						deepest = max(deepest, 2)
					}
				}
			}
		}
		pysrc.Children(n, func(c pysrc.Node) { walk(c, depth, index) })
	}
	walk(loop, 0, map[string]bool{})
	return deepest
}

func withNames(index map[string]bool, target pysrc.Expr) map[string]bool {
	next := map[string]bool{}
	for name := range index {
		next[name] = true
	}
	pysrc.Inspect(target, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok {
			next[x.ID] = true
		}
		return true
	})
	return next
}

// indexedBy reports batch[i, …], an index of several axes (or followed by a
// slice) of which one is a loop's variable: a tensor, and not a list or a dict.
func indexedBy(s *pysrc.Subscript, index map[string]bool) bool {
	t, ok := s.Slice.(*pysrc.Tuple)
	return ok && len(t.Elts) > 1 && indices(s, index) > 0
}

// indices counts the axes that loop variables index.
func indices(s *pysrc.Subscript, index map[string]bool) int {
	t, ok := s.Slice.(*pysrc.Tuple)
	if !ok {
		return 0
	}
	count := 0
	for _, e := range t.Elts {
		if n, ok := e.(*pysrc.Name); ok && index[n.ID] {
			count++
		}
	}
	return count
}

// header is the first line of a loop: the place to point at.
func header(loop *pysrc.For) Node {
	return pysrc.Span{Start: loop.Start, End: loop.Iter.Bounds().End}
}
