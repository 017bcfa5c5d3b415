package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// ownOptimizers reports optimizers that the project wrote to update one parameter after the other. One that processes
// share has its parameters on the host.
func (p *SourcePass) ownOptimizers() {
	for _, c := range p.Constructions("torch.optim.Optimizer") {
		class := c.Calls.Class
		if class == nil || p.EvaluationOnly(c) || ofPart(c) || class.Module.Says("share_memory_") || !p.trained() && !startsTraining(p.Module) {
			continue
		}
		there := p.In(class.Module)
		step := class.Method("step")
		if step == nil || step.Def == nil || step.Module != class.Module {
			continue
		}
		if loop := there.updatesOneByOne(step); loop != nil {
			r := p.Report(c.Callee(), likely*p.GPU()).AnyVersion().Because(there.At(header(loop), "a loop over the parameters")).
				Saying("%s updates one parameter at a time in Python", class.Name).
				Advising("Use an optimizer of torch with fused=True where one computes the same. Otherwise update lists of tensors with torch._foreach_mul_ and its like.")
			for _, s := range step.Sites {
				if loop.Contains(int(s.Node.Start)) && strings.HasPrefix(lastName(s.Node.Func), "clip_grad_norm") {
					r.Because(there.At(s.Node, "a norm for each parameter"))
				}
			}
		}
	}
}

// ofPart reports an optimizer of a part of a model, which may have few parameters: LARS(model.head.parameters()).
func ofPart(c Call) bool {
	parameters, ok := firstArg(c.Node).(*pysrc.Call)
	if !ok || lastName(parameters.Func) != "parameters" {
		return false
	}
	method, _ := parameters.Func.(*pysrc.Attribute)
	if method == nil {
		return false
	}
	part, ok := method.Value.(*pysrc.Attribute)
	return ok && part.Attr != "module" && rootName(part) != "self"
}

// updatesOneByOne is the loop over the parameters of a group in which a step changes tensors in place; nil where lists of
// tensors, a compiled function or another optimizer do it.
func (p *SourcePass) updatesOneByOne(step *project.Function) *pysrc.For {
	var found *pysrc.For
	for _, s := range step.Sites {
		name := lastName(s.Node.Func)
		if strings.HasPrefix(name, "_foreach") || strings.HasPrefix(name, "_multi_tensor") || name == "multi_tensor_applier" || name == "step" {
			return nil
		}
	}
	if len(step.Decorators()) > 0 && callsNamed(step.Decorators()[0], "compile") {
		return nil
	}
	pysrc.Inspect(step.Def, func(n pysrc.Node) bool {
		loop, ok := n.(*pysrc.For)
		if !ok {
			return true
		}
		of, ok := loop.Iter.(*pysrc.Subscript)
		key := ""
		if ok {
			key, _ = pysrc.StringValue(of.Slice)
		}
		if key != "params" {
			return true
		}
		changes := 0
		for _, s := range step.Sites {
			if m := s.Method(); loop.Contains(int(s.Node.Start)) && strings.HasSuffix(m, "_") && m != "zero_" && m != "detach_" && m != "clip_grad_norm_" {
				changes++
			}
		}
		if changes > 1 && found == nil {
			found = loop
		}
		return found == nil
	})
	return found
}
