package project

import "saturate/internal/pysrc"

// TrainingSkips reports a place in a method that no object made for training gets to, by the literals that its
// constructor was called with: below else of if self.split == "train".
func (e *Eval) TrainingSkips(m *Module, n interface{ Bounds() pysrc.Span }) bool {
	at := n.Bounds().Start
	fn := m.FunctionAt(at)
	if fn.Class == nil || fn.Def == nil {
		return false
	}
	init := fn.Class.Methods["__init__"]
	makers := init.callers()
	if init == nil || len(makers) == 0 || len(makers) > mostCallers {
		return false
	}
	found := false
	for _, s := range makers {
		e.steps = mostSteps
		switch {
		case e.skips(s, init, fn, at):
			found = true
		case !e.p.EvaluationOnly(s.Module(), s):
			return false
		}
	}
	return found
}

// skips reports whether a method of the object that a call made never gets to a place.
func (e *Eval) skips(made *Site, init, fn *Function, at int32) bool {
	m := fn.Module
	for id := m.BlockAt(at); id >= 0 && m.blocks[id].Func == fn && id != fn.body; id = m.blocks[id].Parent {
		b := &m.blocks[id]
		if test, ok := b.Owner.(*pysrc.If); ok && ofSelf(test.Test) {
			if holds, known := e.testIn(made, init, test.Test); known && holds != (b.Arm == Body) {
				return true
			}
		}
	}
	for _, s := range fn.Def.Body {
		test, ok := s.(*pysrc.If)
		if !ok || test.End > at || len(test.Body) == 0 || !ofSelf(test.Test) {
			continue
		}
		if _, returns := test.Body[len(test.Body)-1].(*pysrc.Return); !returns {
			continue
		}
		if holds, known := e.testIn(made, init, test.Test); known && holds {
			return true
		}
	}
	return false
}

// ofSelf reports a test that asks fields of the object and no variable of the method.
func ofSelf(test pysrc.Expr) bool {
	fields, others := false, false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Attribute:
			if IsSelf(n.Value) {
				fields = true
				return false
			}
		case *pysrc.Name:
			others = true
		}
		return true
	})
	return fields && !others
}
