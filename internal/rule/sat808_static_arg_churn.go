package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// staticArgChurn finds arguments that make JAX compile for each of their values.
var staticArgChurn = Rule{
	Code: "SAT808", Name: "static-arg-churn", Severity: Error, Subject: AboutCompiling,
	Areas: []Area{HostArea},
	Title: "JAX recompiles for each value of an argument",
	What: "A jitted function with static_argnums or static_argnames, called in a loop with the loop variable, or a number " +
		"that is drawn or read from an array, for such an argument.",
	Why:    "A static argument is part of the compiled program: each new value is traced and compiled again.",
	Fine:   "Flags and sizes that take few values.",
	Advice: "Pass it as an array and decide with jnp.where or lax.cond, or keep it out of the jitted function.",
	Bad: "@partial(jax.jit, static_argnums=1)\ndef step(state, i): …\nfor i in range(1000):\n    state = " +
		"step(state, i)",
	Good: "@jax.jit\ndef step(state, i): …\nfor i in range(1000):\n    state = step(state, i)",
	Source: func(p *SourcePass) {
		if !p.usesJAX() {
			return
		}
		for _, s := range p.Module.Sites {
			loop, ok := p.LoopAround(s).(*pysrc.For)
			if !ok || p.EvaluationOnly(s) {
				continue
			}
			fn := p.Eval(s.Node.Func).Func
			if fn == nil || fn.Def == nil {
				continue
			}
			static := p.staticParameters(fn)
			for i, arg := range s.Node.Args {
				if i < len(fn.Def.Args.Args) && static[fn.Def.Args.Args[i].Name] && p.churns(arg, loop) {
					p.Report(arg, nearlyCertain).Because(fn).
						Saying("JAX compiles %s again for each value of %s", fn.BaseName(), p.Short(arg))
				}
			}
			for _, k := range s.Node.Keywords {
				if static[k.Name] && p.churns(k.Value, loop) {
					p.Report(k.Value, nearlyCertain).Because(fn).
						Saying("JAX compiles %s again for each value of %s", fn.BaseName(), p.Short(k.Value))
				}
			}
		}
	},
}

// churns reports an argument that differs in most iterations of a loop.
func (p *SourcePass) churns(arg pysrc.Expr, loop *pysrc.For) bool {
	for around := pysrc.Stmt(loop); around != nil; around = p.LoopAround(around) { // the step of micro batches, too
		if over, ok := around.(*pysrc.For); ok && p.countsWith(arg, over) {
			return p.manyTurns(over)
		}
	}
	return p.isTrainingLoop(loop) && (&raggedSearch{loop: loop}).changes(p, arg, nil, 0)
}

// staticParameters are the parameters that a jit of a function takes as static.
func (p *SourcePass) staticParameters(fn *project.Function) map[string]bool {
	names := map[string]bool{}
	read := func(c *pysrc.Call) {
		if k := c.Keyword("static_argnames"); k != nil {
			for _, e := range append(elementsOf(k.Value), k.Value) {
				if text, ok := pysrc.StringValue(e); ok {
					names[text] = true
				}
			}
		}
		if k := c.Keyword("static_argnums"); k != nil {
			for _, e := range append(elementsOf(k.Value), k.Value) {
				if i, ok := pysrc.IntValue(e); ok && i >= 0 && int(i) < len(fn.Def.Args.Args) {
					names[fn.Def.Args.Args[i].Name] = true
				}
			}
		}
	}
	for _, d := range fn.Decorators() {
		if c, ok := d.(*pysrc.Call); ok && p.isJit(fn.Module, d) {
			read(c)
		}
	}
	if c := p.jitOf(fn); c != nil {
		read(c.Node)
	}
	return names
}

func elementsOf(e pysrc.Expr) []pysrc.Expr {
	switch e := e.(type) {
	case *pysrc.Tuple:
		return e.Elts
	case *pysrc.List:
		return e.Elts
	}
	return nil
}

// isTarget reports a name that a loop's target binds.
func isTarget(e pysrc.Expr, loop *pysrc.For) bool {
	name, ok := e.(*pysrc.Name)
	return ok && storesName(loop.Target, name.ID)
}

// countsWith reports a loop's variable, and a number that is computed from it: 0.1 * step, schedule(step).
func (p *SourcePass) countsWith(e pysrc.Expr, loop *pysrc.For) bool {
	switch x := e.(type) {
	case *pysrc.BinOp:
		switch x.Op {
		case pysrc.Add, pysrc.Sub, pysrc.Mult, pysrc.Div, pysrc.Pow:
			return p.countsWith(x.Left, loop) || p.countsWith(x.Right, loop)
		}
		return false
	case *pysrc.Call:
		fn := p.Eval(x.Func).Func
		if fn == nil || len(x.Args) == 0 || !p.countsWith(x.Args[0], loop) || len(fn.Returns()) == 0 {
			return false
		}
		return !slices.ContainsFunc(fn.Returns(), func(r pysrc.Expr) bool { return !isArithmetic(r) })
	}
	return isTarget(e, loop)
}

// isArithmetic reports a product, quotient, sum, difference or power.
func isArithmetic(e pysrc.Expr) bool {
	b, ok := e.(*pysrc.BinOp)
	return ok && b.Op != pysrc.Mod && b.Op != pysrc.FloorDiv
}

// manyTurns reports a loop over range or enumerate that is not known to be short.
func (p *SourcePass) manyTurns(loop *pysrc.For) bool {
	c, ok := loop.Iter.(*pysrc.Call)
	if !ok {
		return false
	}
	switch lastName(c.Func) {
	case "range", "trange":
		n := p.turns(loop)
		return n == 0 || n > 8
	case "enumerate", "tqdm":
		return true
	}
	return false
}
