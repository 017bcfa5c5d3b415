package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// cudnnBenchmarkOff finds settings that hold convolutions to slow algorithms.
var cudnnBenchmarkOff = Rule{
	Code: "SAT413", Name: "cudnn-benchmark-off", Severity: Advice, Subject: AboutConvolutions, General: true, Safety: DisplayOnly,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "cuDNN cannot choose its fastest algorithms",
	What: "torch.backends.cudnn.enabled = False, cudnn.deterministic = True, " +
		"torch.use_deterministic_algorithms(True) or deterministic=True in Lightning, when training convolutions or " +
		"recurrent layers on a GPU. Images of one size, or batches that the loader stacks without a collate function, in a " +
		"project that never sets cudnn.benchmark.",
	Why: "Deterministic algorithms are a subset and often slower. Without cuDNN, convolutions and LSTMs use " +
		"generic kernels.",
	Fine:   "Runs that must be reproducible to the bit; say so in a comment on the line.",
	Advice: "For real runs, leave cuDNN on and let it choose. Setting the seeds is enough.",
	Bad:    "torch.backends.cudnn.deterministic = True",
	Good:   "torch.backends.cudnn.deterministic = args.reproducible",
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || !p.Project.Uses("torch.nn.Conv2d", "torch.nn.Conv1d", "torch.nn.Conv3d", "torchvision.models.*") {
			return
		}
		for _, s := range p.TrainerSettings("benchmark") {
			if s.Value().IsFalse() && p.Framework() == "lightning" && len(p.Find(".deterministic")) == 0 && p.Project.Uses(oneSize...) {
				p.Report(s, plausible).Saying("cuDNN is told not to measure its algorithms").
					Fix(DisplayOnly, "let cuDNN measure its algorithms for each shape", p.Set(s, "True"))
			}
		}
		for _, s := range p.TrainerSettings("deterministic") {
			if s.Value().IsTrue() {
				p.Report(s, project.Likely).Saying("every operation is restricted to deterministic algorithms").
					Fix(DisplayOnly, "let cuDNN choose", p.Set(s, "False"))
			}
		}
	},
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || !p.trains() {
			return
		}
		switch {
		case len(p.CallsTo("lightning.pytorch.Trainer")) == 0 && p.modelPlaced() == nil: // a quick check: nowhere to set it
		case p.Project.Starts(p.Module) && (p.convolvesImages() && p.sameSizes() || p.hasConvolutions() && p.stacksBatches()) && !p.anySays("cudnn.benchmark", "cudnn.deterministic", "use_deterministic_algorithms", "benchmark="):
			p.benchmarks(p.littleFromBenchmark())
		case (p.convolves() || len(p.CallsTo("torchvision.models.*", "timm.create_model")) > 0) && !p.NearSays("cudnn.benchmark"):
			p.benchmarks("it is not known whether its batches have one shape")
		}
		p.unmeasured()
		p.deterministicTrainers()
		for _, f := range p.flags("torch.backends.cudnn.enabled") {
			if v := f.value; v.IsFalse() && !p.aidIsFine(f.at) && p.convolves() && !p.offBesideLayers(f) {
				p.Report(f.at, v.Confidence()*p.GPU()).At(Warning).Because(v).
					Saying("cuDNN is off: convolutions and recurrent layers use generic kernels")
			}
		}
		for _, f := range p.flags("torch.backends.cudnn.deterministic") {
			if v := f.value; v.IsTrue() && !p.aidIsFine(f.at) && !p.onPurpose(f.at) && p.setForTraining(f.at) && p.convolves() {
				p.Report(f.at, likely*v.Confidence()*p.GPU()).Because(v).
					Saying("cuDNN is restricted to deterministic algorithms").
					Fix(DisplayOnly, "let cuDNN choose its algorithms; runs no longer repeat to the bit", append(p.letMeasure(f.at), v.SetTo("False"))...)
			}
		}
		for _, c := range p.CallsTo("torch.use_deterministic_algorithms") {
			if v := c.ArgAt(0); v.IsTrue() && !p.aidIsFine(c) && !p.onPurpose(c) && p.setForTraining(c) && p.convolves() {
				p.Report(c, v.Confidence()*p.GPU()).Because(v).Saying("every operation is restricted to deterministic algorithms")
			}
		}
		for _, c := range p.CallsTo("lightning.pytorch.Trainer") {
			if v := c.Arg("deterministic"); v.IsTrue() && !p.aidIsFine(c) && !p.onPurpose(c) && (p.convolves() || p.nearImports("transformers")) {
				p.Report(c.Callee(), v.Confidence()*p.GPU()).Because(v).
					Saying("every operation is restricted to deterministic algorithms")
			}
		}
	},
}

// oneSize are transforms that make all images of one size.
var oneSize = []string{
	"torchvision.transforms.RandomCrop", "torchvision.transforms.CenterCrop", "torchvision.transforms.RandomResizedCrop",
	"torchvision.transforms.v2.RandomCrop", "torchvision.transforms.v2.CenterCrop", "torchvision.transforms.v2.RandomResizedCrop",
}

// setForTraining reports a setting that training comes by: at the top of a
// module, in a script that trains, or in a function that one calls.
func (p *SourcePass) setForTraining(n Node) bool {
	fn, called := p.Function(n), false
	if servesTraining(p.Module) {
		return true
	}
	if fn.Def == nil { // a program that nobody imports sets it for itself
		return len(p.Module.ImportedBy) > 0 && !p.underMainGuard(n)
	}
	for _, m := range p.Project.Modules {
		for _, s := range m.Sites {
			if s.Calls.Func != fn {
				continue
			}
			if called = true; servesTraining(m) {
				return true
			}
		}
	}
	return !called && project.HasWord(fn.BaseName(), "seed", "seeds", "seeding", "random", "randomness", "reproducible",
		"deterministic")
}

// underMainGuard reports what only the program of this file does.
func (p *SourcePass) underMainGuard(n Node) bool {
	found := false
	p.testsAround(n, func(test pysrc.Expr) { found = found || project.IsMainGuard(test) })
	return found
}

// servesTraining reports a module that trains, starts training, or holds what a trainer trains.
func servesTraining(m *project.Module) bool {
	for _, c := range m.Classes {
		if c.Methods["training_step"] != nil || c.Methods["compute_loss"] != nil {
			return true
		}
	}
	return m.Role == project.Training || startsTraining(m)
}

// onPurpose reports a line behind a condition, or beside a comment that speaks of reproducibility.
func (p *SourcePass) onPurpose(n Node) bool {
	if p.underTest(n) && !p.onUnlessAsked(n) {
		return true // behind a setting of the project's own
	}
	line := p.Module.LineAt(n.Bounds().Start)
	for at := max(line-3, 1); at <= line; at++ {
		if _, comment, ok := strings.Cut(p.Module.Line(at), "#"); ok {
			comment = strings.ToLower(comment)
			if strings.Contains(comment, "reproduc") || strings.Contains(comment, "determinis") {
				return true
			}
		}
	}
	return false
}

// onUnlessAsked reports a line that runs unless the command line or a settings file says otherwise.
func (p *SourcePass) onUnlessAsked(n Node) bool {
	on := true
	fn := p.Function(n)
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if test, ok := p.Module.Block(id).Owner.(*pysrc.If); ok && !project.IsMainGuard(test.Test) {
			v := p.Eval(test.Test)
			is, known := v.Truth()
			orelse := len(test.Orelse) > 0 && n.Bounds().Start >= test.Orelse[0].Bounds().Start
			on = on && known && is != orelse
		}
	}
	return on
}

// convolves reports whether something near this module has convolutions or recurrent layers.
func (p *SourcePass) convolves() bool {
	return p.NearSays("Conv1d(", "Conv2d(", "Conv3d(", "LSTM(", "GRU(", "conv1d(", "conv2d(", "torchvision.models",
		"timm.", "Whisper", "Wav2Vec2") || p.nearCalls("torchvision.models.*")
}

// convolvesImages reports whether something near this module has 2-D convolutions.
func (p *SourcePass) convolvesImages() bool {
	return (p.NearSays("Conv2d(", "conv2d(") || p.nearCalls("torchvision.models.*")) && !p.onlyPatches() || p.takesConvolutions()
}

// onlyPatches reports a network whose 2-D convolutions all cut an image into patches: as far as they move, so wide.
func (p *SourcePass) onlyPatches() bool {
	found := false
	for _, m := range p.Near() {
		near := p.In(m)
		if len(near.CallsTo("torch.nn.functional.conv2d", "torchvision.models.*")) > 0 {
			return false
		}
		for _, c := range near.Constructions("torch.nn.Conv2d") {
			size, step := c.ArgumentNode("kernel_size", 2), c.ArgumentNode("stride", 3)
			if size == nil || step == nil || near.Text(size) != near.Text(step) {
				return false
			}
			found = true
		}
	}
	return found
}

// sameSizes reports whether something near this module makes all images of one size.
func (p *SourcePass) sameSizes() bool {
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			name, ok := strings.CutPrefix(s.Calls.Name, "torchvision.")
			if !ok {
				continue
			}
			switch strings.TrimPrefix(strings.TrimPrefix(name, "transforms."), "v2.") {
			case "RandomCrop", "CenterCrop", "RandomResizedCrop", "datasets.CIFAR10", "datasets.CIFAR100", "datasets.MNIST",
				"datasets.FashionMNIST", "datasets.SVHN", "datasets.STL10":
				return true
			case "Resize":
				size := s.ArgumentNode("size", 0)
				if _, both := size.(*pysrc.Tuple); both {
					return true
				}
				if _, both := size.(*pysrc.List); both {
					return true
				}
			}
		}
	}
	return false
}

// stacksBatches reports whether training stacks its batches without a function for it: their samples have one size, and
// so have the batches.
func (p *SourcePass) stacksBatches() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		q := p.In(m)
		return slices.ContainsFunc(q.TrainingLoaders(), func(c Call) bool {
			size := c.Arg("batch_size")
			return c.Calls.Class == nil && size.Given() && !size.Equals(1) && !size.IsNone() &&
				c.Arg("collate_fn").Missing() && c.Arg("batch_sampler").Missing()
		})
	})
}

// hasConvolutions reports whether something near this module makes convolutions.
func (p *SourcePass) hasConvolutions() bool {
	return p.nearCalls("torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.ConvTranspose1d",
		"torch.nn.ConvTranspose2d", "torchvision.models.*") || p.takesConvolutions()
}

// takesConvolutions reports whether something near this module takes a model of convolutions from timm or
// segmentation_models_pytorch.
func (p *SourcePass) takesConvolutions() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		q := p.In(m)
		return slices.ContainsFunc(q.CallsTo("timm.create_model"), func(c Call) bool {
			name, known := c.ArgAt(0).Str()
			return known && convolutional(name)
		}) || len(q.CallsTo("segmentation_models_pytorch.Unet", "segmentation_models_pytorch.UnetPlusPlus", "segmentation_models_pytorch.FPN",
			"segmentation_models_pytorch.DeepLabV3", "segmentation_models_pytorch.DeepLabV3Plus", "segmentation_models_pytorch.create_model")) > 0
	})
}

// anySays reports whether a module of the project holds one of the words.
func (p *SourcePass) anySays(words ...string) bool {
	return slices.ContainsFunc(p.Project.Modules, func(m *project.Module) bool {
		return m.Role != project.Test && slices.ContainsFunc(words, m.Says)
	})
}

// benchmarks names a model whose convolutions cuDNN could choose algorithms for by measuring them: worth a try where
// shapes repeat.
func (p *SourcePass) benchmarks(small string) {
	for _, c := range p.CallsTo("lightning.pytorch.Trainer") {
		if v := c.Arg("benchmark"); v.Missing() && c.Arg("deterministic").Missing() && !p.EvaluationOnly(c) && p.onGPU(c) && !p.shortRun(c) {
			p.Report(c.Callee(), perhaps*p.GPU()).beingLittle(small).Saying("cuDNN chooses algorithms without measuring them").Explaining(whyMeasure).
				Advising("Pass benchmark=True to the trainer.").
				Fix(DisplayOnly, "let cuDNN measure its algorithms for each shape", v.SetTo("True"))
			return
		}
	}
	placed := p.modelPlaced()
	if placed == nil || p.EvaluationOnly(placed) {
		return
	}
	torch, imports := p.Import("torch")
	p.Report(placed, perhaps*p.GPU()).beingLittle(small).Saying("cuDNN chooses algorithms without measuring them").Explaining(whyMeasure).
		Advising("Set torch.backends.cudnn.benchmark = True before training begins.").
		Fix(DisplayOnly, "let cuDNN measure its algorithms for each shape", append(imports, p.LineAfter(placed, torch+".backends.cudnn.benchmark = True"))...)
}

// letMeasure gives the edits that let cuDNN measure its algorithms, where a function tells it not to and all batches have one size.
func (p *SourcePass) letMeasure(beside Node) (edits []patch.Edit) {
	for _, f := range p.flags("torch.backends.cudnn.benchmark") {
		if f.value.IsFalse() && p.Function(f.at) == p.Function(beside) && (p.sameSizes() || p.stacksBatches()) {
			edits = append(edits, f.value.SetTo("True"))
		}
	}
	return edits
}

// littleFromBenchmark says why cuDNN's choice matters little to what this module trains, if so.
func (p *SourcePass) littleFromBenchmark() string {
	l := p.trainedLayers()
	switch seen := p.seenLayers(); {
	case seen.models > 0 && seen.convolutions() == 0 && !seen.library:
		return "no convolution of the model that is trained is seen"
	case l != nil && l.convolutions() <= fewConvolutions && l.layers() > 2*l.convolutions(), l != nil && l.recurrent()+l.attentions() > l.convolutions():
		return "other layers than convolutions take the time of the model that is trained"
	case p.tooSmall():
		return smallNetwork
	case p.copiesSmallBatches():
		return "its images are tiny"
	}
	return ""
}

const whyMeasure = "All batches have one shape. With benchmark on, cuDNN times its algorithms once for that shape and keeps the fastest; " +
	"without it, a rule of thumb chooses."

// unmeasured reports that cuDNN is told not to measure its algorithms, where all batches have one size and nothing asks
// for the same results to the bit.
func (p *SourcePass) unmeasured() {
	off := p.flags("torch.backends.cudnn.benchmark")
	if len(off) == 0 && len(p.CallsTo("lightning.pytorch.Trainer")) == 0 ||
		p.anySays("cudnn.deterministic", "use_deterministic_algorithms", "deterministic=") ||
		!(p.convolvesImages() && p.sameSizes()) && !(p.hasConvolutions() && p.stacksBatches()) {
		return
	}
	for _, f := range off {
		if v := f.value; v.IsFalse() && !p.aidIsFine(f.at) && !p.onPurpose(f.at) && p.setForTraining(f.at) {
			p.Report(f.at, plausible*v.Confidence()*p.GPU()).Because(v).Saying("cuDNN is told not to measure its algorithms").
				Explaining(whyMeasure).Advising("Set torch.backends.cudnn.benchmark = True: the shapes repeat.").
				Fix(DisplayOnly, "let cuDNN measure its algorithms for each shape", v.SetTo("True"))
		}
	}
	for _, c := range p.CallsTo("lightning.pytorch.Trainer") {
		if v := c.Arg("benchmark"); v.IsFalse() && !p.onPurpose(c) && p.onGPU(c) {
			p.Report(c.Callee(), plausible*v.Confidence()*p.GPU()).Because(v).Saying("cuDNN is told not to measure its algorithms").
				Fix(DisplayOnly, "let cuDNN measure its algorithms for each shape", v.SetTo("True"))
		}
	}
}

// cudnnBenchmarkVarying finds autotuning that starts again with every new length.
var cudnnBenchmarkVarying = Rule{
	Code: "SAT414", Name: "cudnn-benchmark-varying-shapes", Severity: Warning, Subject: AboutConvolutions,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "cuDNN benchmarks again for every new length",
	What: "torch.backends.cudnn.benchmark = True in a project whose batches are padded to their own longest " +
		"sample and whose model has convolutions.",
	Why: "benchmark times every algorithm when a shape appears for the first time. If every batch has a new " +
		"length, it does so all the time.",
	Fine:   "Fixed crops. Padding to a few lengths.",
	Advice: "Turn it off, or pad to multiples of a few hundred frames so that shapes repeat.",
	Bad:    "torch.backends.cudnn.benchmark = True\n… pad_sequence(batch)",
	Good:   "torch.backends.cudnn.benchmark = False\n… pad_sequence(batch)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || !p.Uses("torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.functional.conv1d", "torch.nn.functional.conv2d") {
			return
		}
		for _, a := range p.AssignsTo("torch.backends.cudnn.benchmark") {
			v := p.Eval(a.Value)
			if !v.IsTrue() || p.aidIsFine(a.Target) {
				continue
			}
			if pad := p.paddedNear(); pad != nil {
				p.Report(a.Target, probable*v.Confidence()*p.GPU()).Because(v, "batches are padded in "+pad.Path).
					Fix(Unsafe, "do not benchmark each shape", v.SetTo("False"))
			}
		}
	},
}

// paddedNear returns a module near this one whose collate function pads to the longest sample.
func (p *SourcePass) paddedNear() *project.Module {
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			if s.Calls.Name != "torch.nn.utils.rnn.pad_sequence" {
				continue
			}
			if _, ok := p.Project.PerSample(m, s); ok {
				return m
			}
		}
		in := p.In(m)
		for _, loader := range in.TrainingLoaders() {
			if fn := collateFunction(loader.Arg("collate_fn")); fn != nil && m.Role != project.Test {
				if at, there := in.whereItPads(fn, 0); at != nil && !rounds(there.Function(at)) {
					return there.Module
				}
			}
		}
	}
	return nil
}

// rounds reports a function that rounds to multiples, as lengths are so that shapes repeat: (n + 31) // 32 * 32, n + -n % 32.
func rounds(fn *project.Function) bool {
	if fn.Def == nil {
		return false
	}
	found := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if op, ok := n.(*pysrc.BinOp); ok {
			quotient, divides := op.Left.(*pysrc.BinOp)
			found = found || op.Op == pysrc.Mod || op.Op == pysrc.Mult && divides && quotient.Op == pysrc.FloorDiv
		}
		return !found
	})
	return found || slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Calls.Name == "math.ceil" || s.Calls.Name == "numpy.ceil" })
}
