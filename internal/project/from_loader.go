package project

import "saturate/internal/pysrc"

// FromLoader reports a variable that holds what a loop takes from a DataLoader of torch and that nothing sets anew: its
// tensors are still on the host.
func (e *Eval) FromLoader(m *Module, name *pysrc.Name) bool {
	b := m.blocks[m.BlockAt(name.Start)].Scope.last(name.ID)
	if b == nil || b.Kind != Iterated || b.prior != nil {
		return false
	}
	loop, ok := b.Node.(*pysrc.For)
	if !ok {
		return false
	}
	over := m.iteratedBehind(loop.Iter)
	if over == nil {
		return false
	}
	e.steps = mostSteps
	v := e.expr(over, m.blocks[m.BlockAt(loop.Start)].Scope)
	return !v.prepared && e.onlyLoader(v) != nil
}
