package project

import "saturate/internal/pysrc"

// isLastTurn reports the two sides of a test for the last turn of a loop around it: i and len(loader) - 1, i + 1 and len(loader), of
// for i, batch in enumerate(loader).
func (m *Module) isLastTurn(left, right pysrc.Expr) (last bool) {
	counter, ok := withoutNumber(left).(*pysrc.Name)
	if !ok {
		return false
	}
	length, ok := withoutNumber(right).(*pysrc.Call)
	if !ok || len(length.Args) != 1 || pysrc.DottedName(length.Func) != "len" {
		return false
	}
	m.around(left.Bounds().Start, func(b *Block) bool {
		loop, ok := b.Owner.(*pysrc.For)
		if !ok || b.Arm != Body {
			return true
		}
		target, ok := loop.Target.(*pysrc.Tuple)
		count, counts := loop.Iter.(*pysrc.Call)
		if !ok || !counts || len(target.Elts) == 0 || len(count.Args) == 0 || pysrc.DottedName(count.Func) != "enumerate" {
			return true
		}
		name, ok := target.Elts[0].(*pysrc.Name)
		last = ok && name.ID == counter.ID && pysrcText(m, count.Args[0]) == pysrcText(m, length.Args[0])
		return !last
	})
	return last
}

// withoutNumber is x of x + 1 and of x - 1.
func withoutNumber(e pysrc.Expr) pysrc.Expr {
	sum, ok := e.(*pysrc.BinOp)
	if !ok || sum.Op != pysrc.Add && sum.Op != pysrc.Sub {
		return e
	}
	if _, whole := pysrc.IntValue(sum.Right); !whole {
		return e
	}
	return sum.Left
}
