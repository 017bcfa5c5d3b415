package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// servesTesting reports the arm for another of the words that callers give, of which one is "train": if self.phase == "test".
func (e *Eval) servesTesting(m *Module, test pysrc.Expr, arm Arm) bool {
	c, ok := test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.Eq && c.Ops[0] != pysrc.NotEq {
		return false
	}
	word, ok := pysrc.StringValue(c.Comparators[0])
	if !ok || (word == "train") == ((c.Ops[0] == pysrc.Eq) == (arm == Body)) {
		return false
	}
	e.steps = mostSteps
	v := e.Of(m, c.Left)
	return slices.ContainsFunc(v.Either, func(w Value) bool { return w.Equals("train") }) &&
		(word == "train" || slices.ContainsFunc(v.Either, func(w Value) bool { return w.Equals(word) }))
}

// asksForSample reports a test whether a batch holds one sample: if example in ids, where the example is the same in every
// step and the ids come with the batch.
func (e *Eval) asksForSample(m *Module, test pysrc.Expr) bool {
	c, ok := test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.In {
		return false
	}
	ids, ok := c.Comparators[0].(*pysrc.Name)
	if !ok {
		return false
	}
	sample, ok := c.Left.(*pysrc.Name) // a string is a key of the batch, which each has
	if !ok {
		return false
	}
	b := m.blocks[m.BlockAt(ids.Start)].Scope.last(ids.ID)
	if b == nil || b.Kind != Iterated || b.prior != nil {
		return false
	}
	loop, ok := m.LoopAround(c).(*pysrc.For)
	if !ok || !e.p.IsTrainingLoop(m, loop) || b.Value != loop.Iter {
		return false
	}
	_, from := m.blocks[m.BlockAt(sample.Start)].Scope.find(sample.ID)
	for ; from != nil; from = from.prior {
		if loop.Bounds().Contains(int(from.At)) {
			return false
		}
	}
	return true
}
