package rule

import (
	"slices"

	"saturate/internal/human"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// generationInTraining finds training that stops to generate: a token or a denoising step at a time.
var generationInTraining = Rule{
	Code: "SAT706", Name: "generation-in-training", Severity: Advice, Subject: AboutEvaluation,
	Areas: []Area{ApartArea},
	Title: "training stops to generate output one step at a time",
	What: "A training program that, every few steps or once per epoch, runs a Python loop which calls the model on its own " +
		"last output: greedy decoding, autoregressive sampling, the steps of a diffusion sampler, the episodes of an agent. " +
		"Also a validation that calls generate(), and a pipeline of diffusers whose denoising steps are many beside the training " +
		"steps between two calls.",
	Why: "The calls cannot overlap: hundreds of small forward passes run one after the other while training waits, and " +
		"without a cache each one computes all earlier positions again.",
	Fine: "A few short samples for a person to look at, once in a while.",
	Advice: "Validate by the loss. Generate rarely, for a few samples in one batch, with a cache of keys and values, " +
		"or from a checkpoint in another process.",
	Bad:  "for epoch in range(epochs):\n    train_one_epoch()\n    for text in validation:\n        greedy_decode(model, text)",
	Good: "for epoch in range(epochs):\n    train_one_epoch()\n    validation_loss()\n    if epoch % 10 == 9:\n        greedy_decode(model, few_texts)",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() && !p.usesJAX() && len(p.JAXLoops()) == 0 || p.Module.Role == project.Test {
			return
		}
		said := map[pysrc.Stmt]bool{} // one finding for a sampling loop
		for _, s := range p.besideTraining() {
			p.generatesBehind(s, said)
		}
		for _, c := range p.Classes("lightning.pytorch.LightningModule") {
			for _, name := range [...]string{"validation_step", "on_validation_epoch_end", "validation_epoch_end"} {
				if fn := c.Methods[name]; fn != nil {
					for _, s := range fn.Sites {
						p.generatesBehind(s, said)
					}
				}
			}
		}
	},
}

// generatesBehind reports a call in training that leads to a loop which generates.
func (p *SourcePass) generatesBehind(s *project.Site, said map[pysrc.Stmt]bool) {
	if _, step := p.Hot(s); step && !p.EvaluationOnly(s) && p.Rare(s) == nil {
		return // what each step trains with: a rollout
	}
	if p.feedsEnvironment(s) {
		return // for an environment that is stepped beside it: a rollout, too
	}
	every := p.atLeastEvery(s)
	if s.Method() == "generate" && s.Calls.Func == nil {
		if s.Calls.Name != "" && p.Eval(s.Node.Func.(*pysrc.Attribute).Value).IsInstance("transformers.PreTrainedModel") && !said[p.Module.LoopAround(s)] {
			p.Report(s.Node.Func, plausible).Saying("training stops to generate output one token at a time: %s", p.Short(s.Node.Func)).
				beingLittle(p.seldom(nil, false, every))
		}
		return
	}
	if p.denoisesBehind(s) {
		return
	}
	for _, fn := range runsFunctions(s) {
		generates := p.generates
		if p.onlySamples(s) {
			generates = p.samplingLoop
		}
		path, ok := p.Reaches(fn, func(inner *project.Site) bool { return generates(inner) != nil }, 4)
		if !ok {
			continue
		}
		if slices.ContainsFunc(path.Calls, func(s *project.Site) bool { return p.In(s.Module()).forFew(s) }) {
			return
		}
		last := path.Calls[len(path.Calls)-1]
		loop := generates(last)
		acts := slices.ContainsFunc(path.Calls, func(s *project.Site) bool { return p.In(s.Module()).actsInLoop(s) })
		if said[loop] || acts && p.Rare(s) == nil && !p.EvaluationOnly(s) { // or it collects what to train with
			return
		}
		said[loop] = true
		in := p.In(last.Module())
		r := p.Report(s.Node.Func, probable*path.Sure).Because(in.At(header(loop), "one model call after the other")).
			Saying("training stops to generate output one step at a time: %s", p.Short(s.Node.Func)).beingLittle(in.seldom(loop, acts, every))
		if acts {
			r.Saying("training stops to act in an environment, one step at a time: %s", p.Short(s.Node.Func)).
				Advising("Run several environments at once (gymnasium.vector) and act in all of them with one model call; or " +
					"evaluate a checkpoint in another process.")
		}
		r.Because(valuesOf(p.intervalsAround(s))...)
		if around := p.LoopAround(s); around != nil && !p.isTrainingLoop(around) && around != p.EpochLoop(s) {
			r.Because(p.At(header(around), "for each of these"))
		}
		return
	}
}

// From how many steps between two outputs on these cost next to nothing: the episodes of an agent, samples that are made in an
// unknown number of turns, and what is made until it ends, as a sentence is, in some hundred turns.
const (
	seldomActed     = 10000
	seldomGenerated = 1000
	seldomSpoken    = 500
	seldomTurned    = 4 // for each turn of the loop: a turn has no backward
)

// seldom says why a loop of model calls that training runs once in so many steps costs little, if so.
func (p *SourcePass) seldom(loop pysrc.Stmt, acts bool, every int64) string {
	least := int64(seldomGenerated)
	switch over := loop.(type) {
	case *pysrc.For:
		if turns := p.turns(over); turns > 0 {
			least = seldomTurned * turns
		}
	case *pysrc.While:
		least = seldomSpoken
	}
	if acts {
		least = seldomActed
	}
	if every < least {
		return ""
	}
	return "it runs once in " + human.Count(every) + " steps"
}

// forFew reports a call in a loop that ends after a few samples: if count == examples: break.
func (p *SourcePass) forFew(s *project.Site) bool {
	loop, ok := p.LoopAround(s).(*pysrc.For)
	return ok && p.eval.EndsEarly(p.Module, loop)
}

// atLeastEvery is how many steps at least lie between two runs of a call in a training loop, by the tests around it that
// are known.
func (p *SourcePass) atLeastEvery(s *project.Site) int64 {
	every := int64(1)
	for _, loop := range p.TrainingLoops() {
		if loop.Func != s.Func || !loop.Bounds().Contains(int(s.Node.Start)) {
			continue
		}
		p.testsAround(s, func(test pysrc.Expr) {
			every = max(every, p.leastSteps(test, loop))
		})
	}
	return every
}

// leastSteps is the n of step % n == 0, also where further tests must hold; 0 without one.
func (p *SourcePass) leastSteps(test pysrc.Expr, loop *project.Loop) (every int64) {
	if all, ok := test.(*pysrc.BoolOp); ok && all.Op == pysrc.And {
		for _, part := range all.Values {
			every = max(every, p.leastSteps(part, loop))
		}
		return every
	}
	every, _ = p.stepsOf(test, loop)
	return every
}

// intervalsAround are the n of the tests it % n == 0 around a call in a loop that trains, or around one that does.
func (p *SourcePass) intervalsAround(s *project.Site) (list []Value) {
	p.testsAround(s, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			if mod, ok := n.(*pysrc.BinOp); ok && mod.Op == pysrc.Mod {
				if v := p.Eval(mod.Right); v.Given() {
					list = append(list, v)
				}
			}
			return true
		})
	})
	return list
}

// valuesOf makes evidence of values.
func valuesOf(values []Value) (list []any) {
	for _, v := range values {
		list = append(list, v)
	}
	return list
}

// onlySamples reports a call without gradients of a module that no training step is seen to call: a sampler around the
// model that is trained.
func (p *SourcePass) onlySamples(s *project.Site) bool {
	name := pysrc.DottedName(s.Node.Func)
	if name == "" || s.Calls.Kind != project.Instance || s.Calls.Class == nil || !p.withoutGradients(s) {
		return false
	}
	if forward := s.Calls.Class.Method("forward"); forward == nil || p.In(forward.Module).trainedByLoop(forward) {
		return false
	}
	return !slices.ContainsFunc(p.Module.Sites, func(other *project.Site) bool {
		return pysrc.DottedName(other.Node.Func) == name && !p.withoutGradients(other)
	})
}

// trainedByLoop reports a function that a training loop is seen to call.
func (p *SourcePass) trainedByLoop(fn *project.Function) bool {
	if fn.Def == nil || len(fn.Def.Body) == 0 {
		return false
	}
	way, hot := p.Hot(fn.Def.Body[0])
	return hot && way.Kind != project.Forward
}

// runsFunctions are the functions of the project that a call may run: the one it names, or the forward of a module.
func runsFunctions(s *project.Site) (list []*project.Function) {
	for _, v := range s.Possible() {
		switch {
		case v.Kind == project.Instance && v.Class != nil && v.Class.Derives("torch.nn.Module"):
			if forward := v.Class.Method("forward"); forward != nil {
				list = append(list, forward)
			}
		case v.Func != nil && v.Kind != project.Type:
			list = append(list, v.Func)
		}
	}
	return list
}

// generates is the loop in which a call makes the model work on its own output, outside training steps; nil for any
// other call.
func (p *SourcePass) generates(s *project.Site) pysrc.Stmt {
	if stepsEnvironment(s.Module(), s) {
		return p.episodeLoop(s)
	}
	loop := p.samplingLoop(s)
	if loop == nil {
		return nil
	}
	in := p.In(s.Module())
	if way, hot := in.Hot(s); hot && !p.rareOnTheWay(way) && !in.EvaluationOnly(s) && !in.withoutGradients(s) && !decoratedWithoutGradients(s.Func) {
		return nil // a recurrence of the model that is trained
	}
	return loop
}

// episodeLoop is the loop around a step of an environment whose action a call in that loop chooses; nil for any other.
func (p *SourcePass) episodeLoop(s *project.Site) pysrc.Stmt {
	m := s.Module()
	loop := m.LoopAround(s)
	if loop == nil || p.Project.IsTrainingLoop(m, loop) {
		return nil
	}
	action := rootName(s.Node.Args[0])
	if call, ok := s.Node.Args[0].(*pysrc.Call); ok && len(call.Args) > 0 {
		return loop // env.step(agent.act(state))
	}
	chosen := slices.ContainsFunc(s.Func.Sites, func(c *project.Site) bool {
		assign, ok := m.StatementAt(c.Node.Start).(*pysrc.Assign)
		return ok && m.LoopAround(c) == loop && c != s && len(c.Node.Args) > 0 &&
			slices.ContainsFunc(assign.Targets, func(t pysrc.Expr) bool { return action != "" && storesName(t, action) })
	})
	if !chosen {
		return nil
	}
	return loop
}

// actsInLoop reports a call in a loop that steps an environment: what the model gives there are actions.
func (p *SourcePass) actsInLoop(s *project.Site) bool {
	for loop := p.LoopAround(s); loop != nil && !p.isTrainingLoop(loop); loop = p.LoopAround(loop) {
		if slices.ContainsFunc(s.Func.Sites, func(step *project.Site) bool {
			return loop.Bounds().Contains(int(step.Node.Start)) && stepsEnvironment(p.Module, step)
		}) {
			return true
		}
	}
	return false
}

// decoratedWithoutGradients reports a function whose decorator turns gradients off.
func decoratedWithoutGradients(fn *project.Function) bool {
	return slices.ContainsFunc(fn.Decorators(), func(d pysrc.Expr) bool {
		return slices.Contains([]string{"no_grad", "inference_mode", "eval_decorator"}, lastName(d))
	})
}
