package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// stepNotJitted finds training steps of JAX that run op by op.
var stepNotJitted = Rule{
	Code: "SAT801", Name: "step-not-jitted", Severity: Error, Subject: AboutKernels,
	Areas: []Area{ComputeArea, HostArea},
	Title: "the JAX training step is not compiled",
	What: "A JAX gradient (jax.grad, jax.value_and_grad, nnx.value_and_grad, eqx.filter_grad) in a Python loop, " +
		"where neither its function nor a caller is jitted. The optimizer's update of a compiled gradient. A moving average of the weights, by tree_map or by recursion. " +
		"A forward pass of flax in a Python loop that training runs again and again, such as an evaluation.",
	Why:    "Without jit, Python sends every operation to the device separately, and nothing is fused.",
	Fine:   "A caller elsewhere that jits. A few steps of a demo.",
	Advice: "Put @jax.jit (nnx.jit, eqx.filter_jit) on the function that does the whole step: gradient and update.",
	Gain:   Range{2, 19, "from 32.6 to 1.7 s per epoch in the example of the book Deep Learning with JAX"},
	Bad:    "def step(params, batch):\n    loss, grads = jax.value_and_grad(loss_fn)(params, batch)\n    …",
	Good:   "@jax.jit\ndef step(params, batch):\n    loss, grads = jax.value_and_grad(loss_fn)(params, batch)\n    …",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		said := map[*project.Function]bool{}
		for _, l := range p.JAXLoops() {
			fn := l.step.Func
			if fn.Module != p.Module || p.Jitted(fn) || p.NearSays("disable_jit") ||
				p.EvaluationOnly(l.step) {
				continue
			}
			way, hot := p.Hot(l.step)
			if !hot || p.jittedOnTheWay(way) || p.insideJit(l.step) {
				continue
			}
			said[fn] = true
			r := p.Report(l.step, nearlyCertain*way.Sure).Because(way)
			if fn.Def != nil && fn.Class == nil && l.Func != fn && p.traceable(fn) && !givenSettings(way) {
				jit, imports := p.Import("jax.jit")
				r.Fix(Unsafe, "compile the step", append(imports, p.LineBefore(fn, "@"+jit))...)
			}
		}
		p.updatesOpByOp(said)
		p.treesOpByOp(said)
		p.leavesOpByOp(said)
		p.forwardsOpByOp()
	},
}

// traceable reports whether JAX can trace a function as it is: what it is given are arrays and trees
// of them, as far as is
// seen, whose values Python does not ask for. An optimizer or a model among the parameters is no such thing.
func (p *SourcePass) traceable(fn *project.Function) bool {
	params := map[string]bool{}
	for _, a := range fn.Def.Args.All() {
		params[a.Name] = true
	}
	fine := !fn.IsGenerator()
	for _, d := range append(slices.Clone(fn.Def.Args.Defaults), fn.Def.Args.KwDefaults...) {
		if d != nil && p.Eval(d).Kind == project.Literal {
			fine = false // train=True, mode="sum"
		}
	}
	for _, test := range p.Module.Tests {
		if p.Function(test) == fn && asksFor(test, params) {
			fine = false
		}
	}
	for _, s := range fn.Sites {
		name := lastName(s.Node.Func)
		of := ""
		if f, ok := s.Node.Func.(*pysrc.Attribute); ok {
			of = pysrc.DottedName(f.Value)
		}
		switch {
		case params[pysrc.DottedName(s.Node.Func)], params[of] && (name == "update" || name == "apply" || name == "init"):
			fine = false
		case of == "" && (name == "print" || name == "float" || name == "int" || name == "bool" || name == "range"),
			name == "item" || name == "tolist" || name == "block_until_ready" ||
				name == "device_get", strings.HasPrefix(s.Name(), "numpy."):
			fine = false
		}
	}
	return fine
}

// givenSettings reports a step that is handed a setting, config.latents or "sum": a shape perhaps, which JAX must know
// when it compiles.
func givenSettings(way project.Path) bool {
	if len(way.Calls) == 0 {
		return false
	}
	call := way.Calls[len(way.Calls)-1].Node
	given := slices.Clone(call.Args)
	for _, k := range call.Keywords {
		given = append(given, k.Value)
	}
	return slices.ContainsFunc(given, func(x pysrc.Expr) bool {
		_, text := pysrc.StringValue(x)
		return text || project.HasWord(rootName(x), "config", "cfg", "conf", "args", "hparams", "flags", "settings")
	})
}

// asksFor reports a test that needs the value of a parameter, and not only its shape or whether it is there.
func asksFor(test pysrc.Expr, params map[string]bool) bool {
	asks := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Compare:
			return len(n.Ops) != 1 || n.Ops[0] != pysrc.Is && n.Ops[0] != pysrc.IsNot
		case *pysrc.Attribute:
			return n.Attr != "shape" && n.Attr != "ndim" && n.Attr != "dtype"
		case *pysrc.Call:
			return lastName(n.Func) != "isinstance" && lastName(n.Func) != "len"
		case *pysrc.Name:
			asks = asks || params[n.ID]
		}
		return !asks
	})
	return asks
}

// jittedOnTheWay reports a path of which a function is compiled.
func (p *SourcePass) jittedOnTheWay(way project.Path) bool {
	if way.Root != nil && p.Jitted(way.Root) {
		return true // a loop of several updates in one compiled step
	}
	for _, s := range way.Calls {
		for _, v := range s.Possible() {
			if v.Func != nil && p.Jitted(v.Func) {
				return true
			}
		}
	}
	return false
}

// seesVariables reports a function that is another one, or stands in it.
func seesVariables(fn, of *project.Function) bool {
	for ; fn != nil; fn = fn.Outer {
		if fn == of {
			return true
		}
	}
	return of.Def == nil
}

// insideJit reports a call whose statement jits: jax.jit(jax.value_and_grad(f)).
func (p *SourcePass) insideJit(s *project.Site) bool {
	if made := s.Calls.Made; made != nil && made != s && s.TakesGradient() && p.In(made.Module()).insideJit(made) {
		return true
	}
	for _, other := range s.Func.Sites {
		if p.isJit(p.Module, other.Node) && other.Node.Span.Contains(int(s.Node.Start)) && other != s {
			return true
		}
	}
	if name := p.variableOf(Call{s, p}); name != "" { // grad_fn = jax.value_and_grad(f); step = jax.jit(grad_fn)
		for _, other := range p.Module.Sites {
			if seesVariables(other.Func, s.Func) && p.isJit(p.Module, other.Node) && mentionsName(other.Node, name) {
				return true
			}
		}
	}
	return false
}
