package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// accumulateWithoutNoSync finds gradients that are exchanged though they are still being gathered.
var accumulateWithoutNoSync = Rule{
	Code: "SAT602", Name: "accumulate-without-no-sync", Severity: Warning, Subject: AboutRanks,
	Areas: []Area{ComputeArea},
	Title: "gradients are synchronized in every step, but the optimizer runs only every few steps",
	What: "A training loop with DistributedDataParallel whose optimizer steps only every N iterations, or behind an inner loop over " +
		"parts of a batch, with a backward pass outside no_sync(). Also a loop of Accelerate on several GPUs that does so without accumulate().",
	Why: "DDP averages the gradients over all GPUs in each backward. Of the k synchronizations between two " +
		"optimizer steps, only the last one is needed.",
	Fine:   "Accelerate's accumulate(), transformers and Lightning, which handle it themselves. A single process.",
	Advice: "Run the backward of all but the last accumulation step under with model.no_sync().",
	Bad:    "loss.backward()\nif (i + 1) % 4 == 0:\n    optimizer.step()",
	Good:   "with model.no_sync() if (i + 1) % 4 else nullcontext():\n    loss.backward()",
	Source: func(p *SourcePass) {
		if len(p.CallsTo("accelerate.Accelerator")) > 0 {
			p.gatheredByAccelerate()
			return
		}
		if !p.Uses("torch.nn.parallel.DistributedDataParallel") ||
			p.Uses("accelerate.Accelerator", "deepspeed.initialize", "torch.distributed.fsdp.FullyShardedDataParallel") ||
			p.namesNoSync() || !p.wrapsStepped() {
			return
		}
		for _, loop := range p.TrainingLoops() {
			gathers := p.gathers(loop)
			if gathers == nil {
				gathers = p.gathersWithin(loop)
			}
			if gathers != nil {
				for _, s := range loop.Steps {
					if s.Module() == p.Module && s.Func == loop.Func && p.Rare(s) == nil {
						p.Report(s, likely*max(p.GPU(), perhaps)).Because(gathers)
						break
					}
				}
			}
		}
	},
}

// gathers returns the optimizer's step of a loop that a test such as
// (i + 1) % k == 0 lets through only now and then, nil when it runs always.
func (p *SourcePass) gathers(loop *project.Loop) pysrc.Node {
	for _, s := range p.statementsIn(loop) {
		test, ok := s.(*pysrc.If)
		if !ok || !takesRemainder(test.Test) || p.everyStep(test.Test) {
			continue
		}
		stepping := test.Body
		if len(test.Body) == 1 {
			if _, skips := test.Body[0].(*pysrc.Continue); skips { // if i % 4: continue
				stepping = p.after(test, loop)
			}
		}
		for _, x := range stepping {
			if c := stepsOptimizer(x); c != nil {
				return c
			}
		}
	}
	return nil
}

// gathersWithin returns the optimizer's step behind an inner loop that runs the backward pass several times, over a range or the
// parts of a batch; nil where there is none.
func (p *SourcePass) gathersWithin(loop *project.Loop) pysrc.Node {
	for _, s := range loop.Steps {
		if s.Module() != p.Module || s.Func != loop.Func {
			continue
		}
		inner, ok := p.LoopAround(s).(*pysrc.For)
		if !ok || !p.overParts(inner.Iter) {
			continue
		}
		outer := p.LoopAround(inner) // nil in a function that takes one step
		if slices.ContainsFunc(inner.Body, func(x pysrc.Stmt) bool { return stepsOptimizer(x) != nil }) {
			continue
		}
		for _, x := range p.Module.StatementsAfter(inner.Start) {
			if c := stepsOptimizer(x); c != nil && p.LoopAround(c) == outer {
				return c
			}
		}
	}
	return nil
}

// overParts reports what a loop goes over to take a step in parts: a range of more than one, the chunks of a batch.
func (p *SourcePass) overParts(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch lastName(c.Func) {
	case "range":
		n, known := p.Eval(c.Args[len(c.Args)-1]).Int()
		return !known || n > 1
	case "enumerate", "zip", "tqdm":
		return p.overParts(c.Args[0])
	case "chunk", "split", "tensor_split":
		return true
	}
	return false
}

// after are the statements behind one of the body of a loop.
func (p *SourcePass) after(s pysrc.Stmt, loop *project.Loop) []pysrc.Stmt {
	body := loop.Body()
	if at := slices.Index(body, s); at >= 0 {
		return body[at+1:]
	}
	return nil
}

// everyStep reports a remainder of 1, by settings and defaults: the test holds in every step.
func (p *SourcePass) everyStep(test pysrc.Expr) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Mod && p.Eval(b.Right).Equals(1) {
			found = true
		}
		return !found
	})
	return found
}

// takesRemainder reports a test with % in it.
func takesRemainder(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Mod {
			found = true
		}
		return !found
	})
	return found
}

// stepsOptimizer returns a call of an optimizer's or scaler's step in a statement.
func stepsOptimizer(s pysrc.Stmt) pysrc.Node {
	var found pysrc.Node
	pysrc.Inspect(s, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && found == nil {
			if a, ok := c.Func.(*pysrc.Attribute); ok && a.Attr == "step" &&
				project.HasWord(lastName(a.Value), "optimizer", "optim", "opt", "scaler") {
				found = c
			}
		}
		return found == nil
	})
	return found
}

// namesNoSync reports a module that speaks of no_sync or turns the exchange off by hand.
func (p *SourcePass) namesNoSync() bool {
	if len(p.MethodCalls("no_sync")) > 0 {
		return true
	}
	found := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && (a.Attr == "require_backward_grad_sync" || a.Attr == "no_sync") {
			found = true
		}
		return !found
	})
	return found
}

// wrapsStepped reports a module that wraps its model in DistributedDataParallel, or that is given the model which another
// module of the program has wrapped: a trainer.
func (p *SourcePass) wrapsStepped() bool {
	const wrapper = "torch.nn.parallel.DistributedDataParallel"
	if len(p.CallsTo(wrapper)) > 0 {
		return true
	}
	for _, f := range p.ForwardPasses() {
		call, ok := f.model.(*pysrc.Call)
		if !ok {
			continue
		}
		model := p.Eval(call.Func)
		if model.Made == nil {
			continue
		}
		for _, m := range p.Near() {
			there := p.In(m)
			if slices.ContainsFunc(there.CallsTo(wrapper), func(c Call) bool {
				return len(c.Node.Args) > 0 && there.Eval(c.Node.Args[0]).Made == model.Made
			}) {
				return true
			}
		}
	}
	return false
}
