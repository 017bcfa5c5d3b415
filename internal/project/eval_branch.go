package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// taken is whether a place in a function runs in one call of it.
type taken uint8

const (
	maybe taken = iota
	never
	always
)

// takenIn reports whether a block of a function runs in a call of it, by the literals that the call passes: of
// make_loader(train=True), the arm if train and not the other.
func (e *Eval) takenIn(call *Site, f *Function, id BlockID) taken {
	m := f.Module
	result := always
	for ; id >= 0 && m.blocks[id].Func == f && id != f.body; id = m.blocks[id].Parent {
		b := &m.blocks[id]
		test, ok := b.Owner.(*pysrc.If)
		if !ok {
			if _, with := b.Owner.(*pysrc.With); !with {
				result = maybe
			}
			continue
		}
		holds, known := e.testIn(call, f, test.Test)
		switch {
		case !known:
			result = maybe
		case holds != (b.Arm == Body):
			return never
		}
	}
	return result
}

// NeverRuns reports whether a call of a function never reaches a place in it, judging by the literals that the call passes.
func (e *Eval) NeverRuns(call *Site, f *Function, at interface{ Bounds() pysrc.Span }) bool {
	e.steps = mostSteps
	return e.takenIn(call, f, f.Module.BlockAt(at.Bounds().Start)) == never
}

// testIn reports whether a test of a parameter holds in a call: train, not train, mode == "train".
func (e *Eval) testIn(call *Site, f *Function, test pysrc.Expr) (holds, known bool) {
	switch t := test.(type) {
	case *pysrc.Name, *pysrc.Attribute:
		v, ok := e.literalIn(call, f, t)
		is, known := v.Truth()
		return is, ok && known
	case *pysrc.UnaryOp:
		if t.Op == pysrc.Not {
			holds, known = e.testIn(call, f, t.Operand)
			return !holds, known
		}
	case *pysrc.Compare:
		if len(t.Ops) != 1 {
			return false, false
		}
		v, ok := e.literalIn(call, f, t.Left)
		if !ok {
			return false, false
		}
		want, ok := t.Comparators[0].(*pysrc.Constant)
		if !ok {
			return e.memberIn(v, t)
		}
		switch t.Ops[0] {
		case pysrc.Eq, pysrc.Is:
			return v.Scalar == scalarOf(want), true
		case pysrc.NotEq, pysrc.IsNot:
			return v.Scalar != scalarOf(want), true
		}
	case *pysrc.BoolOp:
		return e.allIn(call, f, t)
	}
	return false, false
}

// memberIn is testIn for mode in ("train", "fit").
func (e *Eval) memberIn(v Value, t *pysrc.Compare) (holds, known bool) {
	elts := elements(t.Comparators[0])
	if elts == nil || t.Ops[0] != pysrc.In && t.Ops[0] != pysrc.NotIn {
		return false, false
	}
	for _, x := range elts {
		c, ok := x.(*pysrc.Constant)
		if !ok {
			return false, false
		}
		holds = holds || scalarOf(c) == v.Scalar
	}
	return holds == (t.Ops[0] == pysrc.In), true
}

// allIn is testIn for a and b, a or b.
func (e *Eval) allIn(call *Site, f *Function, t *pysrc.BoolOp) (holds, known bool) {
	decides := t.Op == pysrc.Or // the value of one part that decides the whole
	known = true
	for _, part := range t.Values {
		h, k := e.testIn(call, f, part)
		if k && h == decides {
			return decides, true
		}
		known = known && k
	}
	return !decides, known
}

// literalIn is the literal that a call passes for a parameter that the function does not set to something else, or for a
// field that a constructor sets to such a parameter: self.split = split.
func (e *Eval) literalIn(call *Site, f *Function, x pysrc.Expr) (Value, bool) {
	if a, ok := x.(*pysrc.Attribute); ok && IsSelf(a.Value) && f.Class != nil && len(f.Class.attrs[a.Attr]) == 1 && f.BaseName() == "__init__" {
		if set := f.Class.attrs[a.Attr][0]; set.fn == f && set.path == 0 {
			x = set.value
		}
	}
	name, ok := x.(*pysrc.Name)
	if !ok {
		return Value{}, false
	}
	var again []Scalar // what the function sets it to
	b := f.Scope.last(name.ID)
	for ; b != nil && b.Kind == Assigned; b = b.prior {
		c, ok := b.Value.(*pysrc.Constant)
		if !ok || b.path != 0 {
			return Value{}, false
		}
		again = append(again, scalarOf(c))
	}
	if b == nil || b.Kind != Parameter {
		return Value{}, false
	}
	v, _ := e.findArgument(call, name.ID, e.signature(call), 0)
	if v.Kind == Missing {
		v = e.defaultOf(f, name.ID)
	}
	other := slices.ContainsFunc(again, func(s Scalar) bool { return s != v.Scalar })
	return v, v.Kind == Literal && !other && (v.Origin.How == InPlace || v.Origin.How == ByDefault)
}

// returnedTo returns the value of one call of a function: it considers only returns that the call's literals allow.
func (e *Eval) returnedTo(call *Site, f *Function) Value {
	if len(f.returns) < 2 || call == nil || f.Params() == nil {
		return e.returned(f)
	}
	var few [8]pysrc.Expr
	left := few[:0]
	for _, r := range f.returns {
		taken := e.takenIn(call, f, f.Module.BlockAt(r.Bounds().Start))
		if taken == never {
			continue
		}
		left = append(left, r)
		if taken == always {
			break // what stands below it is not reached
		}
	}
	if len(left) == len(f.returns) || len(left) == 0 {
		return e.returned(f) // which is remembered
	}
	from := len(e.possible)
	for _, r := range left {
		e.mayBe(e.expr(r, f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope).via(ByVariable))
	}
	return e.merged(from)
}
