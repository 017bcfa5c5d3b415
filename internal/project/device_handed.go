package project

import "saturate/internal/pysrc"

// tensorHandedBack is tensorCall for a helper that gives back what it is given: default(x, 1), which returns x if it is not
// None. What others give it says nothing of this call.
func (e *Eval) tensorHandedBack(f *Function, x *pysrc.Call, sc *Scope, depth int) (sure float64, known bool) {
	if f.Class != nil || f.Def == nil || len(f.returns) == 0 {
		return 0, false
	}
	var back []string
	for _, r := range f.returns {
		if !f.handsBack(r, &back) {
			return 0, false
		}
	}
	parameters := positional(f, false)
	for i, a := range x.Args {
		if _, star := a.(*pysrc.Starred); star || i >= len(parameters) {
			return 0, false
		}
	}
	for _, name := range back {
		if len(e.p.moves[movedName{f, name}]) > 0 {
			return 0, false // it gives back more than it was given
		}
		var given pysrc.Expr
		for i, a := range x.Args {
			if parameters[i].Name == name {
				given = a
			}
		}
		if k := x.Keyword(name); k != nil {
			given = k.Value
		}
		switch given := given.(type) {
		case nil:
		case *pysrc.Lambda: // called for what is missing
			sure = max(sure, e.tensor(given.Body, sc.Module.scopeAt(given.Body), depth+1))
		default:
			sure = max(sure, e.tensor(given, sc, depth+1))
		}
	}
	return sure, x.Keyword("") == nil
}

// handsBack reports an expression that is one of the function's parameters, or a tuple of them, and lists those.
func (f *Function) handsBack(x pysrc.Expr, names *[]string) bool {
	all := func(parts ...pysrc.Expr) bool {
		for _, part := range parts {
			if !f.handsBack(part, names) {
				return false
			}
		}
		return true
	}
	switch x := x.(type) {
	case *pysrc.Constant:
		return true
	case *pysrc.Name:
		b := f.Scope.last(x.ID)
		*names = append(*names, x.ID)
		return b != nil && b.Kind == Parameter && b.prior == nil
	case *pysrc.IfExp:
		return all(x.Body, x.Orelse)
	case *pysrc.Tuple:
		return all(x.Elts...)
	case *pysrc.List:
		return all(x.Elts...)
	case *pysrc.BinOp: // (x,) * count
		_, tuple := x.Left.(*pysrc.Tuple)
		return x.Op == pysrc.Mult && tuple && all(x.Left)
	case *pysrc.Call: // make() if callable(make)
		return len(x.Args)+len(x.Keywords) == 0 && all(x.Func)
	}
	return false
}
