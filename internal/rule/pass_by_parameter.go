package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// stepsByParameter reports updates that a program takes tensor by tensor itself: an optimizer for each parameter, gradients
// clipped one by one, and weights changed by their gradients in a Python loop.
func (p *SourcePass) stepsByParameter() {
	if !p.runsOnGPU() || p.Module.Says("register_post_accumulate_grad_hook") {
		return
	}
	p.groupsOfOne()
	for _, c := range p.Constructions("torch.optim.Optimizer") {
		list, ok := firstArg(c.Node).(*pysrc.List)
		if !ok || len(list.Elts) != 1 || p.EvaluationOnly(c) {
			continue
		}
		if round, ok := p.turnAround(c.Site); ok && p.overWeights(round.iter) && mentionsAny(list.Elts[0], round.names) {
			p.Report(c.Callee(), likely*p.GPU()).Saying("each parameter has an optimizer of its own").
				Advising("Give one optimizer all parameters: it updates them together. Options of their own go into parameter groups.")
		}
	}
	for _, c := range p.CallsTo("torch.nn.utils.clip_grad_norm_") {
		first := firstArg(c.Node)
		round, ok := p.turnAround(c.Site)
		if !ok || first == nil || !p.overWeights(round.iter) || !mentionsAny(first, round.names) {
			continue
		}
		if way, hot := p.EachStep(c); hot {
			p.Report(c, likely*way.Sure).Because(way).Saying("gradients are clipped one tensor at a time").
				Advising("Call clip_grad_norm_(model.parameters(), limit) once. It limits the norm of all gradients together.")
		}
	}
	for _, c := range p.MethodCalls("parameters", "named_parameters") {
		loop, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.For)
		if !ok || !loop.Iter.Bounds().Contains(int(c.Node.Start)) || !descends(loop) {
			continue
		}
		// not EachStep, which asks for an optimizer
		if way, hot := p.Hot(loop); hot && way.Kind == project.TrainingLoop && p.Rare(loop) == nil && !p.rareOnTheWay(way) {
			p.Report(header(loop), likely*way.Sure).Because(way).Saying("the weights are updated one tensor at a time in Python").
				Advising("Use torch.optim.SGD or another optimizer of torch: it updates all tensors together.")
		}
	}
}

// descends reports a loop that changes what it goes over by its gradient: p -= rate * p.grad, p.data.add_(p.grad, alpha=-rate).
func descends(loop *pysrc.For) bool {
	names := storedIn(loop.Target)
	byGradient := func(e pysrc.Node) bool {
		found := false
		pysrc.Inspect(e, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Attribute); ok && a.Attr == "grad" && names[rootName(a)] {
				found = true
			}
			return !found
		})
		return found
	}
	isWeight := func(e pysrc.Expr) bool {
		if a, ok := e.(*pysrc.Attribute); ok && a.Attr == "data" {
			e = a.Value
		}
		name, ok := e.(*pysrc.Name)
		return ok && names[name.ID]
	}
	found := false
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.AugAssign:
				found = found || isWeight(n.Target) && byGradient(n.Value)
			case *pysrc.Call:
				method, ok := n.Func.(*pysrc.Attribute)
				if !ok || !isWeight(method.Value) {
					return true
				}
				switch method.Attr {
				case "add_", "sub_", "copy_", "addcmul_", "addcdiv_":
					for _, a := range n.Args {
						found = found || byGradient(a)
					}
				}
			}
			return !found
		})
	}
	return found
}
