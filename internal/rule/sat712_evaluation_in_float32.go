package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// evaluationInFloat32 finds evaluation without the half precision that training uses.
var evaluationInFloat32 = Rule{
	Code: "SAT712", Name: "evaluation-in-float32", Severity: Advice, Subject: AboutEvaluation,
	Areas: []Area{ApartArea},
	Title: "evaluation runs in float32, and training under autocast",
	What: "A program that trains under torch.autocast, and a loop after model.eval() that calls the model without it: " +
		"around the call, in the model's forward, or around the function.",
	Why: "Autocast ends with its block. Outside it, evaluation computes in float32: several times slower per batch than " +
		"a training step's forward pass.",
	Fine:   "A final measurement that must not be rounded.",
	Advice: "Evaluate under the same torch.autocast as training. Compute sums of losses and metrics in float32.",
	Bad: "with torch.autocast(\"cuda\", dtype=torch.bfloat16):\n    loss = model(x).mean()\n…\nmodel.eval()\n" +
		"with torch.no_grad():\n    for x, y in held_out:\n        score += metric(model(x), y)",
	Good: "model.eval()\nwith torch.no_grad(), torch.autocast(\"cuda\", dtype=torch.bfloat16):\n    for x, y in held_out:\n" +
		"        score += metric(model(x), y)",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || p.Module.Role == project.Test || p.Module.Role == project.Evaluation || !p.trainsUnderAutocast() {
			return
		}
		said := map[pysrc.Stmt]bool{}
		for _, s := range p.Module.Sites {
			loop := p.LoopAround(s)
			if loop == nil || said[loop] || p.isTrainingLoop(loop) || !p.runsSwitched(s.Func, s) || p.castsHalf(s) {
				continue
			}
			said[loop] = true
			p.Report(s.Node, probable*p.GPU())
		}
	},
}

// trainsUnderAutocast reports a training step of this module that runs under autocast, where nothing else chooses the precision.
func (p *SourcePass) trainsUnderAutocast() bool {
	return len(p.trainingAutocasts()) > 0 && !p.Uses("accelerate.Accelerator", "deepspeed.initialize", "torch.set_autocast_enabled") &&
		!slices.ContainsFunc(p.MethodCalls("half", "bfloat16"), func(c Call) bool { return !p.castApart(c) })
}

// castsHalf reports a call of a model under autocast: around it, in a caller of its function, or in the forward of a model
// near it.
func (p *SourcePass) castsHalf(s *project.Site) bool {
	const autocast = "torch.amp.autocast"
	if p.Under(s, autocast) || p.underUnknown(s) || slices.ContainsFunc(p.Project.Callers(s.Func), func(c *project.Site) bool {
		return p.In(c.Module()).Under(c, autocast)
	}) {
		return true
	}
	for _, m := range p.Near() {
		for _, c := range m.Classes {
			forward := c.Methods["forward"]
			if forward != nil && forward.Def != nil && (slices.ContainsFunc(forward.Sites, func(s *project.Site) bool { return s.Calls.Name == autocast }) ||
				slices.ContainsFunc(forward.Decorators(), func(d pysrc.Expr) bool { return callsNamed(d, "autocast") })) {
				return true
			}
		}
	}
	return false
}

// underUnknown reports a node under a context that the project makes itself, which may choose the precision.
func (p *SourcePass) underUnknown(n Node) bool {
	at := n.Bounds().Start
	fn := p.Module.FunctionAt(at)
	for id := p.Module.BlockAt(at); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		with, ok := p.Module.Block(id).Owner.(*pysrc.With)
		if ok && slices.ContainsFunc(with.Items, func(item *pysrc.WithItem) bool {
			c, call := item.Context.(*pysrc.Call)
			v := p.Eval(item.Context)
			return v.Func != nil || v.Class != nil || v.Name == "" || call && p.Eval(c.Func).Func != nil
		}) {
			return true
		}
	}
	return false
}
