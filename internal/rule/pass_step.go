package rule

import (
	"path"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// EachStep reports whether the node runs in every PyTorch training step on a GPU: it is Hot, this module or a linked
// one uses a GPU, and it is neither for evaluation nor in a branch that is rarely taken or caches its result. The
// Path's Sure is the combined confidence.
func (p *SourcePass) EachStep(n Node) (project.Path, bool) {
	none := project.Path{}
	if !p.mayStep(n) || !p.runsOnGPU() || p.jaxOnly() || project.HasWord(path.Base(p.Module.Path), "onnx", "export", "bench") {
		return none, false
	}
	way, hot := p.Hot(n)
	if !hot || p.EvaluationOnly(n) || p.Rare(n) != nil {
		return none, false
	}
	if p.rareOnTheWay(way) {
		if way, hot = p.otherWay(n); !hot {
			return none, false
		}
	}
	if p.besideMicroBatches(way, n) {
		return none, false
	}
	if c := p.Class(n); c != nil && project.HasWord(c.Name, searchingWords...) {
		return none, false // decoding, or what makes results for people, though a forward
	} else if c != nil && p.Function(n).BaseName() == "__init__" && c.Derives("torch.nn.Module") {
		return none, false // a model is made once, though a call of it may look like that of its class
	}
	switch way.Kind {
	case project.TrainingLoop:
		if way.Root == way.Root.Module.Main && len(way.Root.Module.ImportedBy) > 0 {
			return none, false // a trial run at the end of a file that others import
		}
		if !p.optimizesOn(way) {
			return none, false // gradients for another end than training
		}
	case project.Forward:
		if !p.trained() {
			return none, false
		}
	}
	if way.Sure *= p.GPU(); way.Sure < leastSure {
		return none, false
	}
	return p.asShipped(way, n), true
}

// asShipped tells of a way that defaults leave out, unless another way leads to a node's function.
func (p *SourcePass) asShipped(way project.Path, n Node) project.Path {
	if way.Needs = p.eval.LeftOut(way, p.Module, n); way.Needs == nil || len(way.Calls) == 0 || p.eval.LeftOut(project.Path{}, p.Module, n) != nil {
		return way
	}
	fn := p.Function(n)
	for _, s := range p.Project.Givers(fn) {
		other, hot := p.Project.HotThrough(s, fn)
		if hot && p.eval.LeftOut(other, p.Module, n) == nil && !p.rareOnTheWay(other) && !p.Project.EvaluationOnly(s.Module(), s) {
			other.Sure = min(other.Sure, way.Sure)
			return other
		}
	}
	return way
}

// leastSure is the lowest confidence at which a path from a training step counts.
const leastSure = 0.4

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

// rareOnTheWay reports whether a path has a call that is rarely made.
func (p *SourcePass) rareOnTheWay(way project.Path) bool {
	for _, call := range way.Calls {
		if p.eval.Rare(call.Module(), call) != nil {
			return true
		}
	}
	return false
}

// otherWay is a path from a training step to a node's function without rare calls, if the shortest path has one: a
// logger is called at the end of an episode, and with the loss in every step.
func (p *SourcePass) otherWay(n Node) (project.Path, bool) {
	return p.otherWayTo(p.Function(n), mostOtherWays)
}

// mostOtherWays is how many calls of a way are looked at for others that do the same.
const mostOtherWays = 3

func (p *SourcePass) otherWayTo(fn *project.Function, depth int) (project.Path, bool) {
	for _, s := range p.Project.Givers(fn) {
		way, hot := p.Project.HotThrough(s, fn)
		if !hot || p.Project.EvaluationOnly(s.Module(), s) || p.eval.Rare(s.Module(), s) != nil {
			continue
		}
		if !p.rareOnTheWay(way) {
			return way, true
		}
		if depth > 1 && s.Func != fn {
			if before, hot := p.otherWayTo(s.Func, depth-1); hot {
				return before.Through(s, fn), true
			}
		}
	}
	return project.Path{}, false
}

// optimizesOn reports a way from a loop, or to a place, with an optimizer: where either stands, or where the loop's step is.
func (p *SourcePass) optimizesOn(way project.Path) bool {
	return optimizes(way.Root.Module) || optimizes(p.Module) ||
		slices.ContainsFunc(way.Steps(), func(s *project.Site) bool { return optimizes(s.Module()) })
}

// optimizes reports a module that takes steps: optimizer.step(), engine.step().
func optimizes(m *project.Module) bool {
	for _, s := range m.Sites {
		switch method := s.Method(); {
		case method == "step" || method == "optimize" || method == "apply_gradients" || strings.HasSuffix(method, "_step"):
			return true
		case s.Calls.Name == "optax.apply_updates" || s.Calls.Name == "equinox.apply_updates":
			return true
		case method == "zero_grad" && !namesModel(s): // model.zero_grad() is also how a pass is timed
			return true
		}
	}
	return false
}

// namesModel reports a method of what is a model, by its class or name.
func namesModel(s *project.Site) bool {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	return ok && (project.HasWord(lastName(a.Value), "model", "net", "module") || strings.HasPrefix(s.Calls.Name, "torch.nn."))
}

// isTrainingLoop reports a for or while of this module that trains.
func (p *SourcePass) isTrainingLoop(loop pysrc.Node) bool {
	return p.Project.IsTrainingLoop(p.Module, loop)
}

// jaxOnly reports a module that is written in JAX, or another framework, and not in PyTorch.
func (p *SourcePass) jaxOnly() bool {
	if p.Imports("torch") {
		return false
	}
	for _, other := range [...]string{
		"jax", "flax", "optax", "equinox", "chainer", "tensorflow", "keras", "paddle",
		"mxnet",
	} {
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
	if !ok || !p.isTrainingLoop(loop) {
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

// aidIsFine reports whether a debugging aid is behind a flag, in a branch that is rarely taken, in a function made for
// it, or in a file that does not train.
func (p *SourcePass) aidIsFine(n Node) bool {
	if project.HasWord(p.Function(n).BaseName(), "debug", "determinism", "deterministic", "reproducible") {
		return true
	}
	return p.Rare(n) != nil && !p.switchedOn(n) || p.EvaluationOnly(n)
}
