package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// optimizers returns the calls that make an optimizer of torch which can be
// fused, in a module that trains or is near one that does. Those that run by default come first.
func (p *SourcePass) optimizers() []Call {
	if !p.Project.Trains() || p.jaxOnly() {
		return nil
	}
	var list []Call
	for _, c := range p.CallsTo("torch.optim.Adam", "torch.optim.AdamW", "torch.optim.SGD") {
		if !fewTensors(c) && !p.demonstrates(c) && !p.EvaluationOnly(c) && (p.trained() || startsTraining(p.Module) ||
			slices.ContainsFunc(p.Module.UsedBy, startsTraining)) {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Call) int { return p.notByDefault(a) - p.notByDefault(b) })
	return list
}

// unfused reports an optimizer that could be fused, and of which nothing is said that speaks against it.
func (p *SourcePass) unfused(c Call) bool {
	return off(c.Arg("fused")) && !c.Arg("foreach").Given() && !c.Arg("capturable").Given() && !c.Arg("differentiable").Given() &&
		!p.NearSays("deepspeed", "zero3", "fsdp", "FSDP") && !p.neverFused(c) && !p.fusedFirst(c)
}

// fusedFirst reports the optimizer that is made where the same one, fused, cannot be had: after try: return AdamW(params,
// fused=True), or in the other arm.
func (p *SourcePass) fusedFirst(c Call) bool {
	return slices.ContainsFunc(p.optimizers(), func(other Call) bool {
		return other.Func == c.Func && other.Calls.Name == c.Calls.Name && other.Node.Start < c.Node.Start && !off(other.Arg("fused"))
	})
}

// notByDefault is 1 for a call in a branch that the defaults of the program's options do not take.
func (p *SourcePass) notByDefault(c Call) int {
	not := 0
	p.Module.Around(c.Node.Start, func(owner pysrc.Node) bool {
		if s, ok := owner.(*pysrc.If); ok {
			inBody := len(s.Body) > 0 && c.Node.Start >= s.Body[0].Bounds().Start && c.Node.Start < s.Body[len(s.Body)-1].Bounds().End
			if test := p.Eval(s.Test); test.IsFalse() && inBody || test.IsTrue() && !inBody {
				not = 1
			}
		}
		return not == 0
	})
	return not
}

// demonstrates reports what a file that others import does when it is started itself.
func (p *SourcePass) demonstrates(n Node) bool {
	return p.Function(n) == p.Module.Main && p.Module.Role != project.Training && !startsTraining(p.Module)
}

// fewTensors reports an optimizer of tensors that are named one by one: [latent] + noises. A list of dicts is the
// parameters of models in groups.
func fewTensors(c Call) bool {
	params := c.ArgumentNode("params", 0)
	if sum, ok := params.(*pysrc.BinOp); ok {
		params = sum.Left
	}
	list, ok := params.(*pysrc.List)
	return ok && !slices.ContainsFunc(list.Elts, func(e pysrc.Expr) bool {
		_, group := e.(*pysrc.Dict)
		_, many := e.(*pysrc.Starred) // [*net.parameters(), *head.parameters()]
		return group || many
	})
}

// littleToUpdate says why an optimizer takes little of a step, if so.
func (p *SourcePass) littleToUpdate(c Call) string {
	switch l := p.trainedLayers(); {
	case c.Calls.Name == "torch.optim.SGD":
		return "an update by SGD takes little of a step, fused or not"
	case p.notByDefault(c) > 0:
		return "the program's defaults choose another optimizer"
	case p.ofOneLayer(c):
		return "it updates a single layer"
	case len(p.CallsTo("peft.*", "unsloth.*", "loralib.*")) > 0:
		return "it updates the few weights of an adapter, beside a model that takes the time"
	case p.ofModelPart(c):
		return "it updates a part of the model, and the whole model takes the time"
	case l != nil && !l.looped && l.layers() <= fewLayers && l.attentions() == 0:
		return "the model has few weights to update"
	}
	return ""
}

// fewLayers is how many layers a model has whose update takes a few kernels in any case.
const fewLayers = 4

// ofModelPart reports an optimizer of a part of a model: model.decoder.parameters(). What spreads a model over GPUs is around
// all of it: model.module.parameters().
func (p *SourcePass) ofModelPart(c Call) bool {
	part, ok := p.optimized(c).(*pysrc.Attribute)
	if !ok || part.Attr == "module" {
		return false
	}
	if name, ok := part.Value.(*pysrc.Name); ok && name.ID == "self" {
		return false
	}
	whole := p.Eval(part.Value)
	return whole.Class != nil && whole.Class.Derives("torch.nn.Module") && !p.optimizesAlso(part, c)
}

// optimizesAlso reports a model of which the module gives another part to an optimizer, too.
func (p *SourcePass) optimizesAlso(part *pysrc.Attribute, than Call) bool {
	name := pysrc.DottedName(part.Value)
	return slices.ContainsFunc(p.CallsTo("torch.optim.*"), func(c Call) bool {
		found := false
		for _, a := range append(slices.Clone(c.Node.Args), keywordValues(c.Node)...) {
			pysrc.Inspect(a, func(n pysrc.Node) bool {
				of, ok := n.(*pysrc.Attribute)
				found = found || ok && of.Attr != part.Attr && pysrc.DottedName(of.Value) == name && c.Node != than.Node
				return !found
			})
		}
		return found
	})
}

func keywordValues(c *pysrc.Call) (list []pysrc.Expr) {
	for _, k := range c.Keywords {
		list = append(list, k.Value)
	}
	return list
}

// ofOneLayer reports an optimizer of a single layer: net.fc.parameters().
func (p *SourcePass) ofOneLayer(c Call) bool {
	part, ok := p.optimized(c).(*pysrc.Attribute)
	if !ok {
		return false
	}
	layer := p.Eval(part)
	_, known := layerSizes[layer.Name]
	return layer.Kind == project.Instance && known && layer.Name != "torch.nn.Transformer"
}

// fitsTensors reports a module whose optimizers have a few tensors, an image or a latent: no model is trained there.
func (p *SourcePass) fitsTensors() bool {
	made := p.CallsTo("torch.optim.Adam", "torch.optim.AdamW", "torch.optim.SGD", "torch.optim.LBFGS")
	return len(made) > 0 && !slices.ContainsFunc(made, func(c Call) bool { return !fewTensors(c) })
}
