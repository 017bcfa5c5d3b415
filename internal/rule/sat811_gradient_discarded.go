package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// gradientDiscarded finds gradients of JAX that are computed and thrown away.
var gradientDiscarded = Rule{
	Code: "SAT811", Name: "gradient-discarded", Severity: Warning, Subject: AboutEvaluation,
	Areas: []Area{ComputeArea},
	Title: "a gradient is computed and thrown away",
	What: "loss, _ = f(…) where f comes from jax.value_and_grad, with or without jit: validation that calls the " +
		"training step's function.",
	Why: "The backward pass costs about twice the forward pass, and its activations stay in memory until it is " +
		"done. A compiled function computes everything it returns, used or not.",
	Fine:   "Never: call the loss itself.",
	Advice: "Keep the loss function under its own name, compile it for validation, and take its gradient for training only.",
	Bad:    "step = jax.value_and_grad(loss)\nvalue, _ = step(params, held_out)",
	Good:   "validate = jax.jit(loss)\nvalue = validate(params, held_out)",
	Source: func(p *SourcePass) {
		if !p.usesJAX() {
			return
		}
		for _, s := range p.Module.Sites {
			assign, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
			if !ok || assign.Value != pysrc.Expr(s.Node) || len(assign.Targets) != 1 || !p.givesGradient(s) {
				continue
			}
			pair, ok := assign.Targets[0].(*pysrc.Tuple)
			if !ok || len(pair.Elts) != 2 {
				continue
			}
			if gradient, ok := pair.Elts[1].(*pysrc.Name); ok && (gradient.ID == "_" || !p.reads(gradient)) {
				p.Report(s.Node, likely).Saying("the gradient that %s computes is thrown away", p.Short(s.Node.Func))
			}
		}
	},
}

// givesGradient reports a call of what value_and_grad gives: by a variable, or by the decorator of a function.
func (p *SourcePass) givesGradient(s *project.Site) bool {
	for _, v := range s.Possible() {
		if strings.HasSuffix(v.Name, "value_and_grad()") {
			return true
		}
		if v.Kind != project.Callable || v.Func == nil {
			continue
		}
		for _, d := range v.Func.Decorators() {
			if c, ok := d.(*pysrc.Call); ok {
				if d = c.Func; lastName(d) == "partial" && len(c.Args) > 0 {
					d = c.Args[0]
				}
			}
			if strings.HasSuffix(p.eval.Of(v.Func.Module, d).Name, "value_and_grad") {
				return true
			}
		}
	}
	return false
}
