package project

import "saturate/internal/pysrc"

// truth walks a test of not, and, or down to its leaves, and says whether it holds if what is known of them decides.
// Questions differ in which leaves they believe: what every run gives, what defaults give, what training gives.
func truth(test pysrc.Expr, leaf func(pysrc.Expr) (holds, known bool)) (holds, known bool) {
	switch t := test.(type) {
	case *pysrc.UnaryOp:
		if t.Op == pysrc.Not {
			holds, known = truth(t.Operand, leaf)
			return !holds, known
		}
	case *pysrc.BoolOp:
		all := true
		for _, v := range t.Values {
			h, ok := truth(v, leaf)
			if ok && h == (t.Op == pysrc.Or) {
				return h, true // one part decides
			}
			all = all && ok
		}
		return t.Op == pysrc.And, all
	}
	return leaf(test)
}
