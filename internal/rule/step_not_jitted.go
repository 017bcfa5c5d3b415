package rule

import (
	"saturate/internal/project"
)

// stepNotJitted finds training steps of JAX that run op by op.
var stepNotJitted = Rule{
	Code: "SAT801", Name: "step-not-jitted", Severity: Error,
	Title:  "the training step of JAX is not compiled",
	What:   "A gradient of JAX (jax.grad, jax.value_and_grad, nnx.value_and_grad, eqx.filter_grad) in a Python loop, where neither its function nor one that calls it is jitted.",
	Why:    "Without jit every operation is sent to the device by itself from Python, and nothing is fused.",
	Fine:   "A caller elsewhere that jits, a few steps for a demonstration.",
	Advice: "Put @jax.jit (nnx.jit, eqx.filter_jit) on the function that makes the whole step: gradient and update.",
	Gain:   Range{2, 19, "32.6 to 1.7 s an epoch in the example of Deep Learning with JAX"},
	Bad:    "def step(params, batch):\n    loss, grads = jax.value_and_grad(loss_fn)(params, batch)\n    …",
	Good:   "@jax.jit\ndef step(params, batch):\n    loss, grads = jax.value_and_grad(loss_fn)(params, batch)\n    …",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, l := range p.JAXLoops() {
			fn := l.step.Func
			if fn.Module != p.Module || p.Jitted(fn) || p.NearSays("lax.scan", "fori_loop", "while_loop", "disable_jit") || p.EvaluationOnly(l.step) {
				continue
			}
			way, hot := p.Hot(l.step)
			if !hot || p.jittedOnTheWay(way) || p.insideJit(l.step) {
				continue
			}
			r := p.Report(l.step, 0.9*way.Sure).Because(way)
			if fn.Def != nil && fn.Class == nil && l.Func != fn {
				jit, imports := p.Import("jax.jit")
				r.Fix(Unsafe, "compile the step", append(imports, p.LineBefore(fn, "@"+jit))...)
			}
		}
	},
}

// jittedOnTheWay reports a path of which a function is compiled.
func (p *SourcePass) jittedOnTheWay(way project.Path) bool {
	for _, s := range way.Calls {
		for _, v := range s.Possible() {
			if v.Func != nil && p.Jitted(v.Func) {
				return true
			}
		}
	}
	return false
}

// insideJit reports a call whose statement jits: jax.jit(jax.value_and_grad(f)).
func (p *SourcePass) insideJit(s *project.Site) bool {
	for _, other := range s.Func.Sites {
		if p.isJit(p.Module, other.Node) && other.Node.Span.Contains(int(s.Node.Start)) && other != s {
			return true
		}
	}
	if name := p.variableOf(Call{s, p}); name != "" { // grad_fn = jax.value_and_grad(f); step = jax.jit(grad_fn)
		for _, other := range p.Module.Sites {
			if p.isJit(p.Module, other.Node) && mentionsName(other.Node, name) {
				return true
			}
		}
	}
	return false
}
