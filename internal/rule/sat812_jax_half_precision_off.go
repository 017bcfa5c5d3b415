package rule

import (
	"path"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// jaxHalfPrecisionOff finds JAX programs that can compute in half precision and do not.
var jaxHalfPrecisionOff = Rule{
	Code: "SAT812", Name: "jax-half-precision-off", Severity: Warning, Subject: AboutPrecision,
	Areas: []Area{ComputeArea},
	Title: "half precision is switched off, so the model is trained in float32",
	What: "In a JAX training program, a branch that chooses bfloat16, float16 or a jmp policy for the model, on a " +
		"condition that is false by default: an option, a parameter, a key of a ConfigDict. Nothing else chooses half " +
		"precision. Also a convolutional network or a transformer of flax that, or all of whose layers, a setting tells to compute in float32, and a " +
		"training loop of one near which nothing names half precision.",
	Why:    "Matrix products and convolutions in bfloat16 run on tensor cores several times faster than in float32, and move half the bytes.",
	Fine:   "GPUs before Ampere. Losses that need float32: keep the parameters and the loss in float32.",
	Advice: "Turn it on and compare the loss: bfloat16 needs no loss scaling.",
	Bad:    "config.half_precision = False",
	Good:   "config.half_precision = True",
	Source: func(p *SourcePass) {
		if !p.usesJAX() || !p.trained() || p.Module.Role == project.Test {
			return
		}
		var off []pysrc.Node
		var first pysrc.Expr
		var by Value
		p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
			var test, body pysrc.Node
			switch n := n.(type) {
			case *pysrc.If:
				test, body = n.Test, pysrc.Node(n)
			case *pysrc.IfExp:
				test, body = n.Test, n.Body
			default:
				return true
			}
			v := p.Eval(test.(pysrc.Expr))
			if isOff(v) && p.choosesHalf(body, nil) {
				off = append(off, body)
				if first == nil {
					first, by = test.(pysrc.Expr), v
				}
			}
			return true
		})
		if first == nil {
			if !p.jaxToldFloat32() {
				p.jaxFullPrecision()
			}
			return
		}
		for _, m := range p.Near() {
			in, but := p.In(m), off
			if m != p.Module {
				but = nil
			}
			if m.Role != project.Test && in.choosesHalf(m.File.Module, but) {
				return
			}
		}
		p.Report(first, probable*by.Confidence()).Because(by)
	},
}

// jaxFullPrecision reports the training loop of a large enough network where nothing near speaks of half precision.
func (p *SourcePass) jaxFullPrecision() {
	if p.NearSays("bfloat16", "float16", "bf16", "fp16", "jmp", "enable_x64") || p.learnsByActing() || !p.nearCalls(productsOfJAX...) {
		return
	}
	for _, l := range p.JAXLoops() {
		var at Node = l.step
		if updates := p.updates(l); len(updates) > 0 {
			at = updates[0].call.Func
		} else if l.step.Module() != p.Module {
			if at = p.callOfStep(l); at == nil {
				continue
			}
		}
		if p.EvaluationOnly(at) || project.HasWord(path.Base(p.Module.Path), "bench", "benchmark") {
			continue
		}
		p.Report(at, probable).Saying("the model is trained entirely in float32").
			Advising("Give the layers dtype=jnp.bfloat16 and keep param_dtype and the loss in float32.")
		return
	}
}

// productsOfJAX are the layers, and the functions in them, that spend their time in products which tensor cores compute.
var productsOfJAX = []string{
	"flax.linen.Conv", "flax.linen.SelfAttention", "flax.linen.MultiHeadDotProductAttention", "flax.linen.softmax", "flax.nnx.Conv",
	"flax.nnx.MultiHeadAttention",
	"jax.nn.softmax", "haiku.Conv1D", "haiku.Conv2D", "haiku.MultiHeadAttention", "equinox.nn.Conv2d", "equinox.nn.MultiheadAttention",
}

// callOfStep is the call by which a loop runs a step of another module, or nil.
func (p *SourcePass) callOfStep(l jaxLoop) Node {
	for _, s := range l.Func.Sites {
		if l.Bounds().Contains(int(s.Node.Start)) && p.stepsWith(s.Node, l) {
			return s.Node.Func
		}
	}
	return nil
}

// isOff reports a value that is false as far as the source tells: by default, or in all that is known of it.
func isOff(v Value) bool {
	return v.IsFalse() || v.Kind == project.Unknown && len(v.Either) > 0 && !slices.ContainsFunc(v.Either, func(w Value) bool { return !w.IsFalse() })
}

// choosesHalf reports code that names a half type of JAX, or makes a policy of jmp, outside some parts of it.
func (p *SourcePass) choosesHalf(in pysrc.Node, but []pysrc.Node) bool {
	found := false
	p.Inspect(in, func(n pysrc.Node) bool {
		if found || slices.Contains(but, n) {
			return false
		}
		switch n := n.(type) {
		case *pysrc.Import, *pysrc.ImportFrom:
			return false
		case *pysrc.Attribute, *pysrc.Name:
			e := n.(pysrc.Expr)
			switch lastName(e) {
			case "bfloat16", "float16":
				name := p.NameOf(e)
				found = name == "jax.numpy.bfloat16" || name == "jax.numpy.float16"
			case "get_policy", "Policy", "set_policy":
				name := p.NameOf(e)
				found = name == "jmp.get_policy" || name == "jmp.Policy" || name == "haiku.mixed_precision.set_policy"
			}
		}
		return !found
	})
	return found
}
