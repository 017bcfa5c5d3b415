package rule

import (
	"slices"
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
	What: "A torchvision or timm model, or one of the project that is made of 2-D convolutions and norms, trained under autocast or " +
		"on photographs, in a project that never mentions channels_last.",
	Why: "Tensor cores convolve channels-last tensors. From the default layout, cuDNN transposes before and " +
		"after every convolution.",
	Fine:   "float32 on GPUs before Ampere. Transformers. Models with grouped convolutions or custom operations without such a kernel.",
	Advice: "Convert both: model.to(memory_format=torch.channels_last) and images.to(memory_format=torch.channels_last).",
	Gain:   Range{1.0, 1.35, "22% for ResNet-50, 8 to 35% over models, PyTorch's memory format tutorial"},
	Bad:    "model = torchvision.models.resnet50().cuda()",
	Good:   "model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)",
	Since: []Since{{
		Library: "torch", Version: "1.5", Lacks: "has no other", Then: "convert the model and its images with memory_format=torch.channels_last",
	}},
	Source: func(p *SourcePass) {
		found := false
		for _, c := range p.CallsTo("torchvision.models.*", "timm.create_model") {
			name := c.Name()
			if text, ok := c.ArgAt(0).Str(); ok && name == "timm.create_model" {
				name = text
			}
			if strings.Count(c.Name(), ".") > 2 || strings.Contains(c.Name(), "(") || rootName(c.Node.Func) == "self" ||
				!p.runsOnGPU() || p.EvaluationOnly(c) || !convolutional(name) || !p.trained() || isArgumentOf(p, c, "features") ||
				p.NearSays(otherLayout...) || !p.NearSays("autocast", "mixed", "fp16", "bf16") {
				continue
			}
			r := p.Report(c.Callee(), probable*p.GPU())
			if placed := p.placed(c); placed != nil {
				r.Fix(DisplayOnly, "store the model's weights as channels_last; convolutions then use that layout", p.lastChannels(placed)...)
			}
			found = true
		}
		if !found && p.runsOnGPU() && p.Project.Starts(p.Module) && !p.anySays(otherLayout...) {
			p.ownConvolutions()
		}
	},
}

// otherLayout are words of projects that know the layout. A string "channels_last" alone is an option of a layer.
var otherLayout = []string{"memory_format", "torch.channels_last", "import channels_last"}

// ownConvolutions reports the model that a program trains, where a class of the project makes it of 2-D convolutions.
func (p *SourcePass) ownConvolutions() {
	placed := p.modelPlaced()
	if placed == nil || p.EvaluationOnly(placed) || p.AtLeast("torch", "1.7") == project.No && p.fullPrecision() { // without TF32, no tensor cores
		return
	}
	model := pysrc.Expr(placed)
	if move, ok := placed.Func.(*pysrc.Attribute); ok && p.Module.SiteAt(placed).Calls.Func == nil {
		model = move.Value
	}
	for _, v := range append([]Value{p.Eval(model)}, p.Eval(model).Either...) {
		if v.Class == nil || !v.Class.Derives("torch.nn.Module") {
			continue
		}
		if layers := p.convolutionLayers(v.Class); layers != nil {
			r := p.Report(placed, perhaps*p.GPU()).Because(*layers)
			if !p.half().used {
				if !p.seesPhotographs() {
					r.Small("in float32, most convolutions are as fast in the default layout")
				}
				r.Advising("Convert model and images with memory_format=torch.channels_last, together with autocast, and measure: in float32 " +
					"(TF32), some convolutions are as fast in the default layout.")
			}
			if edits := p.lastChannels(placed); len(edits) > 0 {
				r.Fix(DisplayOnly, "store the model's weights as channels_last; convolutions then use that layout", append(edits, p.reshapeViews(v.Class)...)...)
			}
			return
		}
	}
}

// seesPhotographs reports training on crops of photographs, or on folders of them, as for ImageNet: the layout was made
// for such networks.
func (p *SourcePass) seesPhotographs() bool {
	return p.Uses("torchvision.transforms.RandomResizedCrop", "torchvision.transforms.v2.RandomResizedCrop") ||
		slices.ContainsFunc(p.Project.Modules, func(m *project.Module) bool {
			return slices.ContainsFunc(m.Classes, func(c *project.Class) bool {
				return c.Derives("torchvision.datasets.ImageFolder", "torchvision.datasets.ImageNet")
			})
		})
}

// convolutionLayers is the first 2-D convolution in the file of a model, or in those that it imports layers from, where
// they have several of them and norms for images, and neither attention nor a transposed layout of their own.
func (p *SourcePass) convolutionLayers(class *project.Class) *project.Step {
	var layers layerCount
	layers.add(class.Module)
	if layers.convolutions > 0 && layers.convolutions < 4 {
		for _, m := range class.Module.ImportsFrom {
			layers.add(m)
		}
	}
	if layers.convolutions < 4 || layers.norms == 0 || layers.others > 0 {
		return nil
	}
	step := p.In(layers.first.Module()).At(layers.first.Node, "2-D convolutions")
	return &step
}

// A layerCount counts the layers that modules make.
type layerCount struct {
	first                       *project.Site
	convolutions, norms, others int
}

func (l *layerCount) add(m *project.Module) {
	for _, s := range m.Sites {
		switch s.Calls.Name {
		case "torch.nn.Conv2d", "torch.nn.ConvTranspose2d":
			if l.convolutions++; l.first == nil {
				l.first = s
			}
		case "torch.nn.BatchNorm2d", "torch.nn.InstanceNorm2d", "torch.nn.GroupNorm":
			l.norms++
		case "torch.nn.MultiheadAttention", "torch.nn.LayerNorm", "torch.nn.LSTM", "torch.nn.GRU", "torch.nn.Conv1d", "torch.nn.Conv3d":
			l.others++
		}
	}
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

// reshapeViews gives the edits that let the layers of a model's file reshape what they view: a view of a tensor whose channels
// come last fails where it would join other axes.
func (p *SourcePass) reshapeViews(class *project.Class) (edits []patch.Edit) {
	there := p.In(class.Module)
	for _, c := range there.MethodCalls("view") {
		name := c.Node.Func.(*pysrc.Attribute)
		_, method, of := calledOn(name.Value)
		if owner := there.Class(c); owner == nil || !owner.Derives("torch.nn.Module") || len(c.Node.Args) < 2 || of != nil && method == "contiguous" {
			continue
		}
		end := name.End
		edits = append(edits, there.Module.Edit(pysrc.Span{Start: end - int32(len("view")), End: end}, "reshape"))
	}
	return edits
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
