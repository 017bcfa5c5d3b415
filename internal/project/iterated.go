package project

import "saturate/internal/pysrc"

// followIterated tells of what the for loops of a visited function take their elements from, where the project wrote it:
// for batch in self.batches runs __next__ of the object for each batch, though no call says so.
func (p *Project) followIterated(e *Eval, v *visit, limit *Block, hot bool, reach func(*visit)) {
	m := v.fn.Module
	if v.fn.Lambda != nil {
		return
	}
	end := m.blocks[v.fn.body].Span.End
	for id := v.fn.body; int(id) < len(m.blocks) && m.blocks[id].Span.Start < end; id++ {
		b := &m.blocks[id]
		loop, ok := b.Owner.(*pysrc.For)
		if !ok || b.Arm != Body || b.Func != v.fn || v.loop != nil && (!m.holds(v.loop.block, b.Parent) || v.loop.block == id) ||
			v.within > 0 && v.within != id && !m.holds(v.within, b.Parent) || m.isUnreached(loop.Start) {
			continue
		}
		x := m.iteratedBehind(loop.Iter)
		if x == nil || m.guardWithin(loop.Start, limit).Cold() {
			continue
		}
		e.steps = mostSteps
		taken := e.expr(x, m.blocks[b.Parent].Scope)
		for _, w := range append([]Value{taken}, taken.Either...) {
			next := e.takenBy(w, 0)
			if next == nil || next == v.fn || next == w.Func || p.evaluates(next) || hot && p.starts(next, v.root, v.kind) {
				continue // a call of a generator is a call
			}
			via := &Site{Node: &pysrc.Call{Span: x.Bounds(), Func: x}, Func: v.fn, Block: b.Parent, Calls: nothing}
			from := v
			if v.loop != nil {
				from = &visit{root: v.root, kind: v.kind, fn: v.fn, loop: v.loop, sure: v.sure}
			}
			reach(&visit{
				root: v.root, kind: v.kind, fn: next, from: from, via: via, sure: v.sure * Likely, depth: v.depth + 1,
				cache: v.cache, within: next.yieldLoop(),
			})
		}
	}
}

// takenBy is TakenBy, also for an object whose __iter__ makes another that is gone over: return Batches(self).
func (e *Eval) takenBy(v Value, depth int) *Function {
	next := v.TakenBy()
	if next != nil || v.Kind != Instance || v.Class == nil || depth > 1 ||
		v.Class.Derives("torch.utils.data.DataLoader", "torch.utils.data.Dataset", "torch.nn.Module") {
		return next
	}
	made := v.Class.Method("__iter__")
	if made == nil {
		return nil
	}
	for _, r := range made.returns {
		w := e.expr(r, made.Module.scopeAt(r))
		if next = e.takenBy(w, depth+1); next != nil {
			return next
		}
	}
	return nil
}
