package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// ownOptimizers reports optimizers of this module that update one parameter after the other, where a program trains with
// them. One that processes share has its parameters on the host.
func (p *SourcePass) ownOptimizers() {
	for _, class := range p.Classes("torch.optim.Optimizer") {
		step := class.Method("step")
		if step == nil || step.Def == nil || step.Module != p.Module || p.Module.Says("share_memory_") {
			continue
		}
		loop := p.updatesOneByOne(step)
		if loop == nil || p.pointedAt(header(loop).Bounds()) {
			continue
		}
		there, made := p.madeToTrain(class, step)
		if made == nil {
			continue
		}
		r := p.Report(header(loop), likely*there.GPU()).AnyVersion().Because(there.At(made, class.Name+" is made here")).
			Saying("%s updates one parameter at a time in Python", class.Name).
			Advising("Use an optimizer of torch with fused=True where one computes the same. Otherwise update lists of tensors with torch._foreach_mul_ and its like.")
		for _, s := range step.Sites {
			if loop.Contains(int(s.Node.Start)) && strings.HasPrefix(lastName(s.Node.Func), "clip_grad_norm") {
				r.Because(p.At(s.Node, "a norm for each parameter"))
			}
		}
	}
}

// madeToTrain is where a program makes an optimizer of a class, or of one that inherits its step, to train on a GPU: by a
// call of the class, or by its name: getattr(optimizers, config.get("optimizer", "RAdam")).
func (p *SourcePass) madeToTrain(class *project.Class, step *project.Function) (there *SourcePass, made pysrc.Node) {
	for _, m := range p.Near() {
		there = p.In(m)
		if !there.runsOnGPU() || !there.trained() && !startsTraining(m) {
			continue
		}
		for _, c := range there.Constructions(class.FullName()) {
			if c.Calls.Class != nil && c.Calls.Class.Method("step") == step && !there.EvaluationOnly(c) && !ofPart(c) {
				return there, c.Callee()
			}
		}
		for _, c := range there.CallsTo("getattr") {
			if len(c.Node.Args) > 1 && saysText(c.Node.Args[1], class.Name) && !there.EvaluationOnly(c) {
				return there, c.Node
			}
		}
	}
	return nil, nil
}

// saysText reports an expression in which a string is written.
func saysText(e pysrc.Expr, text string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok {
			s, is := pysrc.StringValue(x)
			found = found || is && s == text
		}
		return !found
	})
	return found
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
			if loop.Contains(int(s.Node.Start)) && p.handsOnWeight(s, loop) {
				changes += 2
			}
		}
		if changes > 1 && found == nil {
			found = loop
		}
		return found == nil
	})
	return found
}

// handsOnWeight reports a call whose result nothing keeps and that is given a weight: a kernel that updates one tensor.
func (p *SourcePass) handsOnWeight(s *project.Site, loop *pysrc.For) bool {
	stmt, alone := p.Module.StatementAt(s.Node.Start).(*pysrc.ExprStmt)
	if !alone || stmt.Value != pysrc.Expr(s.Node) || s.Method() != "" {
		return false
	}
	weights := namesStored(loop.Target)
	return slices.ContainsFunc(s.Node.Args, func(e pysrc.Expr) bool {
		return weights[rootName(e)] && (pysrc.DottedName(e) == rootName(e) || lastName(e) == "data")
	})
}
