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
		if by := p.layersToldFloat32(c.Calls.Class); by != nil {
			p.Report(c.Callee(), probable*by.Confidence()).Because(*by).Saying("the model's layers are told to compute in float32").
				Advising("Compute in bfloat16 and keep the parameters and the loss in float32: bfloat16 needs no loss scaling.")
			return true
		}
	}
	return false
}

// layersToldFloat32 is the setting by which all layers of a model with products, and of the modules in it, compute in float32, where
// each is told a type; nil where one computes in another, or where the source itself writes it beside the layer.
func (p *SourcePass) layersToldFloat32(model *project.Class) (by *Value) {
	classes := []*project.Class{model}
	for i := 0; i < len(classes) && i < mostLayers; i++ {
		q := p.In(classes[i].Module)
		for _, m := range classes[i].Methods {
			for _, s := range m.Sites {
				if c := s.Calls.Class; c != nil && s.Calls.Kind == project.Type && !slices.Contains(classes, c) && c.Derives("flax.linen.Module", "flax.nnx.Module") {
					classes = append(classes, c)
				}
				if !layersWithProducts[lastPart(pysrc.DottedName(s.Node.Func))] || !strings.HasPrefix(s.Name(), "flax.") {
					continue
				}
				said, ok := p.float32OfJAX(Call{s, q}.Arg("dtype"))
				if !ok {
					return nil
				}
				if by == nil && said.Origin.How > project.InPlace {
					by = &said
				}
			}
		}
	}
	return by
}

// layersWithProducts are the layers of flax that spend their time in products of matrices.
var layersWithProducts = setOfNames("Dense", "DenseGeneral", "Linear", "Conv", "ConvTranspose", "Embed", "SelfAttention",
	"MultiHeadDotProductAttention", "MultiHeadAttention")

// mostLayers is how many classes of one model are looked at.
const mostLayers = 16

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
