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
	if way.Kind != project.TrainingLoop || way.Root == nil || p.Project.Tries {
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

// turnsOf is how often a loop over range(n) turns, or 0 where that is not known.
func (p *SourcePass) turnsOf(loop *pysrc.For) int64 {
	c, ok := loop.Iter.(*pysrc.Call)
	if !ok || len(c.Args) != 1 || lastName(c.Func) != "range" {
		return 0
	}
	n, _ := p.Eval(c.Args[0]).Int()
	return n
}
