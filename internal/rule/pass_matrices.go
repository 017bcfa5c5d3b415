package rule

import (
	"slices"

	"saturate/internal/project"
)

// multipliesMatrices reports whether the network near this module spends its time in matrix products. The linear layers
// of a convolutional network are its head, what its loss multiplies is small, and so is attention that is written once
// among many convolutions. Recurrent layers are cuDNN's, which uses TF32 by default.
func (p *SourcePass) multipliesMatrices() bool {
	if p.nearCalls(sparseProducts...) {
		return false // which TF32 does not concern, and which take the time
	}
	if l := p.trainedLayers(); l != nil && l.count("Linear")+l.attentions() > 0 {
		return l.multiply()
	}
	if p.nearCalls("torch.nn.MultiheadAttention", "torch.nn.Transformer", "torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer",
		"torch.nn.Bilinear", "transformers.*", "timm.create_model", "diffusers.*") ||
		p.nearCalls(multiplyingModels...) {
		return true
	}
	convolutions := p.nearMade("torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.functional.conv2d",
		"torch.nn.ConvTranspose2d", "torch.nn.functional.conv_transpose2d", "torchvision.models.*")
	linear := p.nearCount("torch.nn.Linear", "torch.nn.LazyLinear")
	if convolutions == 0 && linear > 0 {
		return true
	}
	products := 0
	for _, m := range p.Near() {
		near := p.In(m)
		for _, c := range near.CallsTo("torch.nn.functional.linear", "torch.matmul", "torch.bmm", "torch.einsum") {
			class := near.Class(c)
			if convolutions > 0 && (class == nil || !class.Derives("torch.nn.Module")) {
				continue
			}
			if _, hot := near.Hot(c); hot { // and not in what only generates
				products++
			}
		}
	}
	return products > 0 && products+linear >= max(convolutions, fewProducts) && (convolutions <= fewConvolutions || linear >= 2*convolutions)
}

// multiplies reports a network near this module that computes products of matrices at all, beside its convolutions.
func (p *SourcePass) multiplies() bool {
	return p.multipliesMatrices() || p.attends() ||
		p.nearCount("torch.nn.Linear", "torch.nn.LazyLinear", "torch.nn.functional.linear", "torch.matmul", "torch.bmm", "torch.einsum") > 0
}

// multiply reports layers most of which are products of matrices. Attention has two, and those of its projections.
func (l *modelLayers) multiply() bool {
	convolutions, products := l.convolutions(), l.count("Linear")+4*l.attentions()
	return convolutions == 0 || convolutions <= fewConvolutions && products >= fewProducts || products >= 2*convolutions
}

// fewConvolutions is how many a network has at most that computes mostly by products of matrices: one that cuts an image
// into patches, and the like.
const fewConvolutions = 2

// fewProducts is how many a loss or a layer has: a network has more.
const fewProducts = 3

// nearCount counts the calls of these names in the modules near this one, without calls of the layers that they make.
func (p *SourcePass) nearCount(names ...string) (n int) {
	for _, m := range p.Near() {
		n += len(slices.DeleteFunc(p.In(m).CallsTo(names...), func(c Call) bool { return c.Calls.Kind == project.Instance }))
	}
	return n
}

// nearMade is nearCount for layers: one that a class of the project holds counts as often as something makes the class.
func (p *SourcePass) nearMade(names ...string) (n int) {
	for _, m := range p.Near() {
		near := p.In(m)
		for _, c := range near.CallsTo(names...) {
			if c.Calls.Kind == project.Instance {
				continue
			}
			made := 1
			if class := near.Class(c); class != nil && class.Methods["__init__"] != nil {
				made = max(made, len(p.Project.Callers(class.Methods["__init__"])))
			}
			n += made
		}
	}
	return n
}

// sparseProducts multiply by matrices that are mostly zeros, such as the edges of a graph.
var sparseProducts = []string{"torch.sparse.mm", "torch.spmm", "torch.sparse.addmm", "torch_sparse.*", "torch_scatter.*"}

// convolves is why TF32 for products of matrices gains little in most networks of other layers.
const convolves = "its convolutions or recurrent layers take more of the time, and use TF32 already"

// littleInTF32 says why TF32 gains little here, if so.
func (p *SourcePass) littleInTF32() string {
	switch l := p.trainedLayers(); {
	case !p.multipliesMatrices():
		return convolves
	case p.tooSmall():
		return smallNetwork
	case p.narrow():
		return narrowNetwork
	case p.nearCalls(recurrentLayers...) && !p.attends():
		return "its recurrent layers are cuDNN's, which use TF32 already"
	case !p.attends() && (l == nil || !l.sized) && !p.wide():
		return "the widths of its layers are not known, and narrow ones gain nothing"
	}
	return ""
}

// attends reports a network of attention, or a model of a library that has it.
func (p *SourcePass) attends() bool {
	return p.nearCalls("torch.nn.MultiheadAttention", "torch.nn.Transformer", "torch.nn.TransformerEncoderLayer", "torch.nn.TransformerDecoderLayer",
		"torch.nn.functional.scaled_dot_product_attention", "torch.nn.LayerNorm") || p.nearCalls(multiplyingModels...) || p.takesLanguageModel()
}

// takesLanguageModel reports a model of transformers or timm near this module.
func (p *SourcePass) takesLanguageModel() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		q := p.In(m)
		return len(q.Pretrained()) > 0 || len(q.CallsTo("timm.create_model")) > 0 || len(q.Constructions("transformers.PreTrainedModel")) > 0
	})
}

// wideLayer is from which width of both its sides a linear layer keeps tensor cores busy.
const wideLayer = 512

// wide reports a linear layer near this module that is known to be wide.
func (p *SourcePass) wide() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(p.In(m).CallsTo("torch.nn.Linear"), func(c Call) bool {
			in, known := c.Arg("in_features").Float()
			out, also := c.Arg("out_features").Float()
			return known && also && in >= wideLayer && out >= wideLayer
		})
	})
}
