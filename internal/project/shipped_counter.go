package project

import "saturate/internal/pysrc"

// deepestCounter is through how many calls a counter is followed to its loop.
const deepestCounter = 3

// countedByDefault answers a comparison of the variable of a loop over range with a number where the bounds of the range settle it as
// the project is shipped: epoch < warmup never holds where warmup is 0, epoch >= late where late is more than all epochs.
func (e *Eval) countedByDefault(m *Module, x *pysrc.Compare) (holds, known bool) {
	name, ok := x.Left.(*pysrc.Name)
	if !ok || len(x.Ops) != 1 {
		return false, false
	}
	limit, ok := e.numberByDefault(m, x.Comparators[0])
	if !ok {
		return false, false
	}
	in, turns := e.countsIn(m, name, deepestCounter)
	if turns == nil {
		return false, false
	}
	var from float64
	if len(turns.Args) == 2 {
		if from, ok = e.numberByDefault(in, turns.Args[0]); !ok {
			return false, false
		}
	}
	end, ended := e.numberByDefault(in, turns.Args[len(turns.Args)-1])
	switch x.Ops[0] {
	case pysrc.Lt:
		return from < limit, from >= limit || ended && end <= limit
	case pysrc.LtE:
		return from <= limit, from > limit || ended && end <= limit+1
	case pysrc.Gt:
		return from > limit, from > limit || ended && end <= limit+1
	case pysrc.GtE:
		return from >= limit, from >= limit || ended && end <= limit
	case pysrc.Eq:
		return false, from > limit || ended && end <= limit
	}
	return false, false
}

func (e *Eval) numberByDefault(m *Module, x pysrc.Expr) (float64, bool) {
	if n, ok := pysrc.FloatValue(x); ok {
		return n, true
	}
	v, ok := e.byDefault(m, x)
	n, number := v.Float()
	return n, ok && number
}

// countsIn is the range that a variable counts through in the loop around it, and its module; of a parameter, that of the one call of
// its function.
func (e *Eval) countsIn(m *Module, name *pysrc.Name, calls int) (*Module, *pysrc.Call) {
	sc, last := m.blocks[m.BlockAt(name.Start)].Scope.find(name.ID)
	if last == nil || calls == 0 {
		return nil, nil
	}
	if fn := sc.Func; last.Kind == Parameter && last.prior == nil && fn != nil && len(fn.callers()) == 1 {
		s := fn.callers()[0]
		if given, ok := s.Given(fn, name.ID).(*pysrc.Name); ok {
			return e.countsIn(s.Module(), given, calls-1)
		}
		return nil, nil
	}
	var loop *pysrc.For
	for b := last; b != nil && loop == nil; b = b.prior {
		if around, ok := b.Node.(*pysrc.For); ok && b.path == 0 && around.Contains(int(name.Start)) {
			loop = around
		}
	}
	if loop == nil {
		return nil, nil
	}
	for b := last; b != nil; b = b.prior {
		if b.Node != pysrc.Node(loop) && loop.Contains(int(b.At)) {
			return nil, nil // set anew in there
		}
	}
	turns, ok := loop.Iter.(*pysrc.Call)
	for ok && len(turns.Args) > 0 && lastName(turns.Func) != "range" && lastName(turns.Func) != "trange" {
		turns, ok = turns.Args[0].(*pysrc.Call) // tqdm(range(epochs))
	}
	if !ok || len(turns.Args) == 0 || len(turns.Args) > 2 {
		return nil, nil
	}
	return m, turns
}
