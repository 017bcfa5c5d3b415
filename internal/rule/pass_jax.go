package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// jits are the functions that compile another one for JAX.
var jits = setOfNames("jax.jit", "jax.pmap", "jax.shard_map", "jax.experimental.shard_map.shard_map", "flax.nnx.jit",
	"flax.nnx.pmap",
	"flax.linen.jit", "equinox.filter_jit", "equinox.filter_pmap", "chex.variants", "haiku.jit")

// controls are the loops and branches of JAX, which compile the functions that they are given.
var controls = setOfNames("jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop", "jax.lax.map", "jax.lax.cond", "jax.lax.switch")

// usesJAX reports a module that computes with JAX.
func (p *SourcePass) usesJAX() bool {
	return p.Imports("jax") || p.Imports("flax") || p.Imports("equinox") || p.Imports("optax")
}

// isJit reports an expression that names a compiler of JAX: jax.jit, a call
// jax.jit(static_argnums=0) of which the function is still to come, or
// partial(jax.jit, …).
func (p *SourcePass) isJit(m *project.Module, e pysrc.Expr) bool {
	if c, ok := e.(*pysrc.Call); ok {
		if lastName(c.Func) == "partial" && len(c.Args) > 0 {
			e = c.Args[0]
		} else {
			e = c.Func
		}
	}
	return jits[p.eval.Of(m, e).Name]
}

// Jitted reports whether JAX compiles a function of the project: by a decorator,
// because it is handed to jit somewhere near, or because it stands in one that is.
// A decorator that is not known may do so too.
func (p *SourcePass) Jitted(fn *project.Function) bool {
	for f := fn; f != nil; f = f.Outer {
		for _, d := range f.Decorators() {
			switch {
			case p.isJit(f.Module, d):
				return true
			case lastName(d) != "staticmethod" && lastName(d) != "classmethod" && lastName(d) != "property" && p.mayCompile(f.Module, d):
				return true
			}
		}
		if f.Def != nil && p.handedToJit(f) {
			return true
		}
	}
	return false
}

// mayCompile reports a decorator that is not known to be of a library which compiles nothing: click.command().
func (p *SourcePass) mayCompile(m *project.Module, decorator pysrc.Expr) bool {
	if c, ok := decorator.(*pysrc.Call); ok {
		decorator = c.Func
	}
	v := p.eval.Of(m, decorator)
	library, _, _ := strings.Cut(v.Name, ".")
	switch library {
	case "click", "hydra", "typer", "fire", "contextlib", "functools", "abc", "typing", "wandb":
		return v.Func != nil || v.Class != nil
	}
	return true
}

// handedToJit reports a function whose name stands among the arguments of a jit near this module.
func (p *SourcePass) handedToJit(fn *project.Function) bool {
	return slices.ContainsFunc(p.compilersNear().jits, func(s *project.Site) bool {
		given := p.eval.ArgumentAt(s, 0)
		found := given.Func == fn || slices.ContainsFunc(given.Either, func(v Value) bool { return v.Func == fn })
		pysrc.Inspect(s.Node, func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && lastName(e) == fn.BaseName() {
				found = true
			}
			return !found
		})
		return found
	})
}

// callsJit is isJit of a call, by what it is known to call.
func (p *SourcePass) callsJit(m *project.Module, s *project.Site) bool {
	if lastName(s.Node.Func) == "partial" {
		return p.isJit(m, s.Node)
	}
	return jits[s.Name()] || controls[s.Name()]
}

// jaxLoop is a Python loop that trains with JAX.
type jaxLoop struct {
	*project.Loop
	step *project.Site // the call that takes the gradient
}

// JAXLoops returns the training loops of this module whose gradient JAX takes.
func (p *SourcePass) JAXLoops() []jaxLoop {
	var list []jaxLoop
	for _, l := range p.TrainingLoops() {
		if f, ok := l.Stmt.(*pysrc.For); ok && project.HasWord(lastName(f.Target), "epoch", "epochs") {
			continue // a turn is an epoch, and what is read once in it costs little
		}
		for _, s := range l.Steps {
			if s.TakesGradient() {
				list = append(list, jaxLoop{l, s})
				break
			}
		}
	}
	return list
}

// eachStepOfJAX is EachStep for a module that is written in JAX.
func (p *SourcePass) eachStepOfJAX(n Node) (project.Path, bool) {
	way, hot := p.Hot(n)
	return way, hot && way.Kind == project.TrainingLoop && p.Rare(n) == nil && !p.EvaluationOnly(n) && !p.rareOnTheWay(way) &&
		slices.ContainsFunc(way.Steps(), (*project.Site).TakesGradient)
}

// results returns the names that a JAX loop assigns from calls that compute on
// the device: of functions of the project that are jitted or take the gradient.
func (p *SourcePass) results(l jaxLoop) map[string]bool {
	names := map[string]bool{}
	p.Inspect(l.Stmt, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok {
			return true
		}
		c, ok := a.Value.(*pysrc.Call)
		parts := names[pysrc.DottedName(a.Value)] // total, (near, far) = loss, which a step has given
		if !parts && (!ok || c != l.step.Node && !p.stepsWith(c, l)) {
			return true
		}
		for _, t := range a.Targets {
			pysrc.Inspect(t, func(n pysrc.Node) bool {
				if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Store {
					names[name.ID] = true
				}
				return true
			})
		}
		return true
	})
	return names
}

// stepsWith reports a call of a function that is jitted, or that takes the loop's gradient.
func (p *SourcePass) stepsWith(c *pysrc.Call, l jaxLoop) bool {
	callee := p.Eval(c.Func)
	callee.Func = p.calledFunction(c.Func)
	if callee.Func == nil { // grad_fn = jax.jit(jax.value_and_grad(loss)), in the loop or before it
		return callee.Kind == project.Instance && callee.Class == nil && callee.Made != nil &&
			(jits[callee.Made.Name()] || callee.Made.TakesGradient())
	}
	return callee.Func == l.step.Func || p.jitDecorated(callee.Func) || p.handedToJit(callee.Func) || p.handsOn(callee.Func, l, 0)
}

// calledFunction is the function of the project that is called, also where only one of several values is known: an object that is
// made, or loaded instead.
func (p *SourcePass) calledFunction(e pysrc.Expr) *project.Function {
	v := p.Eval(e)
	found := v.Func
	for _, other := range v.Either {
		if found != nil && other.Func != nil && other.Func != found {
			return nil
		}
		if other.Func != nil && other.Kind == project.Callable {
			found = other.Func
		}
	}
	return found
}

// handsOn reports a function that gives back what a jitted one computes, and reads nothing of it: agent.update(batch).
func (p *SourcePass) handsOn(fn *project.Function, l jaxLoop, depth int) bool {
	steps := false
	for _, s := range fn.Sites {
		if len(hostReads(Call{s, p})) > 0 {
			return false
		}
		if f := s.Calls.Func; f != nil && f != fn && s.Calls.Kind == project.Callable {
			steps = steps || f == l.step.Func || p.jitDecorated(f) || p.handedToJit(f) || depth < 2 && p.handsOn(f, l, depth+1)
		}
	}
	return steps
}

// jitDecorated reports a function with a decorator that is known to compile it.
func (p *SourcePass) jitDecorated(fn *project.Function) bool {
	for _, d := range fn.Decorators() {
		if p.isJit(fn.Module, d) {
			return true
		}
	}
	return false
}

// jitOf returns the call of jax.jit or jax.pmap in this module that is given a function, or a partial of it, or nil.
func (p *SourcePass) jitOf(fn *project.Function) *Call {
	for _, c := range p.CallsTo("jax.jit", "jax.pmap") {
		if len(c.Node.Args) == 0 {
			continue
		}
		given := p.Eval(c.Node.Args[0])
		if given.Func == fn {
			return &c
		}
		if part, ok := p.onceSaid(c.Node.Args[0]).(*pysrc.Call); ok && lastName(part.Func) == "partial" && len(part.Args) > 0 && p.Eval(part.Args[0]).Func == fn {
			return &c
		}
	}
	return nil
}

// turns is how often a for over range runs, also in reverse, counted or with a progress bar; 0 when the source does not tell.
func (p *SourcePass) turns(loop *pysrc.For) int64 {
	c, ok := loop.Iter.(*pysrc.Call)
	for ok && len(c.Args) > 0 && slices.Contains([]string{"reversed", "enumerate", "list", "tqdm.tqdm"}, p.NameOf(c.Func)) {
		c, ok = c.Args[0].(*pysrc.Call)
	}
	if !ok || p.NameOf(c.Func) != "range" && p.NameOf(c.Func) != "tqdm.trange" || len(c.Args) == 0 || len(c.Args) > 2 {
		return 0
	}
	n, ok := p.Eval(c.Args[len(c.Args)-1]).Int()
	if !ok {
		return 0
	}
	if len(c.Args) == 2 {
		from, ok := p.Eval(c.Args[0]).Int()
		if !ok {
			return 0
		}
		n -= from
	}
	return n
}
