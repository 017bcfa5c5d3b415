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
	if !p.usesJAX() || p.Imports("torch") || p.Module.Role == project.Test || p.NearSays("disable_jit") {
		return
	}
	said := map[*project.Function]bool{}
	for _, s := range p.Module.Sites {
		if said[s.Func] || !p.runsJAXModel(s) || p.compiledSomewhere(s.Func, 0) || p.insideJit(s) {
			continue
		}
		from := p.calledInTraining(s.Func)
		switch {
		case !p.repeated(s):
			from = p.calledByLoop(s.Func)
		case from == nil && p.besideSteps(s):
			from = s
		}
		if from != nil {
			said[s.Func] = true
			p.Report(s, probable).Because(p.In(from.Module()).At(from, "training calls it")).
				Saying("%s is not compiled: each operation is sent to the device by Python", p.Short(Call{s, p}.Callee())).
				Advising("Put the forward pass of one batch into a function under jax.jit (nnx.jit, eqx.filter_jit).")
		}
	}
}

// runsJAXModel reports a forward pass: state.apply_fn(…), model.apply(…), model(…) of equinox or nnx, also of each sample by
// vmap, and the loss that training differentiates.
func (p *SourcePass) runsJAXModel(s *project.Site) bool {
	switch s.Method() {
	case "apply_fn":
		return !p.appliesCompiled()
	case "apply":
		of := p.Eval(s.Node.Func.(*pysrc.Attribute).Value)
		return of.IsInstance("flax.linen.Module")
	}
	return callsModule(s.Calls) || p.mapsModule(s.Node) || p.callsLoss(s)
}

// callsModule reports the call of an object that is a network of equinox or nnx.
func callsModule(v *Value) bool {
	return v.Kind == project.Instance && v.IsInstance("equinox.Module", "flax.nnx.Module")
}

// mapsModule reports jax.vmap(model)(x), where the model is such a network.
func (p *SourcePass) mapsModule(c *pysrc.Call) bool {
	mapped, ok := c.Func.(*pysrc.Call)
	if !ok || len(mapped.Args) == 0 {
		return false
	}
	switch p.NameOf(mapped.Func) {
	case "jax.vmap", "equinox.filter_vmap", "flax.nnx.vmap":
		of := p.Eval(mapped.Args[0])
		return callsModule(&of)
	}
	return false
}

// callsLoss reports a call of a function that training differentiates in a compiled step, and that nothing compiles for this
// call.
func (p *SourcePass) callsLoss(s *project.Site) bool {
	fn := s.Calls.Func
	return fn != nil && fn.Def != nil && lastName(s.Node.Func) == fn.BaseName() && !p.jitDecorated(fn) && !p.keepsCompiled(fn) &&
		slices.ContainsFunc(p.In(fn.Module).transformed(fn), func(other *project.Site) bool { return other.TakesGradient() })
}

// keepsCompiled reports a function whose name holds its compiled form: loss_fn = jax.jit(loss_fn).
func (p *SourcePass) keepsCompiled(fn *project.Function) bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(m.Sites, func(s *project.Site) bool {
			assign, ok := m.StatementAt(s.Node.Start).(*pysrc.Assign)
			return ok && p.callsJit(m, s) && slices.ContainsFunc(assign.Targets, func(t pysrc.Expr) bool { return lastName(t) == fn.BaseName() })
		})
	})
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
		if in := p.In(s.Module()); in.repeated(s) && lastName(s.Node.Func) == fn.BaseName() && (in.calledInTraining(s.Func) != nil || in.besideSteps(s)) {
			return s
		}
	}
	return nil
}

// repeated reports a node in a loop or a comprehension.
func (p *SourcePass) repeated(n Node) bool {
	return p.LoopAround(n) != nil || len(p.comprehensionAround(n)) > 0
}
