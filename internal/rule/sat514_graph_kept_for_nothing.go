package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// graphKeptForNothing finds backward passes that keep their graph though nothing goes through it again.
var graphKeptForNothing = Rule{
	Code: "SAT514", Name: "graph-kept-for-nothing", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "the graph is kept after the only backward pass",
	What: "backward(retain_graph=True) in a training step, in a program that has no other backward pass and no call of " +
		"torch.autograd.grad; after the last backward pass of the step; where no later pass goes through what the loss was computed of; before another pass whose loss could be added; or only " +
		"because a state or another model's output is not detached.",
	Why: "The graph and all activations stay in memory until the loss is deleted, so the next forward pass runs beside " +
		"them: twice the memory for activations.",
	Fine:   "Backpropagation through several steps of a recurrent network, whose state is detached every few steps.",
	Advice: "Remove retain_graph=True. If an error then asks for it, detach the state that one step hands to the next.",
	Bad:    "loss.backward(retain_graph=True)\noptimizer.step()",
	Good:   "loss.backward()\noptimizer.step()",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, c := range p.MethodCalls("backward", "manual_backward") {
			keep := keepsGraph(c)
			if keep == nil || !p.Eval(keep).IsTrue() || c.Name() == "torch.autograd.backward" && len(c.Node.Args) > 1 {
				continue // gradients that somebody computed go through it
			}
			if loop := p.LoopAround(c); loop != nil && !p.isTrainingLoop(loop) && !p.makesGraphIn(loop, c) {
				continue // several times through one graph
			}
			way, ok := p.EachStep(c)
			if !ok {
				continue
			}
			if p.backwards() != 1 || p.carriesGraph(c) {
				p.keptGraphs(c, way)
				continue
			}
			r := p.Report(c, probable*way.Sure).Because(way)
			r.Fix(Unsafe, "free the graph", removeKeyword(p, c, c.Node.Keyword("retain_graph"))...)
		}
	},
}

// makesGraphIn reports a loop that runs a model and the optimizer for each backward pass, as over the parts of a rollout.
func (p *SourcePass) makesGraphIn(loop pysrc.Stmt, c Call) bool {
	model, steps := false, false
	for _, s := range c.Func.Sites {
		if p.LoopAround(s) == loop {
			model = model || s.Node.Start < c.Node.Start && p.isModelCall(s.Node)
			steps = steps || s.Node.Start > c.Node.Start && s.Method() == "step"
		}
	}
	return model && steps
}

// leafMakers are the functions that make a tensor without a graph of what they are given.
var leafMakers = setOfNames("torch.as_tensor", "torch.tensor", "torch.from_numpy", "torch.autograd.Variable")

// keepsGraph is the argument of a backward pass that says whether its graph stays: the second of loss.backward(None, True).
func keepsGraph(c Call) pysrc.Expr {
	if keep := c.Node.Keyword("retain_graph"); keep != nil {
		return keep.Value
	}
	if args := c.Node.Args; c.Method() == "backward" && len(args) > 1 && c.pass.Eval(args[0]).IsNone() {
		return args[1]
	}
	return nil
}

// backwards counts the places near this module that go through a graph.
func (p *SourcePass) backwards() int {
	n := 0
	for _, m := range p.Near() {
		if m.Role == project.Test {
			continue
		}
		for _, s := range m.Sites {
			if goesBack(s) || s.Name() == "torch.autograd.grad" || s.Name() == "torch.autograd.backward" {
				n++
			}
		}
	}
	return n
}

// carriesGraph reports a step whose function hands a result of the model to the model again: out, state = model(x, state).
func (p *SourcePass) carriesGraph(c Call) bool {
	found := false
	pysrc.Inspect(p.bodyOf(c.Node), func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 {
			return true
		}
		call, ok := a.Value.(*pysrc.Call)
		if !ok || leafMakers[p.NameOf(call.Func)] {
			return true
		}
		targets := map[string]bool{}
		pysrc.Inspect(a.Targets[0], func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && pysrc.DottedName(e) != "" && pysrc.DottedName(e) != "self" {
				targets[pysrc.DottedName(e)] = true
			}
			return true
		})
		for _, arg := range argumentsOf(call) {
			pysrc.Inspect(arg, func(n pysrc.Node) bool {
				if e, ok := n.(pysrc.Expr); ok && targets[pysrc.DottedName(e)] && p.OnDevice(call) > 0 {
					found = true
				}
				return !found
			})
		}
		return !found
	})
	return found
}
