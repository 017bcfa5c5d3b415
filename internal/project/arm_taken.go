package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// A variable that several arms of an if set holds, as the project is shipped, what the arm sets that its options and defaults choose:
// transform of if args.aug == "none": … elif args.aug == "crop": …, where "crop" is the default.

// defaults returns the Eval that is asked which arms are taken. It takes no arm for granted itself, so that the answers lead to no
// further questions of that kind.
func (e *Eval) defaults() *Eval {
	if e.plain {
		return e
	}
	if e.arms == nil {
		e.arms = e.p.NewEval()
		e.arms.plain = true
	}
	return e.arms
}

// armTaken reports whether an arm of an if runs as the project is shipped.
func (e *Eval) armTaken(m *Module, id BlockID) taken {
	b := &m.blocks[id]
	key := armOf{m, id}
	if known, asked := e.armsTaken[key]; asked {
		return known
	}
	if !e.plain {
		if known, asked := e.p.arms.Load(key); asked {
			return known.(taken)
		}
	}
	if e.armsTaken == nil {
		e.armsTaken = map[armOf]taken{}
	}
	e.armsTaken[key] = maybe // where its test leads back to it: if not hasattr(self, "x"): self.x = …
	result := maybe
	if holds, known := e.defaults().shipped(m, b.Owner.(*pysrc.If).Test); known {
		if result = always; holds != (b.Arm == Body) {
			result = never
		}
	}
	if e.plain {
		e.armsTaken[key] = result
	} else {
		delete(e.armsTaken, key)
		e.p.arms.Store(key, result) // which no question leads to that is still open: it is the same for all who ask
	}
	return result
}

// armOf is an arm of an if in a module.
type armOf struct {
	module *Module
	block  BlockID
}

// choosesArms reports whether values are those of the project as it is shipped: not while its calls are linked, nor in a
// function that is read for one call, whose arguments may choose others.
func (e *Eval) choosesArms() bool { return !e.plain && e.p.linked && len(e.through) == 0 }

// setAsShipped reports whether a block runs before the end of another one around it, by the arms that the project takes as shipped.
func (e *Eval) setAsShipped(m *Module, id, end BlockID, use BlockID) taken {
	result := always
	for ; id >= 0 && id != end && !m.holds(id, use); id = m.blocks[id].Parent {
		switch m.blocks[id].Owner.(type) {
		case *pysrc.If:
			switch e.armTaken(m, id) {
			case never:
				return never
			case maybe:
				result = maybe
			}
		case *pysrc.With:
		default:
			result = maybe
		}
	}
	return result
}

// chosen are those bindings of a name, nearest first, that set it as the project is shipped. All of them are if one holds a device:
// who trains turns the GPU on.
func (e *Eval) chosen(list []*Binding, m *Module, use BlockID) []*Binding {
	if !m.anyInArm(list) {
		return list
	}
	var kept []*Binding
	for _, b := range list {
		runs := e.setAsShipped(m, b.Block, b.Scope.body(), use)
		if runs == never {
			continue
		}
		kept = append(kept, b)
		if runs == always && b.Kind != Augmented && b.Kind != Deleted {
			break
		}
	}
	if len(kept) == 0 || len(kept) < len(list) && slices.ContainsFunc(list, func(b *Binding) bool { return b.Value != nil && namesGPU(b.Value) }) {
		return list
	}
	return kept
}

// chosenReturns are those returns of a function that a call of it gets to, as the project is shipped.
func (e *Eval) chosenReturns(f *Function) []pysrc.Expr {
	m := f.Module
	if len(f.returns) < 2 || !e.choosesArms() {
		return f.returns
	}
	var kept []pysrc.Expr
	for _, r := range f.returns {
		runs := e.setAsShipped(m, m.BlockAt(r.Bounds().Start), f.body, -1)
		if runs == never && !namesGPU(r) {
			continue
		}
		kept = append(kept, r)
		if runs == always {
			break // what stands below it is not reached
		}
	}
	if len(kept) == 0 {
		return f.returns
	}
	return kept
}

// chosenAttrs are those assignments to a field that run as the project is shipped.
func (e *Eval) chosenAttrs(list []attr) []attr {
	if len(list) < 2 || !e.choosesArms() {
		return list
	}
	var kept []attr
	for _, a := range list {
		if e.setAsShipped(a.fn.Module, a.block, a.fn.body, -1) != never {
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 || len(kept) < len(list) && slices.ContainsFunc(list, func(a attr) bool { return a.value != nil && namesGPU(a.value) }) {
		return list
	}
	return kept
}

// anyInArm reports whether one of the bindings stands in an arm of an if.
func (m *Module) anyInArm(list []*Binding) bool {
	for _, b := range list {
		if _, arm := m.blocks[b.Block].Owner.(*pysrc.If); arm {
			return true
		}
	}
	return false
}

// namesGPU reports an expression that names a device, or moves something to the GPU.
func namesGPU(x pysrc.Expr) (found bool) {
	pysrc.Inspect(x, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Constant:
			found = found || n.Kind == pysrc.Str && len(n.Value) >= 4 && n.Value[:4] == "cuda"
		case *pysrc.Attribute:
			found = found || n.Attr == "cuda" || n.Attr == "device"
		}
		return !found
	})
	return found
}
