package project

import "saturate/internal/pysrc"

// Truth reports whether Python takes a value for true, if that is known.
func (v *Value) Truth() (is, known bool) {
	switch v.Kind {
	case Literal:
		switch s := &v.Scalar; s.Type {
		case Bool:
			return s.Bool, true
		case Null:
			return false, true
		case Int:
			return s.Int != 0, true
		case Float:
			return s.Float != 0, true
		case String:
			return s.Text != "", true
		}
	case Type, Callable, Package:
		return true, !v.member && len(v.Either) == 0
	}
	return false, false
}

// logical is a and b, a or b: the operand that decides, or those that may be the result.
func (e *Eval) logical(x *pysrc.BoolOp, sc *Scope) Value {
	var few [4]Value
	left := few[:0]
	sure := Certain
	for i, operand := range x.Values {
		v := e.expr(operand, sc)
		is, known := v.Truth()
		if known && is == (x.Op == pysrc.Or) && v.Kind == Literal {
			if len(left) == 0 || x.Op == pysrc.And {
				return v.lessSure(sure) // False and …, whatever the others are
			}
			return merge(append(left, v))
		}
		if !known && x.Op == pysrc.Or && i < len(x.Values)-1 && isEnvironmentRead(operand) {
			sure = Perhaps
			continue // what follows holds where nobody sets the variable
		}
		if !known || i == len(x.Values)-1 {
			left = append(left, v)
		}
	}
	return merge(left).lessSure(sure)
}

// conditional is a if test else b: the arm that settings and defaults choose, or both.
func (e *Eval) conditional(x *pysrc.IfExp, sc *Scope) Value {
	test := e.expr(x.Test, sc)
	if is, known := test.Truth(); known && test.Kind == Literal {
		taken, other := e.expr(x.Body, sc), e.expr(x.Orelse, sc)
		if !is {
			taken, other = other, taken
		}
		if taken.Kind == Literal && other.Kind == Literal && taken.Scalar == other.Scalar {
			return taken
		}
		return taken.lessSure(max(test.Sure, Perhaps)).chosenBy(test)
	}
	return e.either([]pysrc.Expr{x.Body, x.Orelse}, sc)
}

// chosenBy notes where the switch is set that chose a value.
func (v Value) chosenBy(by Value) Value {
	if by.Origin.Source == nil || by.Origin.How == InPlace {
		return v
	}
	m := v.moreOf()
	m.chosen = by.Origin
	v.more = &m
	return v
}

// Chosen is where the switch is set that chose this value among others; its Source is nil where there is none.
func (v Value) Chosen() Origin {
	if v.more == nil {
		return Origin{}
	}
	return v.more.chosen
}

// compared works out a == b, a is None, a > b and a in (b, c) where both sides are known.
func (e *Eval) compared(x *pysrc.Compare, sc *Scope) Value {
	if len(x.Ops) != 1 {
		return Value{}
	}
	left := e.expr(x.Left, sc)
	if left.Kind == Unknown && len(left.Either) > 0 {
		return e.comparedEither(left, x, sc)
	}
	if left.Kind != Literal && !left.isConstant() {
		return Value{}
	}
	right := e.expr(x.Comparators[0], sc)
	same, known := e.comparison(x.Ops[0], left, right)
	if !known {
		return Value{}
	}
	v := e.literal(Scalar{Type: Bool, Bool: same}, x, sc).lessSure(left.Sure * right.Sure)
	if left.Origin.How > InPlace { // no edit of the comparison, but of what it asks
		v.Origin = Origin{Source: left.Origin.Source, Span: pysrc.Span{Start: left.Origin.Span.Start, End: left.Origin.Span.Start}, How: left.Origin.How}
	}
	return v
}

// comparedEither is a comparison of a value that callers decide, mode == "train": what it is for each of them, where all are known.
func (e *Eval) comparedEither(left Value, x *pysrc.Compare, sc *Scope) Value {
	right := e.expr(x.Comparators[0], sc)
	from, all := len(e.possible), true
	for i := range left.Either {
		is, known := e.comparison(x.Ops[0], left.Either[i], right)
		if all = known; !all {
			break
		}
		e.mayBe(e.literal(Scalar{Type: Bool, Bool: is}, x, sc).lessSure(left.Either[i].Sure * right.Sure))
	}
	if v := e.merged(from); all {
		return v
	}
	return Value{}
}
