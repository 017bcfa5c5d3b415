package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// inlineEvaluation is a loop in a function that trains, behind model.eval(), and its first call of that model or of a function that runs it.
type inlineEvaluation struct {
	loop pysrc.Stmt
	call *pysrc.Call
}

// inlineEvaluations finds the loops that run between model.eval() and model.train(), or the end of that block, where
// nothing takes a gradient.
func (p *SourcePass) inlineEvaluations() (list []inlineEvaluation) {
	for _, eval := range p.MethodCalls("eval") {
		fn, model := eval.Func, pysrc.DottedName(eval.Receiver())
		stmt, alone := p.Module.StatementAt(eval.Node.Start).(*pysrc.ExprStmt)
		if model == "" || !alone || stmt.Value != pysrc.Expr(eval.Node) || len(eval.Node.Args) > 0 ||
			!p.mayBeModel(eval.Receiver()) ||
			!slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Method() == "backward" }) ||
			evaluatesByName(fn) || p.turnsGradientsOff(fn) || p.Module.Says("requires_grad") || p.modelDifferentiates() {
			continue
		}
		sites := p.until(model+".train", fn, p.Module.StatementsAfter(eval.Node.Start))
		if takesGradients(sites) || slices.ContainsFunc(sites, p.differentiatesWithin) {
			continue
		}
		for _, s := range sites {
			loop := p.loopFrom(s, eval.Node.End)
			if loop == nil || !p.runsNamed(s, model) || p.withoutGradients(s.Node) ||
				slices.ContainsFunc(list, func(known inlineEvaluation) bool { return known.loop == loop }) {
				continue
			}
			list = append(list, inlineEvaluation{loop, s.Node})
		}
	}
	return list
}

// until returns the calls of a function that stand in the statements, up to the one that calls what is named.
func (p *SourcePass) until(named string, fn *project.Function, stmts []pysrc.Stmt) (sites []*project.Site) {
	for _, stmt := range stmts {
		for _, s := range fn.Sites {
			if !stmt.Bounds().Contains(int(s.Node.Start)) {
				continue
			}
			if pysrc.DottedName(s.Node.Func) == named {
				return sites
			}
			sites = append(sites, s)
		}
	}
	return sites
}

// differentiatesWithin reports a call of a function of the project that gets to where gradients are taken.
func (p *SourcePass) differentiatesWithin(s *project.Site) bool {
	if s.Calls.Func == nil {
		return false
	}
	_, takes := p.Reaches(s.Calls.Func, differentiates, 3)
	return takes
}

// loopFrom returns the outermost loop around a call that starts behind an offset, or nil.
func (p *SourcePass) loopFrom(s *project.Site, offset int32) (outermost pysrc.Stmt) {
	for loop := p.LoopAround(s); loop != nil && loop.Bounds().Start >= offset; loop = p.LoopAround(loop) {
		outermost = loop
	}
	return outermost
}

// differentiates reports a call that takes gradients.
func differentiates(s *project.Site) bool {
	switch lastName(s.Node.Func) {
	case "backward", "grad", "enable_grad", "jacobian", "hessian", "vjp", "jvp", "jacrev", "jacfwd":
		return true
	}
	return false
}

func evaluatesByName(fn *project.Function) bool {
	return project.HasWord(fn.BaseName(), "eval", "evaluate", "validate", "validation", "test", "val", "valid") &&
		!project.HasWord(fn.BaseName(), "train", "fit")
}

// modelDifferentiates reports that a model near this module takes gradients in its forward.
func (p *SourcePass) modelDifferentiates() bool {
	for _, m := range p.Near() {
		for _, c := range m.Classes {
			for _, method := range c.Methods {
				if method.BaseName() != "training_step" && slices.ContainsFunc(method.Sites, differentiates) &&
					c.Derives("torch.nn.Module") {
					return true
				}
			}
		}
	}
	return false
}

// takesGradients reports calls of which one takes gradients or switches them, as torch before 0.4 did by volatile=True.
func takesGradients(sites []*project.Site) bool {
	for _, s := range sites {
		if s.Node.Keyword("volatile") != nil {
			return true
		}
		switch lastName(s.Node.Func) {
		case "backward", "grad", "requires_grad_", "step", "enable_grad", "attack", "perturb", "no_grad", "inference_mode":
			return true
		}
	}
	return false
}

// turnsGradientsOff reports a method that a framework calls with gradients off.
func (p *SourcePass) turnsGradientsOff(fn *project.Function) bool {
	return fn.Class != nil && (fn.Class.Derives("lightning.pytorch.LightningModule", "transformers.Trainer", "speechbrain.core.Brain", "lightning.pytorch.Callback") || p.NearSays("LightningModule"))
}

// withoutGradients reports a node that runs with gradients off, or with a switch.
func (p *SourcePass) withoutGradients(n Node) bool {
	return p.Under(n, "torch.no_grad", "torch.inference_mode", "torch.set_grad_enabled")
}
