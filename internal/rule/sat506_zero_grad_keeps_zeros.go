package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// zeroGradToZero finds gradients that are filled with zeros instead of being let go.
var zeroGradToZero = Rule{
	Code: "SAT506", Name: "zero-grad-keeps-zeros", Severity: Advice, Subject: AboutGradients, General: true,
	Areas: []Area{ComputeArea, HostArea},
	Title: "gradients are set to zero instead of being freed",
	What: "zero_grad(set_to_none=False) in a training step, or zero_grad() with torch before 2.0, where that was " +
		"the default. A loop over the parameters that fills each gradient with zeros.",
	Why: "Every gradient is filled with zeros, then read and added to. Freed gradients are written once, and the " +
		"forward pass can use their memory.",
	Fine:   "Code that reads .grad of parameters that were not used in the step.",
	Bad:    "optimizer.zero_grad(set_to_none=False)",
	Good:   "optimizer.zero_grad(set_to_none=True)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		p.zeroedOneByOne()
		calls := p.MethodCalls("zero_grad")
		if len(calls) == 0 || p.Uses("deepspeed.*", "accelerate.DeepSpeedPlugin", "accelerate.utils.DeepSpeedPlugin") {
			return // an engine keeps the gradients itself
		}
		bound := p.versions().Bound("torch", "2.0")
		old := bound != nil && !bound.Said && p.AtLeast("torch", "1.7") == project.Yes && // which has the argument
			!p.Uses("accelerate.Accelerator") // which passes it
		for _, c := range calls {
			toNone := c.Arg("set_to_none")
			if c.Calls.Func != nil {
				continue // a method of the project's own
			}
			if toNone.Missing() && len(c.Node.Args) == 1 {
				toNone = c.ArgAt(0)
			}
			if !toNone.IsFalse() && !(old && toNone.Missing() && len(c.Node.Args) == 0) {
				continue
			}
			path, ok := p.EachStep(c)
			if fn := p.Function(c); !ok && fn.BaseName() == "optimizer_zero_grad" && fn.Class != nil {
				path, ok = project.Path{Sure: project.Certain}, fn.Class.Derives("lightning.pytorch.LightningModule") // a hook of each step
			}
			if ok && !p.readsGradients() {
				p.Report(c, toNone.Confidence()*path.Sure).Because(toNone, path).Small("each gradient is filled and read once more, which takes a few percent of a step").
					Fix(Unsafe, "free the gradients; the optimizer then skips parameters without one", toNone.SetTo("True"))
			}
		}
	},
}

// readsGradients reports a module that looks at gradients itself, and may expect
// zeros there.
func (p *SourcePass) readsGradients() bool {
	found := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && a.Attr == "grad" {
			found = true
		}
		return !found
	})
	return found
}

// zeroedOneByOne reports loops of a training step that fill the gradient of each parameter: for p in model.parameters():
// p.grad.zero_(), or p.grad = torch.zeros_like(p).
func (p *SourcePass) zeroedOneByOne() {
	say := func(at Node, parameter pysrc.Expr) {
		loop, ok := p.LoopAround(at).(*pysrc.For)
		if !ok || p.isTrainingLoop(loop) || !storesName(loop.Target, lastName(parameter)) {
			return
		}
		if way, hot := p.EachStep(at); hot {
			p.Report(header(loop), likely*way.Sure).Because(way).AnyVersion().Saying("Python fills one gradient after the other with zeros in every step").
				Advising("Call optimizer.zero_grad(set_to_none=True), which frees all gradients at once.")
		}
	}
	for _, c := range p.MethodCalls("zero_", "fill_") {
		of := c.Receiver()
		if a, ok := of.(*pysrc.Attribute); ok && a.Attr == "data" {
			of = a.Value
		}
		if a, ok := of.(*pysrc.Attribute); ok && a.Attr == "grad" && (c.Method() == "zero_" || c.ArgAt(0).Equals(0) || c.ArgAt(0).Equals(0.0)) {
			say(c, a.Value)
		}
	}
	for _, a := range p.Module.Assignments {
		target, ok := a.Target.(*pysrc.Attribute)
		if made, call := a.Value.(*pysrc.Call); ok && call && target.Attr == "grad" && p.NameOf(made.Func) == "torch.zeros_like" {
			say(target, target.Value)
		}
	}
}
