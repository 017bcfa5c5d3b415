package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// givenToNumPy reports a parameter that its function, which sets it to nothing else, gives to a function of NumPy as it is:
// np.mean(scores). NumPy takes no tensor of the GPU.
func (m *Module) givenToNumPy(name *pysrc.Name) bool {
	if name == nil || !m.Says("np.") && !m.Says("numpy.") {
		return false
	}
	fn := m.FunctionAt(name.Start)
	if b := fn.Scope.last(name.ID); b == nil || b.Kind != Parameter || b.prior != nil {
		return false
	}
	return slices.ContainsFunc(fn.Sites, func(s *Site) bool {
		return strings.HasPrefix(s.Calls.Name, "numpy.") && slices.ContainsFunc(s.Node.Args, func(a pysrc.Expr) bool {
			given, ok := a.(*pysrc.Name)
			return ok && given.ID == name.ID
		})
	})
}

// askedForTensor reports whether a name is in the arm of a test that shows it to be a tensor: if isinstance(v,
// torch.Tensor). A tensor that a training step passes on was computed on the device.
func (e *Eval) askedForTensor(m *Module, name *pysrc.Name) bool {
	found := false
	m.around(name.Start, func(b *Block) bool {
		test, ok := b.Owner.(*pysrc.If)
		if !ok || b.Arm != Body {
			return true
		}
		if asked := e.askedType(m, test.Test); asked != nil && asked.ID == name.ID {
			found = true
		}
		return !found
	})
	return found
}

// askedForNumber reports an expression in the arm of a test that something is a number: if isinstance(count, int). A function
// that serves numbers and tensors has such an arm for numbers. The sizes of a PackedSequence are on the host as well, and
// so is what a test shows to be an array of NumPy: b.tolist() if isinstance(b, np.ndarray) else b.
func (e *Eval) askedForNumber(m *Module, x pysrc.Expr) bool {
	if !m.Says("isinstance(") {
		return false
	}
	at, found := x.Bounds().Start, false
	pysrc.Inspect(m.StatementAt(at), func(n pysrc.Node) bool {
		choice, ok := n.(*pysrc.IfExp)
		found = found || ok && choice.Body.Bounds().Contains(int(at)) && asksForNumber(choice.Test, x)
		return !found && n.Bounds().Contains(int(at))
	})
	m.around(at, func(b *Block) bool {
		test, ok := b.Owner.(*pysrc.If)
		found = found || ok && b.Arm == Body && asksForNumber(test.Test, x)
		return !found
	})
	return found
}

func asksForNumber(test, x pysrc.Expr) bool {
	switch t := test.(type) {
	case *pysrc.BoolOp:
		return asksForNumber(t.Values[0], x)
	case *pysrc.Call:
		if lastName(t.Func) != "isinstance" || len(t.Args) != 2 {
			return false
		}
		types := append(elements(t.Args[1]), t.Args[1])
		switch asked := lastName(types[0]); asked {
		case "ndarray":
			of := pysrc.DottedName(t.Args[0])
			return of != "" && pysrc.DottedName(x) == of
		default:
			return HasWord(asked, "int", "float") || asked == "PackedSequence"
		}
	}
	return false
}

// askedType is x of isinstance(x, torch.Tensor), torch.is_tensor(x) and type(x) == torch.Tensor, or nil.
func (e *Eval) askedType(m *Module, test pysrc.Expr) *pysrc.Name {
	var of, class pysrc.Expr
	switch t := test.(type) {
	case *pysrc.Call:
		switch {
		case lastName(t.Func) == "isinstance" && len(t.Args) == 2:
			of, class = t.Args[0], t.Args[1]
		case lastName(t.Func) == "is_tensor" && len(t.Args) == 1:
			of = t.Args[0]
		}
	case *pysrc.Compare:
		left, ok := t.Left.(*pysrc.Call)
		if ok && lastName(left.Func) == "type" && len(left.Args) == 1 && len(t.Ops) == 1 && (t.Ops[0] == pysrc.Eq || t.Ops[0] == pysrc.Is) {
			of, class = left.Args[0], t.Comparators[0]
		}
	}
	name, ok := of.(*pysrc.Name)
	if !ok || class != nil && e.Of(m, class).Name != "torch.Tensor" {
		return nil
	}
	return name
}
