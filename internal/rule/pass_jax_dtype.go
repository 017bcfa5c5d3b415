package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// jaxToldFloat32 reports the model of a JAX program that is told to compute in float32, though its class computes in any type:
// ResNet(dtype=jnp.dtype(config.dtype)).
func (p *SourcePass) jaxToldFloat32() bool {
	models := p.Constructions("flax.linen.Module", "flax.nnx.Module")
	if len(models) == 0 || p.learnsByActing() || p.NearSays("enable_x64") || !p.nearCalls(productsOfJAX...) || !p.trainingNear() {
		return false
	}
	for _, c := range models {
		if c.Calls.Class == nil || p.Function(c).Class != nil || p.EvaluationOnly(c) || p.Rare(c) != nil || !p.initializes(c) {
			continue // a layer of another model may need its digits, and what is loaded is not trained
		}
		for _, name := range []string{"dtype", "compute_dtype"} {
			if by, ok := p.float32OfJAX(c.Arg(name)); ok {
				p.Report(c.Callee(), probable*by.Confidence()).Because(by).Saying("the model is told to compute in float32").
					Advising("Compute in bfloat16 and keep the parameters and the loss in float32: bfloat16 needs no loss scaling.")
				return true
			}
		}
	}
	return false
}

// initializes reports a model that gets new weights, or an optimizer: model.init(key, x), nnx.Optimizer(model, tx).
func (p *SourcePass) initializes(model Call) bool {
	name := p.variableOf(model)
	return name != "" && slices.ContainsFunc(p.Module.Sites, func(s *project.Site) bool {
		if f, ok := s.Node.Func.(*pysrc.Attribute); ok && (f.Attr == "init" || f.Attr == "init_with_output" || f.Attr == "lazy_init") {
			return pysrc.DottedName(f.Value) == name || mentionsName(s.Node, name)
		}
		first := firstArg(s.Node)
		return first != nil && pysrc.DottedName(first) == name && strings.HasPrefix(s.Name(), "flax.nnx.") && strings.HasSuffix(s.Name(), "Optimizer")
	})
}

// trainingNear reports a module that trains, or that one which trains takes functions from.
func (p *SourcePass) trainingNear() bool {
	for _, m := range p.Near() {
		if len(p.In(m).JAXLoops()) > 0 {
			return true
		}
	}
	return false
}

// float32OfJAX is what says jnp.float32, by its name, or by jnp.dtype of either.
func (p *SourcePass) float32OfJAX(v Value) (by Value, ok bool) {
	if v.Made != nil && v.Kind == project.Instance && len(v.Made.Node.Args) == 1 {
		switch v.Made.Name() {
		case "jax.numpy.dtype", "numpy.dtype":
			v = p.eval.ArgumentAt(v.Made, 0)
		}
	}
	return v, v.Equals("float32") || v.Equals("fp32") || v.Name == "jax.numpy.float32" || v.Name == "numpy.float32"
}
