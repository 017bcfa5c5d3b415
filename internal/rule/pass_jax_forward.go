package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// forwardsOpByOp reports the calls of a JAX model in a Python loop that nothing compiles, where training reaches them:
// an evaluation after each epoch, mostly. One finding for each function.
func (p *SourcePass) forwardsOpByOp() {
	if !p.usesJAX() || p.Imports("torch") || p.Module.Role == project.Test || p.NearSays("disable_jit", "lax.scan", "while_loop") {
		return
	}
	said := map[*project.Function]bool{}
	for _, s := range p.Module.Sites {
		if said[s.Func] || !p.runsJAXModel(s) || p.compiledSomewhere(s.Func, 0) || p.insideJit(s) {
			continue
		}
		from := p.calledInTraining(s.Func)
		if p.LoopAround(s) == nil {
			from = p.calledByLoop(s.Func)
		}
		if from != nil {
			said[s.Func] = true
			p.Report(s, probable).Because(p.In(from.Module()).At(from, "training calls it")).
				Saying("%s is not compiled: each operation is sent to the device by Python", p.Short(Call{s, p}.Callee())).
				Advising("Put the forward pass of one batch into a function under jax.jit (nnx.jit, eqx.filter_jit).")
		}
	}
}

// runsJAXModel reports a forward pass of flax: state.apply_fn(…), model.apply(…).
func (p *SourcePass) runsJAXModel(s *project.Site) bool {
	switch s.Method() {
	case "apply_fn":
		return !p.appliesCompiled()
	case "apply":
		of := p.Eval(s.Node.Func.(*pysrc.Attribute).Value)
		return of.IsInstance("flax.linen.Module")
	}
	return false
}

// appliesCompiled reports a train state that is given a compiled function: apply_fn=jax.jit(model.apply).
func (p *SourcePass) appliesCompiled() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(m.Sites, func(s *project.Site) bool {
			given := s.Node.Keyword("apply_fn")
			if given == nil {
				return false
			}
			call, ok := given.Value.(*pysrc.Call)
			return !ok && !strings.HasSuffix(pysrc.DottedName(given.Value), ".apply") || ok && p.isJit(m, call)
		})
	})
}

// calledInTraining is a call of a function in a loop that trains, or around one, or nil.
func (p *SourcePass) calledInTraining(fn *project.Function) *project.Site {
	for _, s := range p.Project.Callers(fn) {
		if in := p.In(s.Module()); in.Project.Leads(s.Func) && in.LoopAround(s) != nil {
			return s
		}
	}
	return nil
}

// calledByLoop is a call of a function in a loop whose own function training calls again and again, as an evaluation
// that calls a step; or nil.
func (p *SourcePass) calledByLoop(fn *project.Function) *project.Site {
	for _, s := range p.Project.Callers(fn) {
		if in := p.In(s.Module()); in.LoopAround(s) != nil && in.calledInTraining(s.Func) != nil {
			return s
		}
	}
	return nil
}

// compiledSomewhere reports a function that JAX compiles, itself or as a part of one that calls it.
func (p *SourcePass) compiledSomewhere(fn *project.Function, depth int) bool {
	if fn.Class != nil && fn.Class.Derives("haiku.Module") && depth == 0 && p.NearSays("jax.jit", "pmap") {
		return true // transformed into a function that something compiles
	}
	for f := fn; f != nil; f = f.Outer {
		if f.Def != nil && (p.jitDecorated(f) || p.handedToJit(f)) {
			return true
		}
		if depth < 4 && slices.ContainsFunc(slices.Concat(p.Project.Callers(f), p.transformed(f)), func(s *project.Site) bool {
			return s.Func != f && (p.insideJit(s) || p.compiledSomewhere(s.Func, depth+1))
		}) {
			return true
		}
	}
	return false
}

// transformed are the calls near this module that make another function of one: jax.grad(f), jax.vmap(f).
func (p *SourcePass) transformed(fn *project.Function) (list []*project.Site) {
	if fn.Def == nil {
		return nil
	}
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			if first := firstArg(s.Node); first != nil && (s.TakesGradient() || s.Name() == "jax.vmap") && p.eval.Of(m, first).Func == fn {
				list = append(list, s)
			}
		}
	}
	return list
}

// carriesState reports a loop that hands a value on from one iteration to the next: s = step(s).
func carriesState(loop *pysrc.For) bool {
	return slices.ContainsFunc(loop.Body, func(s pysrc.Stmt) bool {
		a, ok := s.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 {
			return false
		}
		call, ok := a.Value.(*pysrc.Call)
		return ok && slices.ContainsFunc(call.Args, func(x pysrc.Expr) bool {
			given, plain := x.(*pysrc.Name)
			return plain && storesName(a.Targets[0], given.ID)
		})
	})
}

// countsData reports a loop over as many numbers as an array is long: range(x.shape[0]), or a parameter that gets that.
func (p *SourcePass) countsData(loop *pysrc.For) bool {
	c, ok := loop.Iter.(*pysrc.Call)
	if !ok || p.NameOf(c.Func) != "range" || len(c.Args) != 1 {
		return false
	}
	name, ok := c.Args[0].(*pysrc.Name)
	if !ok {
		return isLength(c.Args[0])
	}
	if said := p.Module.SaidOnce(name); said != nil {
		return isLength(said)
	}
	fn := p.Function(loop)
	return slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		given := s.Given(fn, name.ID)
		return given != nil && isLength(given)
	})
}

// isLength reports x.shape[i] and len(x).
func isLength(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Subscript:
		return shapeOf(x.Value) != nil
	case *pysrc.Call:
		return pysrc.DottedName(x.Func) == "len"
	}
	return false
}
