package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noGradMissingEval finds evaluation that builds a graph for a backward that never comes.
var noGradMissingEval = Rule{
	Code: "SAT512", Name: "no-grad-missing-eval", Severity: Warning, Subject: AboutMemory,
	Areas: []Area{ApartArea},
	Title: "evaluation builds a graph for gradients that are never computed",
	What: "A function named for evaluation, or the code after model.eval() in a training function, calls a model " +
		"in a loop without torch.no_grad or torch.inference_mode: around the call, on the function or in its callers. Also a " +
		"function that is given the model between model.eval() and model.train().",
	Why: "Every activation is kept for a backward pass that never runs. This takes time, and memory that a " +
		"larger batch could use.",
	Fine: "Hooks of Lightning, the transformers Trainer and SpeechBrain, which turn gradients off. " +
		"Attacks and saliency maps, which need gradients.",
	Bad: "def evaluate(model, loader):\n    model.eval()\n    for x, y in loader:\n        out = model(x)",
	Good: "@torch.no_grad()\ndef evaluate(model, loader):\n    model.eval()\n    for x, y in loader:\n        " +
		"out = model(x)",
	Safety: Safe,
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() && !p.Imports("torch") || p.jaxOnly() || p.Module.Role == project.Test || len(p.CallsTo("torch.set_grad_enabled")) > 0 ||
			p.needsNoGradients() || p.Module.Role == project.Evaluation && p.trains() {
			return // a program that only infers is not part of training
		}
		for _, fn := range p.Module.Functions {
			if fn.Def == nil || takesGradients(fn.Sites) {
				continue
			}
			call := p.switchedInLoop(fn)
			if evaluatesByName(fn) && call == nil && len(fn.Def.Args.Args) > 0 {
				call = p.modelInLoop(fn)
			}
			// the last asks every module near this one
			if call == nil || p.turnsGradientsOff(fn) || p.withoutGradients(call) || p.switchesInside(call) || p.needsGradients(fn) {
				continue
			}
			noGrad, imports := p.Import("torch.no_grad")
			p.Report(call, nearlyCertain).Fix(Safe, "evaluate without gradients", append(imports, p.LineBefore(fn.Def, "@"+noGrad+"()"))...)
		}
		p.evaluatedByFlag()
		p.evaluatedAfterSwitch()
		for _, inline := range p.inlineEvaluations() {
			noGrad, imports := p.Import("torch.no_grad")
			p.Report(inline.call, nearlyCertain).Fix(Safe, "evaluate without gradients", append(imports, p.under("with "+noGrad+"():", []pysrc.Stmt{inline.loop})...)...)
		}
	},
}

// switchesInside reports a call of a function of the project that turns gradients off itself where the model only evaluates:
// if model.training: …, else: with torch.no_grad(): ….
func (p *SourcePass) switchesInside(call *pysrc.Call) bool {
	s := p.Module.SiteAt(call)
	if s == nil || s.Calls.Func == nil || s.Calls.Kind != project.Callable {
		return false
	}
	in := p.In(s.Calls.Func.Module)
	return slices.ContainsFunc(s.Calls.Func.Sites, func(inner *project.Site) bool {
		return lastName(inner.Node.Func) != "no_grad" && in.withoutGradients(inner) && (in.callsModel(inner) || in.mayBeModel(inner.Node.Func))
	})
}

// needsNoGradients reports a program that only evaluates a model whose weights want no gradients: model.requires_grad_(False).
func (p *SourcePass) needsNoGradients() bool {
	return len(p.MethodCalls("backward")) == 0 && slices.ContainsFunc(p.MethodCalls("requires_grad_"), func(c Call) bool { return c.ArgAt(0).IsFalse() })
}

// needsGradients reports a function that gets to where gradients are taken, itself or in a model that takes them in its
// forward (forces of an energy), and one whose result is differentiated by who calls it.
func (p *SourcePass) needsGradients(fn *project.Function) bool {
	if _, takes := p.Reaches(fn, differentiates, 3); takes || p.modelDifferentiates() {
		return true
	}
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			if s.Calls.Func == fn && differentiatesResult(m, s) {
				return true
			}
		}
	}
	return false
}

// differentiatesResult reports evaluate(…).backward(), and loss = evaluate(…) with
// loss.backward() in the same function.
func differentiatesResult(m *project.Module, call *project.Site) bool {
	name := ""
	if s, ok := m.StatementAt(call.Node.Start).(*pysrc.Assign); ok && len(s.Targets) == 1 {
		name = pysrc.DottedName(s.Targets[0])
	}
	return slices.ContainsFunc(call.Func.Sites, func(s *project.Site) bool {
		return s.Method() == "backward" && (s.Node.Span.Contains(int(call.Node.Start)) ||
			name != "" && mentions(s.Node, name))
	})
}

// modelInLoop returns the first call of a model in a loop of a function, or nil.
func (p *SourcePass) modelInLoop(fn *project.Function) *pysrc.Call {
	for _, s := range fn.Sites {
		if p.LoopAround(s) != nil && (p.Imports("torch") && project.HasWord(lastName(s.Node.Func), "model", "net", "network", "module") &&
			p.mayBeModel(s.Node.Func) || p.runsModel(s)) {
			return s.Node
		}
	}
	return nil
}

// runsModel reports a call of a model of the project that its function was given, or of a method that runs its layers:
// model.predict(x).
func (p *SourcePass) runsModel(s *project.Site) bool {
	on := s.Node.Func
	if method, ok := on.(*pysrc.Attribute); ok {
		on = method.Value
	}
	given, ok := on.(*pysrc.Name)
	params := s.Func.Params()
	if !ok || given.ID == "self" || len(s.Node.Args)+len(s.Node.Keywords) == 0 || params == nil || !slices.ContainsFunc(params.All(), func(a *pysrc.Arg) bool { return a.Name == given.ID }) {
		return false
	}
	return slices.ContainsFunc(s.Possible(), func(v Value) bool {
		if v.Kind == project.Callable && v.Func != nil && v.Func.Class != nil {
			return v.Func.Class.Derives("torch.nn.Module") && !decoratedWithoutGradients(v.Func) && p.reachesLayers(v.Func, 0) && !takesGradients(v.Func.Sites)
		}
		return v.Kind == project.Instance && v.Class != nil && v.Class.Derives("torch.nn.Module") && !isCriterion(lastName(s.Node.Func))
	})
}

// evaluatedAfterSwitch reports calls between model.eval() and model.train() of a function of the project that runs the
// model it is given in a loop, whatever the function is called.
func (p *SourcePass) evaluatedAfterSwitch() {
	for _, eval := range p.MethodCalls("eval") {
		model := pysrc.DottedName(eval.Receiver())
		if model == "" || len(eval.Node.Args) > 0 || !p.mayBeModel(eval.Receiver()) || p.withoutGradients(eval) {
			continue
		}
		for _, s := range p.until(model+".train", eval.Func, p.Module.StatementsAfter(eval.Node.Start)) {
			fn := s.Calls.Func
			if fn == nil || fn.Def == nil || s.Calls.Kind != project.Callable || p.withoutGradients(s) || decoratedWithoutGradients(s.Func) ||
				!slices.ContainsFunc(argumentsOf(s.Node), func(a pysrc.Expr) bool { return pysrc.DottedName(a) == model }) {
				continue
			}
			in := p.In(fn.Module)
			if evaluatesByName(fn) || in.switchedInLoop(fn) != nil || // which are found where they stand
				decoratedWithoutGradients(fn) || takesGradients(fn.Sites) || in.turnsGradientsOff(fn) || p.needsGradients(fn) {
				continue
			}
			for _, call := range fn.Sites {
				if in.LoopAround(call) == nil || !in.runsModel(call) || in.withoutGradients(call) {
					continue
				}
				p.buildsGraph(s, in.At(call.Node, "the model builds a graph here"))
				break
			}
		}
	}
}

// evaluatedByBatch reports a function that a loop beside training calls, for each batch of an evaluation, or that one calls which
// trains, after each step.
func (p *SourcePass) evaluatedByBatch(fn *project.Function) bool {
	return slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		in := p.In(s.Module())
		around := in.LoopAround(s)
		return (in.loopBesideTraining(s) != nil || around != nil && in.isTrainingLoop(around)) && !in.withoutGradients(s) && !decoratedWithoutGradients(s.Func) && in.trainingRepeats(s, mostRepeatCalls)
	})
}

// switchedInLoop returns the first call in a loop of a function, or in a function that a loop calls, of a model that the function
// has switched to evaluation before: model.eval(); or nil.
func (p *SourcePass) switchedInLoop(fn *project.Function) *pysrc.Call {
	for _, eval := range fn.Sites {
		on, ok := eval.Node.Func.(*pysrc.Attribute)
		if !ok || on.Attr != "eval" || len(eval.Node.Args) > 0 || pysrc.DottedName(on.Value) == "" || !p.mayBeModel(on.Value) {
			continue
		}
		for _, s := range fn.Sites {
			if s.Node.Start > eval.Node.End && p.runsNamed(s, pysrc.DottedName(on.Value)) && (p.LoopAround(s) != nil || p.evaluatedByBatch(fn)) {
				return s.Node
			}
		}
	}
	return nil
}

// evaluatedByFlag reports calls that run an epoch without its backward, by a flag that they pass, and with gradients on:
// run_epoch(loader, train=False).
func (p *SourcePass) evaluatedByFlag() {
	for _, s := range p.Module.Sites {
		fn := s.Calls.Func
		if fn == nil || fn.Def == nil || s.Calls.Kind != project.Callable || decoratedWithoutGradients(s.Func) {
			continue
		}
		in := p.In(fn.Module)
		if !p.skipsBackward(s, fn) || p.withoutGradients(s) || decoratedWithoutGradients(fn) || in.turnsGradientsOff(fn) {
			continue
		}
		var r *Report
		arms := 0
		for _, call := range fn.Sites {
			if in.LoopAround(call) == nil || !in.isModule(call.Node) && !in.mayBeModel(call.Node.Func) || in.withoutGradients(call) || p.eval.NeverRuns(s, fn, call) ||
				!in.callsModel(call) {
				continue
			}
			if r == nil {
				r = p.buildsGraph(s, in.At(call.Node, "the model builds a graph here"))
			} else if arms++; arms < mostAlso {
				r.Because(in.At(call.Node, "or here"))
			}
		}
	}
}

// skipsBackward reports a call of a function that takes gradients, but not in this call, by the literals it passes. A
// function that switches gradients itself has thought of it.
func (p *SourcePass) skipsBackward(call *project.Site, fn *project.Function) bool {
	found := false
	for _, s := range fn.Sites {
		switch lastName(s.Node.Func) {
		case "no_grad", "inference_mode", "set_grad_enabled", "enable_grad":
			return false
		case "backward":
			if !p.eval.NeverRuns(call, fn, s) {
				return false
			}
			found = true
		}
	}
	return found
}

// buildsGraph reports a call that evaluates with gradients, because of what it runs.
func (p *SourcePass) buildsGraph(s *project.Site, because project.Step) *Report {
	noGrad, imports := p.Import("torch.no_grad")
	r := p.Report(s.Node, likely).Because(because)
	if stmt := p.Module.StatementAt(s.Node.Start); stmt != nil && !p.Module.Notebook {
		r.Fix(Safe, "evaluate without gradients", append(imports, p.under("with "+noGrad+"():", []pysrc.Stmt{stmt})...)...)
	}
	return r
}
