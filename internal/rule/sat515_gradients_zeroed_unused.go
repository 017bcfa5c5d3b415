package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// gradientsZeroedUnused finds weights whose gradients a step computes for another model's update, and then zeroes.
var gradientsZeroedUnused = Rule{
	Code: "SAT515", Name: "gradients-zeroed-unused", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "gradients of one model's weights are computed for the update of another and thrown away",
	What: "The loss of one model goes through another model that has an optimizer of its own: a generator's loss through the " +
		"discriminator, or a discriminator's through the generator. Its weights require gradients in that pass, and zero_grad() drops " +
		"the gradients before they are used. Also a pretrained network that a loss goes through, such as that of a perceptual loss, " +
		"whose weights no optimizer gets and nothing freezes.",
	Why: "The backward pass through a layer computes gradients of its input and of its weights, at about the same cost. The " +
		"generator needs the first only. Under DistributedDataParallel the gradients are also exchanged between the GPUs.",
	Fine: "A discriminator that is small beside the generator.",
	Gain: Range{1.0, 1.3, "1.31× for a critic's update through a generator of CycleGAN's size on an H200; 1.02× to 1.13× the other way round"},
	Advice: "Call discriminator.requires_grad_(False) before the generator's loss and requires_grad_(True) after its backward pass, or " +
		"loss.backward(inputs=list(generator.parameters())). Under DistributedDataParallel, call discriminator.module in the generator's loss.",
	Bad: "loss_g = adversarial(discriminator(fake))\noptimizer_g.zero_grad()\nloss_g.backward()\noptimizer_g.step()",
	Good: "discriminator.requires_grad_(False)\nloss_g = adversarial(discriminator(fake))\noptimizer_g.zero_grad()\nloss_g.backward()\n" +
		"optimizer_g.step()\ndiscriminator.requires_grad_(True)",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || p.jaxOnly() || p.Module.Role == project.Test {
			return
		}
		seen := map[any]bool{}
		for _, c := range p.MethodCalls("backward", "manual_backward") {
			var owner any = c.Func
			if c.Func.Class != nil {
				owner = c.Func.Class
			}
			if !seen[owner] {
				seen[owner] = true
				p.zeroedUnused(c.Func)
			}
		}
		p.judges()
	},
}

// zeroedUnused reports the models of a function, or of the methods of its class, whose gradients the update of another model computes.
func (p *SourcePass) zeroedUnused(fn *project.Function) {
	updates := p.updatesBeside(fn)
	said := map[bool]bool{} // whether gradients must pass through the other model
	for _, of := range updates {
		for _, own := range updates {
			if of.optimizer == own.optimizer || of.inputs || p.givesBoth(of, own) || !p.zeroesBetween(of, own) || p.switchesGradients(of.fn, 2) {
				continue
			}
			through := of.through(own)
			if len(through) == 0 || !slices.ContainsFunc(of.runs, func(r modelRun) bool { return !own.updates(r.key) }) {
				continue
			}
			passes := p.passesThrough(through[0], of)
			if way, ok := p.EachStep(through[0].at); ok && !said[passes] {
				said[passes] = true
				r := p.sayZeroed(through, of, own, way)
				if needs := p.eval.LeftOut(project.Path{}, of.passes[0].Module(), of.passes[0].Node); needs != nil {
					r.Small(leftOut(needs))
				}
				if !passes {
					r.Advising("Call it under torch.no_grad() there, or detach what it makes: that update needs no gradients of it.")
				}
			}
		}
	}
}

// through are the calls for one update of models that another one updates.
func (u *weightUpdate) through(own *weightUpdate) (list []modelRun) {
	for _, run := range u.runs {
		if own.updates(run.key) && !slices.ContainsFunc(own.runs, func(r modelRun) bool { return r.at == run.at }) {
			list = append(list, run)
		}
	}
	slices.SortFunc(list, func(a, b modelRun) int { return int(a.at.Start - b.at.Start) })
	return list
}

// passesThrough reports a model whose input comes from one that the update is for: its gradients must pass through. A generator
// in the update of the discriminator is not such a model.
func (p *SourcePass) passesThrough(run modelRun, of *weightUpdate) bool {
	if len(of.holds) == 0 {
		return true
	}
	f := p.flowOf(of.fn)
	for _, a := range argumentsOf(run.at) {
		f.walk(a)
	}
	return slices.ContainsFunc(f.runs, func(r modelRun) bool { return of.updates(r.key) })
}

func (p *SourcePass) sayZeroed(through []modelRun, of, own *weightUpdate, way project.Path) *Report {
	r, model := p.Report(through[0].at, likely*way.Sure).Because(way), p.Short(through[0].at.Func)
	for _, inner := range through[0].inner {
		r.Because(p.In(inner.Module()).At(inner.Node, "by this call"))
		model = through[0].key
	}
	for _, also := range through[1:] {
		if also.key != through[0].key {
			r.Too(p.At(also.at, "and here"))
		}
	}
	r.Because(p.At(of.passes[0].Node, "gradients of its weights are computed here"), p.At(own.passes[0].Node, "its own update begins here"))
	return r.Saying("%s computes gradients of its weights for another update, and they are zeroed unused", model)
}

// zeroesBetween reports gradients of one update's models that are zeroed after the passes of another update, before its own.
func (p *SourcePass) zeroesBetween(of, own *weightUpdate) bool {
	after, before := of.passes[len(of.passes)-1].Node.Start, own.passes[0].Node.Start
	return slices.ContainsFunc(own.fn.Sites, func(s *project.Site) bool {
		at := s.Node.Start
		between := after < at && at < before
		if of.fn != own.fn {
			between = at < before
		} else if before < after { // the other update comes later in the same round
			between = at < before || at > after
		}
		return between && p.zeroes(s, own)
	})
}

// zeroes reports optimizer.zero_grad() or model.zero_grad() of an update, or a function of the project that calls it.
func (p *SourcePass) zeroes(s *project.Site, update *weightUpdate) bool {
	own := func(in *SourcePass, s *project.Site) bool {
		of := in.keyOf(s.Node.Func.(*pysrc.Attribute).Value)
		return of == update.optimizer || update.updates(of)
	}
	if s.Method() == "zero_grad" {
		return own(p, s)
	}
	fn := s.Calls.Func
	return fn != nil && fn.Def != nil && slices.ContainsFunc(fn.Sites, func(inner *project.Site) bool {
		return inner.Method() == "zero_grad" && own(p.In(fn.Module), inner)
	})
}

// switchesGradients reports a function that turns requires_grad off somewhere, or calls one that does.
func (p *SourcePass) switchesGradients(fn *project.Function, depth int) bool {
	in := p.In(fn.Module)
	if fn.Def != nil {
		off := false
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			if loop, ok := n.(*pysrc.For); ok && in.overWeights(loop.Iter) {
				off = off || in.switchesIn(loop)
			}
			return !off
		})
		if off {
			return true
		}
	}
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		switch name := lastName(s.Node.Func); name {
		case "requires_grad_":
			return len(s.Node.Args) > 0 && !in.Eval(s.Node.Args[0]).IsTrue()
		case "toggle_optimizer", "set_requires_grad", "toggle_grad", "requires_grad":
			return true
		}
		called := s.Calls.Func
		return depth > 0 && called != nil && called != fn && called.Def != nil && p.switchesGradients(called, depth-1)
	})
}

// switchesIn reports a loop over weights that sets requires_grad to anything but True.
func (p *SourcePass) switchesIn(loop *pysrc.For) bool {
	off := false
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Assign); ok {
				sets := slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return lastName(t) == "requires_grad" })
				off = off || sets && !p.Eval(a.Value).IsTrue()
			}
			return !off
		})
	}
	return off
}

// givesBoth reports an optimizer that got the weights of another update's models, too.
func (p *SourcePass) givesBoth(of, own *weightUpdate) bool {
	both := false
	p.eachHeld(of.optimizer, func(model string) {
		both = both || own.updates(model) || own.holds == nil && ownPart(own, model)
	})
	return both
}

// ownPart reports a model of an update by the last part of its name, as another function has it under another one.
func ownPart(own *weightUpdate, key string) bool {
	return slices.ContainsFunc(own.runs, func(r modelRun) bool { return lastPart(r.key) == lastPart(key) })
}
