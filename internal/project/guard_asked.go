package project

import "saturate/internal/pysrc"

// asksSeldom reports a call of a function of the project that returns True only below a test that holds now and then, and
// otherwise False: def due(self, step): if step % self.every == 0: return True; return False.
func (m *Module) asksSeldom(call *pysrc.Call) bool {
	s := m.SiteAt(call)
	if s == nil || s.Calls.Func == nil || s.Calls.Func.Def == nil {
		return false
	}
	fn, seldom := s.Calls.Func, false
	for _, r := range fn.returns {
		if pysrc.IsConst(r, pysrc.False) {
			continue
		}
		block := fn.Module.Block(fn.Module.BlockAt(r.Bounds().Start))
		test, ok := block.Owner.(*pysrc.If)
		if !ok || block.Arm != Body || !pysrc.IsConst(r, pysrc.True) {
			return false
		}
		if kind, negated, known := fn.Module.classify(test.Test); !known || negated || kind != EveryN {
			return false
		}
		seldom = true
	}
	return seldom
}
