package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// manyMicroBatches is how many passes of the model between two steps of the optimizer make a wait beside them negligible.
const manyMicroBatches = 16

// besideMicroBatches reports a place of a training loop outside of an inner loop that takes the gradients of many
// micro-batches, one after the other: it runs once for all of them.
func (p *SourcePass) besideMicroBatches(way project.Path, n Node) bool {
	if way.Kind != project.TrainingLoop && way.Kind != project.TrainingHook || way.Root == nil || p.Project.Tries {
		return false
	}
	root, at := p.In(way.Root.Module), n.Bounds().Start
	if len(way.Calls) > 0 {
		at = way.Calls[0].Node.Start
	}
	found := false
	for _, s := range way.Root.Sites {
		if s.Method() != "backward" {
			continue
		}
		loop, ok := root.LoopAround(s).(*pysrc.For)
		if !ok || loop.Contains(int(at)) || root.turnsOf(loop) < manyMicroBatches {
			return false
		}
		found = true
	}
	return found
}

// turnsOf is how often a loop over range(n) or range(m, n) turns, or 0 where that is not known.
func (p *SourcePass) turnsOf(loop pysrc.Stmt) int64 {
	over, ok := loop.(*pysrc.For)
	if !ok {
		return 0
	}
	return p.lengthOfRange(over.Iter)
}

// lengthOfRange is how many numbers range(n) or range(m, n) gives, or 0 where that is not known.
func (p *SourcePass) lengthOfRange(iter pysrc.Expr) int64 {
	if name, ok := iter.(*pysrc.Name); ok {
		iter = p.onceSaid(name)
	}
	c, ok := iter.(*pysrc.Call)
	for ok && (lastName(c.Func) == "tqdm" || lastName(c.Func) == "track") && len(c.Args) > 0 {
		c, ok = c.Args[0].(*pysrc.Call)
	}
	if !ok || lastName(c.Func) != "range" && lastName(c.Func) != "trange" {
		return 0
	}
	switch len(c.Args) {
	case 1:
		n, _ := p.Eval(c.Args[0]).Int()
		return n
	case 2:
		from, known := p.Eval(c.Args[0]).Int()
		to, _ := p.endOf(c.Args[1]).Int()
		if !known || from > 1 {
			from = 0 // training may start again from a checkpoint
		}
		return max(to-from, 0)
	}
	return 0
}

// endOf is the value of the end of a range, without the 1 that is added so that it is included.
func (p *SourcePass) endOf(e pysrc.Expr) Value {
	if sum, ok := e.(*pysrc.BinOp); ok && sum.Op == pysrc.Add {
		if one, known := pysrc.IntValue(sum.Right); known && one == 1 {
			return p.Eval(sum.Left)
		}
	}
	return p.Eval(e)
}
