package rule

import (
	"path"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// EachStep tells whether the node runs in every training step of PyTorch on a
// GPU: Hot, on a GPU by the word of this module or one linked with it, not for
// evaluation, and not in a branch that is seldom taken or keeps its result. The
// Sure of the Path is the confidence in all of it.
func (p *SourcePass) EachStep(n Node) (project.Path, bool) {
	none := project.Path{}
	if p.GPU() <= 0.7 || p.jaxOnly() || hasAnyWord(path.Base(p.Module.Path), "onnx", "export", "bench") {
		return none, false
	}
	way, hot := p.Hot(n)
	if !hot || p.EvaluationOnly(n) || p.Guarded(n) != nil || p.seldom(p.Module, n) {
		return none, false
	}
	if p.seldomOnTheWay(way) {
		return none, false
	}
	if c := p.Class(n); c != nil && hasAnyWord(c.Name, "beam", "search", "searcher", "greedy", "decoding", "post", "postprocess", "postprocessor") {
		return none, false // decoding, or what makes results for people, though a forward
	}
	switch way.Kind {
	case project.TrainingLoop:
		if way.Root == way.Root.Module.Main && len(way.Root.Module.ImportedBy) > 0 {
			return none, false // a trial run at the end of a file that others import
		}
		if !optimizes(way.Root.Module) && !optimizes(p.Module) {
			return none, false // gradients for another end than training
		}
	case project.Forward:
		if !p.trained() {
			return none, false
		}
	}
	way.Sure *= p.GPU()
	return way, true
}

// StepSubscripts returns every x[…] of this module that a training step reaches.
// Whether it runs in each of them, EachStep tells.
func (p *SourcePass) StepSubscripts() []*pysrc.Subscript {
	if p.shared.subscripts == nil {
		p.shared.subscripts = []*pysrc.Subscript{}
		for _, s := range p.Module.Subscripts {
			if _, hot := p.Hot(s); hot {
				p.shared.subscripts = append(p.shared.subscripts, s)
			}
		}
	}
	return p.shared.subscripts
}

// seldomOnTheWay reports a path of which a call is seldom made.
func (p *SourcePass) seldomOnTheWay(way project.Path) bool {
	for _, call := range way.Calls {
		if p.seldom(call.Module(), call) {
			return true
		}
	}
	return false
}

// optimizes reports a module that takes steps: optimizer.step(), engine.step().
func optimizes(m *project.Module) bool {
	for _, s := range m.Sites {
		if method := s.Method(); method == "step" || method == "zero_grad" || method == "optimize" || strings.HasSuffix(method, "_step") {
			return true
		}
	}
	return false
}

func (p *SourcePass) isTrainingLoop(m *project.Module, owner pysrc.Node) bool {
	for _, l := range p.Project.TrainingLoops(m) {
		if pysrc.Node(l.Stmt) == owner {
			return true
		}
	}
	return false
}

// jaxOnly reports a module that is written in JAX, or another framework, and not in PyTorch.
func (p *SourcePass) jaxOnly() bool {
	if p.Imports("torch") {
		return false
	}
	for _, other := range [...]string{"jax", "flax", "optax", "equinox", "chainer", "tensorflow", "keras", "paddle", "mxnet"} {
		if p.Imports(other) {
			return true
		}
	}
	return false
}

// StepCounter returns the name that counts the steps of the training loop
// around a node, or nothing: for step, batch in enumerate(loader).
func (p *SourcePass) StepCounter(n Node) string {
	loop, ok := p.LoopAround(n).(*pysrc.For)
	if !ok || !p.isTrainingLoop(p.Module, loop) {
		return ""
	}
	call, ok := loop.Iter.(*pysrc.Call)
	if !ok {
		return ""
	}
	target := loop.Target
	switch lastName(call.Func) {
	case "range":
	case "tqdm", "trange":
		if inner, ok := firstArg(call).(*pysrc.Call); ok && lastName(inner.Func) == "enumerate" {
			target = firstOf(target)
		} else if lastName(call.Func) != "trange" && !(ok && lastName(inner.Func) == "range") {
			return ""
		}
	case "enumerate":
		target = firstOf(target)
	default:
		return ""
	}
	if name, ok := target.(*pysrc.Name); ok && !strings.Contains(name.ID, "epoch") && name.ID != "_" {
		return name.ID
	}
	return ""
}

func firstArg(c *pysrc.Call) pysrc.Expr {
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	return nil
}

func firstOf(target pysrc.Expr) pysrc.Expr {
	if t, ok := target.(*pysrc.Tuple); ok && len(t.Elts) > 0 {
		return t.Elts[0]
	}
	return nil
}
