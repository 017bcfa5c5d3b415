package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// ofFrozen reports a type that a frozen model is loaded in, which only runs without gradients: a teacher, beside which another
// model is trained. It says nothing of that one.
func (p *SourcePass) ofFrozen(x pysrc.Expr) bool {
	a, ok := p.Module.StatementAt(x.Bounds().Start).(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 {
		return false
	}
	model, ok := a.Targets[0].(*pysrc.Name)
	if !ok || !callsWithin(a.Value, "from_pretrained") {
		return false
	}
	fn := p.Function(a)
	frozen, runs := false, 0
	for _, s := range fn.Sites {
		if s.Method() == "requires_grad_" && rootOfChain(s.Node.Func) == model.ID && firstArg(s.Node) != nil && p.Eval(firstArg(s.Node)).IsFalse() {
			frozen = true
		}
		if !p.runsHeld(s, model.ID) {
			continue
		}
		if !p.Under(s, "torch.no_grad", "torch.inference_mode") {
			return false
		}
		runs++
	}
	return frozen && runs > 0
}

// runsHeld reports a call of a model, of a method that computes with it, or of a function of the project that is given it.
func (p *SourcePass) runsHeld(s *project.Site, model string) bool {
	switch f := s.Node.Func.(type) {
	case *pysrc.Name:
		if f.ID == model {
			return true
		}
	case *pysrc.Attribute:
		if name, ok := f.Value.(*pysrc.Name); ok && name.ID == model && (encodes[f.Attr] || f.Attr == "generate") {
			return true
		}
	}
	return s.Calls.Func != nil && slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool {
		name, ok := e.(*pysrc.Name)
		return ok && name.ID == model
	})
}

// rootOfChain is the variable that a chain of methods starts from: model of model.to(device).eval().
func rootOfChain(e pysrc.Expr) string {
	for {
		switch x := e.(type) {
		case *pysrc.Attribute:
			e = x.Value
		case *pysrc.Call:
			e = x.Func
		case *pysrc.Name:
			return x.ID
		default:
			return ""
		}
	}
}
