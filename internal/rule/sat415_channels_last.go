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
	Gain:   Range{1.0, 1.5, "ResNet-50 on an H200: 1.3× in float32 with TF32, 1.5× under autocast, a small CNN nothing; 8 to 35% over models in PyTorch's memory format tutorial"},
	Bad:    "model = torchvision.models.resnet50().cuda()",
	Good:   "model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)",
	Since: []Since{{
		Library: "torch", Version: "1.5", Lacks: "has no other", Then: "convert the model and its images with memory_format=torch.channels_last",
	}},
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || !p.Project.Starts(p.Module) && len(p.CallsTo("torchvision.models.*", "timm.create_model")) == 0 ||
			p.choosesLayout() { // asked last, of every module
			return
		}
		if !p.libraryConvolutions() && p.Project.Starts(p.Module) {
			p.ownConvolutions()
		}
	},
}

// choosesLayout reports a project that converts to this layout. A string "channels_last" alone is an option of a layer, and
// memory_format alone may keep what a tensor has.
func (p *SourcePass) choosesLayout() bool {
	return slices.ContainsFunc(p.Project.Modules, func(m *project.Module) bool {
		return m.Role != project.Test && (m.Says("torch.channels_last") || m.Says("import channels_last") || m.Says("memory_format") && m.Says("channels_last"))
	})
}

// libraryConvolutions reports models of torchvision and timm that a module of training makes, and whether there are any.
func (p *SourcePass) libraryConvolutions() (found bool) {
	for _, c := range p.CallsTo("torchvision.models.*", "timm.create_model") {
		name := c.Name()
		if text, ok := c.ArgAt(0).Str(); ok && name == "timm.create_model" {
			name = text
		}
		if strings.Count(c.Name(), ".") > 2 || strings.Contains(c.Name(), "(") || rootName(c.Node.Func) == "self" ||
			p.EvaluationOnly(c) || !convolutional(name) || !p.trained() || isArgumentOf(p, c, "features") {
			continue
		}
		r := p.Report(c.Callee(), probable*p.GPU())
		p.layoutMatters(r)
		if placed := p.placed(c); placed != nil {
			r.Fix(DisplayOnly, "store the model's weights as channels_last; convolutions then use that layout", p.lastChannels(placed)...)
		}
		found = true
	}
	return found
}

// layoutMatters makes a finding small where the layout gains little.
func (p *SourcePass) layoutMatters(r *Report) {
	switch {
	case p.half().used:
		return
	case p.AtLeast("torch", "1.7") == project.No:
		r.Small("this torch computes float32 convolutions without tensor cores")
	case !p.seesPhotographs():
		r.Small("in float32, convolutions of small images are as fast in the default layout")
	}
	r.Advising("Convert model and images with memory_format=torch.channels_last, together with autocast, and measure: in float32 " +
		"(TF32), some convolutions are as fast in the default layout.")
}

// ownConvolutions reports the model that a program trains, where classes of the project make it of 2-D convolutions.
func (p *SourcePass) ownConvolutions() {
	at, models := p.placedModels()
	if at == nil || p.EvaluationOnly(at) {
		return
	}
	for _, v := range models {
		if v.Class == nil || !v.Class.Derives("torch.nn.Module") {
			continue
		}
		layers := p.convolutionLayers(v.Class)
		if layers == nil {
			continue
		}
		r := p.Report(at, perhaps*p.GPU()).Because(*layers).beingLittle(p.fromSmall())
		p.layoutMatters(r)
		if edits := p.lastChannels(at); len(edits) > 0 {
			r.Fix(DisplayOnly, "store the model's weights as channels_last; convolutions then use that layout", append(edits, p.reshapeViews(v.Class)...)...)
		}
		return
	}
}

// placedModels is where this module puts the model that it trains on the GPU, or calls it, and what that model may be.
func (p *SourcePass) placedModels() (*pysrc.Call, []Value) {
	at := p.modelPlaced()
	if at == nil {
		at = p.modelCalled()
	}
	if at == nil {
		return nil, nil
	}
	model := pysrc.Expr(at)
	if move, ok := at.Func.(*pysrc.Attribute); ok && p.Module.SiteAt(at).Calls.Func == nil {
		model = move.Value
	} else if p.Module.SiteAt(at).Calls.Kind == project.Instance {
		model = at.Func
	}
	v := p.Eval(model)
	if models := p.modelsOf(v, 0); len(models) > 0 {
		return at, models
	}
	if models := p.trainedModels(); len(models) > 0 {
		return at, models
	}
	return at, v.Either
}

// seesPhotographs reports training on crops of photographs, or on folders of them, as for ImageNet: the layout was made
// for such networks.
func (p *SourcePass) seesPhotographs() bool {
	return slices.ContainsFunc(p.Project.Modules, func(m *project.Module) bool {
		q := p.In(m)
		return slices.ContainsFunc(q.CallsTo("torchvision.transforms.RandomResizedCrop", "torchvision.transforms.v2.RandomResizedCrop"), func(c Call) bool {
			side, known := c.ArgAt(0).Int()
			return !known || side >= photographSide
		}) || slices.ContainsFunc(m.Classes, func(c *project.Class) bool {
			return c.Derives("torchvision.datasets.ImageFolder", "torchvision.datasets.ImageNet")
		})
	})
}

// photographSide is from which side on a crop is one of a photograph: those of CIFAR are 32 wide.
const photographSide = 96

// convolutionLayers is the first 2-D convolution in the file of a model, or in those that it imports layers from, where
// they have several of them, or a model of a library that has, and neither attention nor a transposed layout of their own.
func (p *SourcePass) convolutionLayers(class *project.Class) *project.Step {
	var layers layerCount
	layers.add(class.Module)
	if layers.convolutions < 4 {
		for _, m := range class.Module.ImportsFrom {
			layers.add(m)
		}
	}
	if layers.convolutions < 4 || layers.others > 0 {
		return nil
	}
	step := p.In(layers.first.Module()).At(layers.first.Node, "2-D convolutions")
	return &step
}

// A layerCount counts the layers that modules make.
type layerCount struct {
	first                *project.Site
	convolutions, others int
}

func (l *layerCount) add(m *project.Module) {
	for _, s := range m.Sites {
		n := 0
		switch s.Calls.Name {
		case "torch.nn.Conv2d", "torch.nn.ConvTranspose2d":
			n = 1
		case "torch.nn.MultiheadAttention", "torch.nn.LayerNorm", "torch.nn.LSTM", "torch.nn.GRU", "torch.nn.Conv1d", "torch.nn.Conv3d":
			l.others++
		default:
			if strings.HasPrefix(s.Calls.Name, "torchvision.models.") && s.Calls.Kind != project.Instance && convolutional(project.LastOf(s.Calls.Name)) {
				n = 4
			}
		}
		if l.convolutions += n; n > 0 && l.first == nil {
			l.first = s
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
