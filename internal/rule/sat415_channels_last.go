package rule

import (
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// channelsLast finds image models whose layout makes every convolution transpose.
var channelsLast = Rule{
	Code: "SAT415", Name: "channels-last", Severity: Advice, Subject: AboutLayout, General: true, Safety: DisplayOnly,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "2-D convolutions use a layout that tensor cores must transpose",
	What:  "A torchvision or timm model trained under autocast, in a project that never mentions channels_last.",
	Why: "Tensor cores convolve channels-last tensors. From the default layout, cuDNN transposes before and " +
		"after every convolution.",
	Fine:   "float32 training. Transformers. Models with grouped convolutions or custom operations without such a kernel.",
	Advice: "Convert both: model.to(memory_format=torch.channels_last) and images.to(memory_format=torch.channels_last).",
	Gain:   Range{1.0, 1.35, "22% for ResNet-50, 8 to 35% over models, PyTorch's memory format tutorial"},
	Bad:    "model = torchvision.models.resnet50().cuda()",
	Good:   "model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)",
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("torchvision.models.*", "timm.create_model") {
			name := c.Name()
			if text, ok := c.ArgAt(0).Str(); ok && name == "timm.create_model" {
				name = text
			}
			if strings.Count(c.Name(), ".") > 2 || strings.Contains(c.Name(), "(") || rootName(c.Node.Func) == "self" ||
				!p.runsOnGPU() || p.EvaluationOnly(c) || !convolutional(name) || !p.trained() || isArgumentOf(p, c, "features") ||
				p.NearSays("channels_last") || !p.NearSays("autocast", "mixed", "fp16", "bf16") {
				continue
			}
			r := p.Report(c.Callee(), probable*p.GPU())
			if placed := p.placed(c); placed != nil {
				r.Fix(DisplayOnly, "keep the model's weights channels last; convolutions then compute so", p.lastChannels(placed)...)
			}
		}
	},
}

// placed is the call that puts what a call makes on the GPU, in the same statement or by the name that it gets.
func (p *SourcePass) placed(made Call) *pysrc.Call {
	statement := p.Module.StatementAt(made.Node.Start)
	name := ""
	if assign, ok := statement.(*pysrc.Assign); ok && len(assign.Targets) == 1 {
		name = pysrc.DottedName(assign.Targets[0])
	}
	for _, move := range p.movesToDevice() {
		if p.Module.StatementAt(move.Node.Start) == statement || name != "" && pysrc.DottedName(move.tensor) == name {
			return move.Node
		}
	}
	return nil
}

// lastChannels gives the edits that convert a model behind the statement that puts it on the GPU. Convolutions follow
// the layout of their weights.
func (p *SourcePass) lastChannels(placed *pysrc.Call) []patch.Edit {
	model, ok := strings.CutSuffix(strings.TrimSpace(p.compileAfter(placed, "").Text), ".compile()")
	if !ok {
		return nil
	}
	torch, imports := p.Import("torch")
	return append(imports, p.LineAfter(placed, model+".to(memory_format="+torch+".channels_last)"))
}

// convolutional reports the name of an architecture that is made of 2-D convolutions.
func convolutional(name string) bool {
	return project.HasWord(name, convolutionalWords...)
}

// isArgumentOf reports a call whose result is only used for an attribute: vgg16().features.
func isArgumentOf(p *SourcePass, c Call, attr string) bool {
	found := false
	p.Inspect(p.Module.StatementAt(c.Node.Start), func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && a.Attr == attr && a.Value == pysrc.Expr(c.Node) {
			found = true
		}
		return !found
	})
	return found
}
