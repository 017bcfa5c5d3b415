package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// jitInLoop finds functions of JAX that are compiled again in every iteration of a loop.
var jitInLoop = Rule{
	Code: "SAT802", Name: "jit-in-loop", Severity: Error, Subject: AboutCompiling,
	Areas: []Area{HostArea},
	Title: "JAX recompiles in every iteration of the loop",
	What: "jax.jit (or pmap, nnx.jit, eqx.filter_jit) of a lambda, partial, gradient, method or local function, " +
		"in a loop or in a function that a training step calls. Also in a function that training calls in a loop, such as an " +
		"evaluation, and a local function with such a decorator.",
	Why: "JAX caches compiled code by the identity of the function. A new function is traced and compiled again, " +
		"for seconds. (jax.jit(f) of one module-level f is cached.)",
	Fine:   "A compiled function that is kept outside the loop.",
	Advice: "Create the jitted function once, before the loop.",
	Bad:    "for batch in batches:\n    loss = jax.jit(lambda b: loss_fn(params, b))(batch)",
	Good:   "compiled = jax.jit(loss_fn)\nfor batch in batches:\n    loss = compiled(params, batch)",
	Source: func(p *SourcePass) {
		if !p.usesJAX() {
			return
		}
		for _, s := range p.Module.Sites {
			call := Call{s, p}
			if !jits[s.Name()] || len(s.Node.Args) == 0 || p.runsSeldom(call) {
				continue
			}
			loop := p.LoopAround(call)
			if p.EvaluationOnly(call) && p.calledInTraining(s.Func) == nil {
				continue
			}
			way, hot := p.Hot(call)
			if loop == nil && !(hot && len(way.Calls) > 0 && !p.rareOnTheWay(way)) ||
				p.Jitted(s.Func) && s.Func.Def != nil && p.jitDecorated(s.Func) || !p.newEachTime(s, loop) ||
				loop == nil && p.isKept(s) {
				continue
			}
			p.Report(call, nearlyCertain).Because(way).
				Saying("%s is a new function each time, so JAX compiles it again", p.Short(s.Node.Args[0]))
		}
		p.compiledAgain()
	},
}

// newEachTime reports a jit whose argument is a new object each time it is reached.
func (p *SourcePass) newEachTime(s *project.Site, loop pysrc.Stmt) bool {
	switch x := s.Node.Args[0].(type) {
	case *pysrc.Lambda:
		return true
	case *pysrc.Call:
		fn := p.Eval(x.Func).Func
		return fn == nil || p.In(fn.Module).returnsNew(fn) // partial(f), jax.grad(f), make_update(optimizer)
	case *pysrc.Attribute:
		v := p.Eval(x)
		return v.Func != nil && v.Self != nil // a bound method
	case *pysrc.Name:
		v := p.Eval(x)
		if v.Func == nil || v.Func.Def == nil {
			return false
		}
		if loop != nil && loop.Bounds().Contains(int(v.Func.Def.Start)) {
			return true
		}
		return loop == nil && v.Func.Outer == s.Func
	}
	return false
}

// returnsNew reports a function that returns a function which it defines: a new one in each call.
func (p *SourcePass) returnsNew(fn *project.Function) bool {
	returns := fn.Returns()
	return len(returns) > 0 && !cached(fn) && !slices.ContainsFunc(returns, func(r pysrc.Expr) bool {
		if _, lambda := r.(*pysrc.Lambda); lambda {
			return false
		}
		made := p.Eval(r).Func
		return made == nil || made.Outer != fn
	})
}

// isKept reports a jit whose result an attribute holds, or that a function hands out.
func (p *SourcePass) isKept(s *project.Site) bool {
	switch stmt := p.Module.StatementAt(s.Node.Start).(type) {
	case *pysrc.Assign:
		_, attribute := stmt.Targets[0].(*pysrc.Attribute)
		return attribute || s.Func.BaseName() == "__init__"
	case *pysrc.Return:
		return stmt.Value == pysrc.Expr(s.Node)
	}
	return false
}
