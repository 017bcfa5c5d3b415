package project

import "saturate/internal/pysrc"

// mostShown is how many samples or batches are few: to look at, and not to measure.
const mostShown = 16

// EndsEarly reports a loop that a counter ends after a few rounds: if count == examples: break.
func (e *Eval) EndsEarly(m *Module, loop *pysrc.For) bool {
	for _, s := range loop.Body {
		test, ok := s.(*pysrc.If)
		if !ok || len(test.Body) == 0 {
			continue
		}
		if _, ends := test.Body[len(test.Body)-1].(*pysrc.Break); !ends {
			continue
		}
		c, ok := test.Test.(*pysrc.Compare)
		if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.Eq && c.Ops[0] != pysrc.GtE && c.Ops[0] != pysrc.Gt || !m.countsRounds(c.Left) {
			continue
		}
		e.steps = mostSteps
		if isFew(e.Of(m, c.Comparators[0])) {
			return true
		}
	}
	return false
}

// countsRounds reports a variable that a loop counts up, or that enumerate does.
func (m *Module) countsRounds(x pysrc.Expr) bool {
	name, ok := x.(*pysrc.Name)
	if !ok {
		return false
	}
	for b := m.blocks[m.BlockAt(name.Start)].Scope.last(name.ID); b != nil; b = b.prior {
		if over, ok := b.Value.(*pysrc.Call); b.Kind == Augmented || b.Kind == Iterated && ok && lastName(over.Func) == "range" {
			return true
		}
	}
	return m.enumerates(name)
}

// isFew reports a small number, or one of several small numbers.
func isFew(v Value) bool {
	if len(v.Either) == 0 {
		v.Either = []Value{v}
	}
	for _, w := range v.Either {
		if n, known := w.Int(); !known || n <= 0 || n > mostShown {
			return false
		}
	}
	return true
}
