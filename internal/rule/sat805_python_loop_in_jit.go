package rule

import (
	"slices"

	"saturate/internal/human"
	"saturate/internal/pysrc"
)

// pythonLoopInJit finds loops that JAX unrolls while it traces.
var pythonLoopInJit = Rule{
	Code: "SAT805", Name: "python-loop-in-jit", Severity: Advice, Subject: AboutCompiling,
	Areas: []Area{HostArea},
	Title: "a Python loop is unrolled into the compiled program",
	What: "for … in range(n) in a function that JAX compiles, with a known n of at least 8; or as many iterations as an " +
		"array is long, each of which takes what the one before returned, or computes one row by itself in every step.",
	Why: "Tracing runs the loop in Python, so program size and compile time grow with the number of iterations. " +
		"lax.scan and fori_loop compile the body once.",
	Fine:   "Few iterations, or iterations that differ from each other.",
	Advice: "Use jax.lax.scan for a loop that carries values, otherwise jax.lax.fori_loop or jax.vmap.",
	Bad:    "@jax.jit\ndef run(x):\n    for _ in range(100):\n        x = step(x)\n    return x",
	Good:   "@jax.jit\ndef run(x):\n    return jax.lax.fori_loop(0, 100, lambda _, x: step(x), x)",
	Source: func(p *SourcePass) {
		if !p.usesJAX() {
			return
		}
		p.stackedByRow()
		p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
			loop, ok := n.(*pysrc.For)
			if !ok {
				return true
			}
			turns := p.turns(loop)
			if p.unrollsData(loop) {
				p.Report(loop.Iter, probable).Because(p.Function(loop)).
					Saying("as many iterations as the array is long are unrolled into the compiled program")
				return false
			}
			if p.dispatchedByRow(loop) {
				p.Report(loop.Iter, probable).Because(p.Function(loop)).
					Saying("a step computes one row of the array after the other, in a Python loop").
					Advising("Compute all rows at once: jax.vmap, or an operation on the whole array.")
				return false
			}
			if turns < 8 || p.EvaluationOnly(loop) || !p.carries(loop) || p.containsLoop(loop) {
				return true
			}
			if fn := p.Function(loop); fn.Def != nil && p.compiledSomewhere(fn, 0) {
				p.Report(loop.Iter, likely).Because(fn).
					Saying("%s iterations of this loop are unrolled into the compiled program", human.Count(turns))
			}
			return true
		})
	},
}

// carries reports a loop whose body computes: it assigns from a call or an operator.
func (p *SourcePass) carries(loop *pysrc.For) bool {
	for _, s := range loop.Body {
		switch s := s.(type) {
		case *pysrc.Assign:
			switch s.Value.(type) {
			case *pysrc.Call, *pysrc.BinOp:
				return true
			}
		case *pysrc.AugAssign:
			return true
		}
	}
	return false
}

func (p *SourcePass) containsLoop(loop *pysrc.For) bool {
	found := false
	for _, s := range loop.Body {
		p.Inspect(s, func(n pysrc.Node) bool {
			if _, inner := n.(*pysrc.For); inner {
				found = true
			}
			return !found
		})
	}
	return found
}

// stackedByRow reports results for the rows of an array that a list gathers in a compiled function:
// jnp.stack([model(x) for x in xs]).
func (p *SourcePass) stackedByRow() {
	for _, c := range p.CallsTo("jax.numpy.stack", "jax.numpy.array", "jax.numpy.asarray", "jax.numpy.concatenate", "jax.numpy.vstack") {
		list, ok := firstArg(c.Node).(*pysrc.ListComp)
		if !ok || len(list.Generators) != 1 || len(list.Generators[0].Ifs) > 0 {
			continue
		}
		each, one := list.Generators[0].Target.(*pysrc.Name)
		rows, named := list.Generators[0].Iter.(*pysrc.Name)
		made, call := list.Elt.(*pysrc.Call)
		if !one || !named || !call || !isParameter(c.Func, rows) || !slices.ContainsFunc(made.Args, func(e pysrc.Expr) bool { return isNamed(e, each.ID) }) ||
			p.EvaluationOnly(c) || !p.compiledSomewhere(c.Func, 0) && !p.isHot(c) {
			continue
		}
		p.Report(list, plausible).Because(c.Func).
			Saying("%s runs by itself for each row of %s", p.Short(made), rows.ID).
			Advising("Compute all rows at once: jax.vmap(%s)(%s).", p.Text(made.Func), rows.ID)
	}
}
