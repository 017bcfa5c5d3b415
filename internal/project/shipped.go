package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// LeftOut is the test that keeps a place, or a call on the way to it, from running as the project is shipped: with the
// defaults of its options, settings and parameters. It is nil where nothing does. Unlike what is switched off in every run,
// a user may well turn it on.
func (e *Eval) LeftOut(way Path, m *Module, n interface{ Bounds() pysrc.Span }) *Condition {
	if found := e.leftOutAt(m, n.Bounds().Start); found != nil {
		return found
	}
	fn := m.FunctionAt(n.Bounds().Start)
	for _, call := range slices.Backward(way.Calls) {
		if found := e.leftOutAt(call.Module(), call.Node.Start); found != nil {
			return found
		}
		if found := e.notMade(fn); found != nil {
			return found
		}
		fn = call.Func
	}
	return e.notMade(fn)
}

// Condition is a test, and what it would have to give.
type Condition struct {
	Module *Module
	Test   pysrc.Expr
	Holds  bool
}

// String is the condition as the source says it.
func (c *Condition) String() string {
	text := strings.Join(strings.Fields(string(c.Module.Text[c.Test.Bounds().Start:c.Test.Bounds().End])), " ")
	switch c.Test.(type) {
	case *pysrc.Name, *pysrc.Attribute, *pysrc.Subscript, *pysrc.Call:
	default:
		if !c.Holds {
			text = "(" + text + ")"
		}
	}
	if !c.Holds {
		return "not " + text
	}
	return text
}

// leftOutAt looks at the tests between an offset and its function or training loop.
func (e *Eval) leftOutAt(m *Module, at int32) (found *Condition) {
	if found = e.unasked(m, m.StatementAt(at), at); found != nil {
		return found
	}
	m.around(at, func(b *Block) bool {
		if test, ok := b.Owner.(*pysrc.If); ok && !movesToGPU(bodyOf(b)) &&
			(!e.p.trainsOnlyIn(m, test, b.Arm) || e.p.trainsAround(m, test)) {
			found = e.contrary(m, test.Test, b.Arm == Body)
		}
		if found == nil {
			found = e.leavesBefore(m, b, at)
		}
		return found == nil && !e.p.IsTrainingLoop(m, b.Owner)
	})
	return found
}

// contrary is a test that gives the opposite of what a place needs, as far as defaults say.
func (e *Eval) contrary(m *Module, test pysrc.Expr, needed bool) *Condition {
	if holds, known := e.shipped(m, test); !known || holds == needed {
		return nil
	}
	for {
		not, ok := test.(*pysrc.UnaryOp)
		if !ok || not.Op != pysrc.Not {
			return &Condition{m, test, needed}
		}
		test, needed = not.Operand, !needed
	}
}

// TakenByDefault reports whether each test around a place, within its function, is known to let it run as the project is
// shipped: x of "x if flag else y" where the flag is on.
func (e *Eval) TakenByDefault(m *Module, n interface{ Bounds() pysrc.Span }) bool {
	at, taken := n.Bounds().Start, true
	need := func(test pysrc.Expr, needed bool) {
		holds, known := e.shipped(m, test)
		taken = taken && known && holds == needed
	}
	if stmt := m.StatementAt(at); stmt != nil {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if choice, ok := n.(*pysrc.IfExp); ok {
				if in := choice.Body.Bounds(); in.Contains(int(at)) {
					need(choice.Test, true)
				} else if in = choice.Orelse.Bounds(); in.Contains(int(at)) {
					need(choice.Test, false)
				}
			}
			return taken
		})
	}
	m.around(at, func(b *Block) bool {
		if test, ok := b.Owner.(*pysrc.If); ok {
			need(test.Test, b.Arm == Body)
		}
		return taken
	})
	return taken
}

// leavesBefore is a test before an offset in its block behind which a run returns by default: if not self.enabled: return.
func (e *Eval) leavesBefore(m *Module, b *Block, at int32) *Condition {
	list := bodyOf(b)
	for i, s := range list {
		if s.Bounds().Start >= at {
			break
		}
		test, ok := s.(*pysrc.If)
		if !ok || test.End > at || len(test.Orelse) > 0 || !leaves(test.Body) || e.p.trainsIn(m, list[i+1:]) && !e.p.trainsIn(m, test.Body) {
			continue
		}
		if found := e.contrary(m, test.Test, false); found != nil {
			return found
		}
	}
	return nil
}

// unasked is the part of an expression that decides before the one at an offset is computed: a of a and b, a if c else b.
func (e *Eval) unasked(m *Module, stmt pysrc.Stmt, at int32) (found *Condition) {
	if stmt == nil {
		return nil
	}
	holds := func(x pysrc.Expr) bool { return x.Bounds().Start <= at && at < x.Bounds().End }
	pysrc.Inspect(stmt, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.BoolOp:
			for _, v := range n.Values {
				if found != nil || !holds(n) || v.Bounds().End > at {
					break
				}
				found = e.contrary(m, v, n.Op == pysrc.And)
			}
		case *pysrc.IfExp:
			if found == nil && (holds(n.Body) || holds(n.Orelse)) {
				found = e.contrary(m, n.Test, holds(n.Body))
			}
		case pysrc.Expr:
			return found == nil && holds(n)
		}
		return found == nil
	})
	return found
}

// shipped reports whether a test holds with the defaults of options, settings and parameters, if those decide.
func (e *Eval) shipped(m *Module, test pysrc.Expr) (holds, known bool) {
	return truth(test, func(x pysrc.Expr) (holds, known bool) {
		switch t := x.(type) {
		case *pysrc.Call: // isinstance(x, type(None))
			if none, ok := noneOf(t); ok {
				return e.isNone(m, none)
			}
			if holds, known = asksForMPS(m, t); known {
				return holds, known
			}
			if holds, known = e.hasField(m, t); known {
				return holds, known
			}
			if holds, known = e.asksForWindows(m, t); known {
				return holds, known
			}
			switch lastName(t.Func) {
			case "len", "bool", "get":
				return e.truthByDefault(m, x)
			}
			return e.isOfType(m, t)
		case *pysrc.Compare:
			if holds, known = asksForMPS(m, t); known {
				return holds, known
			}
			if len(t.Ops) == 1 && pysrc.IsConst(t.Comparators[0], pysrc.None) {
				none, ok := e.isNone(m, t.Left)
				return none == (t.Ops[0] == pysrc.Is || t.Ops[0] == pysrc.Eq), ok
			}
			if holds, known = e.asksForWindows(m, t); known {
				return holds, known
			}
			if key, ok := pysrc.StringValue(t.Left); ok && len(t.Ops) == 1 && (t.Ops[0] == pysrc.In || t.Ops[0] == pysrc.NotIn) && e.absentSetting(m, t.Comparators[0], key) {
				return t.Ops[0] == pysrc.NotIn, true
			}
			if holds, known = e.countedByDefault(m, t); known {
				return holds, known
			}
			return e.truthByDefault(m, x)
		case *pysrc.Name, *pysrc.Attribute, *pysrc.Subscript:
			return e.truthByDefault(m, x)
		}
		return false, false
	})
}

// noneOf is x of isinstance(x, type(None)).
func noneOf(c *pysrc.Call) (pysrc.Expr, bool) {
	if lastName(c.Func) != "isinstance" || len(c.Args) != 2 {
		return nil, false
	}
	class, ok := c.Args[1].(*pysrc.Call)
	return c.Args[0], ok && lastName(class.Func) == "type" && len(class.Args) == 1 && pysrc.IsConst(class.Args[0], pysrc.None)
}

func (e *Eval) truthByDefault(m *Module, x pysrc.Expr) (holds, known bool) {
	v, ok := e.followed(m, x, 0)
	holds, known = v.Truth()
	return holds, ok && known
}

// byDefault is the literal that an expression gives in every step unless a user says otherwise.
func (e *Eval) byDefault(m *Module, x pysrc.Expr) (Value, bool) {
	e.steps = mostSteps
	v := e.Of(m, x)
	if v.Kind != Literal { // of several, all of which say the same; nothing is said by who leaves it to a default
		var said *Value
		for i := range v.Either {
			w := &v.Either[i]
			switch {
			case w.Kind == Missing:
			case w.Kind != Literal || said != nil && w.Scalar != said.Scalar:
				return v, false
			case said == nil:
				said = w
			}
		}
		if said == nil {
			return v, false
		}
		v = *said
	}
	return v, e.isShipped(m, x, v)
}

// isShipped reports a value that options, settings or defaults give, the same in every step, and no script changes.
func (e *Eval) isShipped(m *Module, x pysrc.Expr, v Value) bool {
	switch v.Origin.How {
	case Nowhere, InPlace, ByVariable, ByEnvironment:
		return false
	case ByScript:
		return true
	case ByCaller:
		if FieldOfSelf(x) == "" {
			return false // another call may be meant
		}
	case ByDefault:
		if fn := e.p.functionOf(v.Origin); fn == nil || fn.BaseName() != "__init__" && len(fn.callers()) == 0 {
			return false // what a user of a library gives is not known
		}
	case BySettings:
		if e.p.isChoice(v.Origin.Source) && !e.p.agree(v) {
			return false
		}
	}
	if !e.p.isSetOnce(x) && !(v.Origin.How >= ByField && e.p.neverSet(x)) && e.Steady(m, x) != Always {
		return false
	}
	if field := FieldOfSelf(x); field != "" {
		if c := m.FunctionAt(x.Bounds().Start).Class; c != nil && c.registers(field) {
			return false
		}
	}
	return !e.oftenSet(v, x)
}
