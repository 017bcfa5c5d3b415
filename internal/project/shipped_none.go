package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// isNone reports whether an expression is None in a training step, as far as defaults and the callers decide.
func (e *Eval) isNone(m *Module, x pysrc.Expr) (none, known bool) {
	if v, ok := e.followed(m, x, 0); ok {
		return v.IsNone(), true
	}
	name, ok := x.(*pysrc.Name)
	if !ok || !isGiven(m, name) {
		return false, false
	}
	return e.noneGiven(m.FunctionAt(name.Start), name.ID, 0)
}

// isGiven reports a parameter that its function does not set to something else.
func isGiven(m *Module, name *pysrc.Name) bool {
	b := m.FunctionAt(name.Start).Scope.last(name.ID)
	for ; b != nil && b.Kind != Parameter; b = b.prior {
		if b.At < name.Start {
			return false // it is set before
		}
	}
	return b != nil
}

// noneGiven reports whether training steps give None for a parameter, or nothing where None is its default, if all of
// them do the same.
func (e *Eval) noneGiven(fn *Function, name string, depth int) (none, known bool) {
	givers := e.p.givers[fn]
	if depth > deepestDefault || len(givers) == 0 || len(givers) > mostCallers || fn.Params() == nil {
		return false, false
	}
	for i, s := range givers {
		is, ok := e.noneFrom(s, fn, name, depth)
		if !ok || i > 0 && is != none {
			return false, false
		}
		none = is
	}
	return none, true
}

func (e *Eval) noneFrom(s *Site, fn *Function, name string, depth int) (none, known bool) {
	given := s.Given(fn, name)
	if given == nil {
		if s.givesMore() {
			return false, false
		}
		return true, pysrc.IsConst(fn.Params().Default(name), pysrc.None)
	}
	m := s.Module()
	switch x := given.(type) {
	case *pysrc.Constant:
		return pysrc.IsConst(x, pysrc.None), true
	case *pysrc.Name:
		if isGiven(m, x) {
			if e.noneIsDefault(m.FunctionAt(x.Start), x.ID) {
				return e.noneGiven(m.FunctionAt(x.Start), x.ID, depth+1)
			}
			return false, false
		}
		return false, m.alwaysSet(x)
	}
	return false, m.neverNone(given)
}

// noneIsDefault reports a parameter that is None where it is not given.
func (e *Eval) noneIsDefault(fn *Function, name string) bool {
	return fn.Params() != nil && pysrc.IsConst(fn.Params().Default(name), pysrc.None)
}

// alwaysSet reports a variable that is set to something computed wherever it is set, and to None nowhere.
func (m *Module) alwaysSet(name *pysrc.Name) bool {
	_, b := m.blocks[m.BlockAt(name.Start)].Scope.find(name.ID)
	found := false
	for ; b != nil; b = b.prior {
		switch b.Kind {
		case Iterated:
		case Assigned:
			if b.path != 0 || !m.neverNone(b.Value) {
				return false
			}
		default:
			return false
		}
		found = true
	}
	return found
}

// neverNone reports what is computed and gives no None: a sum, a list, what torch or NumPy returns.
func (m *Module) neverNone(x pysrc.Expr) bool {
	switch x := x.(type) {
	case *pysrc.BinOp, *pysrc.Compare, *pysrc.Tuple, *pysrc.List, *pysrc.Dict, *pysrc.ListComp, *pysrc.JoinedStr:
		return true
	case *pysrc.Constant:
		return !pysrc.IsConst(x, pysrc.None)
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "cuda", "to", "float", "long", "size", "max", "len", "item":
			return true
		}
		s := m.SiteAt(x)
		return s != nil && s.Calls.Kind == Callable && (strings.HasPrefix(s.Calls.Name, "torch.") || strings.HasPrefix(s.Calls.Name, "numpy."))
	}
	return false
}
