package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// numWorkersZero finds training loaders that load in the process that trains.
var numWorkersZero = Rule{
	Code: "SAT201", Name: "num-workers-zero", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, TransferArea}, Group: LoaderGroup,
	SetsWorkers: true,
	Title:       "batches are loaded in the training process",
	What: "A training DataLoader with num_workers=0 (the default) that feeds a GPU, or whose dataset decodes, " +
		"computes features or synthesizes for each sample. Also num_workers and similar keys in settings files, and a loader " +
		"for validation without workers that decodes, where training has some. 16 environments or more that step one after another, 8 of Atari; loops over environments in which the policy acts for each alone.",
	Why: "Loading and training take turns: a step takes loading time plus GPU time. With W workers it takes the " +
		"larger of loading / W and GPU time.",
	Fine: "Tensors already in memory. Datasets that use the GPU. Windows and notebooks without a main guard. " +
		"Text tokenized before training: two workers are enough.",
	Advice: "Set num_workers to a small number, at most the CPU cores per GPU, and measure.",
	Gain:   Range{1, 4, "from 3 to 13 it/s with more workers in geti; nothing where the GPU is the bottleneck"},
	Bad:    "DataLoader(data, batch_size=16)",
	Good:   "DataLoader(data, batch_size=16, num_workers=8)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		p.fewWorkersOfLibraries(true)
		p.evaluationWorkers()
		p.environmentsInTurn()
		p.environmentLoops()
		for _, loader := range p.TrainingLoaders() {
			workers := loader.Arg("num_workers")
			sure, heavy := p.loadsAlone(loader)
			if sure == 0 {
				continue
			}
			stream := p.isStream(loader)
			r := p.Report(loader.Callee(), workers.Confidence()*sure).Because(workers).Because(heavy...)
			if _, gpu := p.pageable(loader); gpu > 0 {
				r.says(pinMemory.Code, p.At(loader.Callee(), "once there are workers, pinned memory saves time as well"))
			}
			if p.Imports("datasets") && !p.loadsMedia() {
				r.At(Advice) // text that was tokenised before
			}
			if stream || !p.mapStyle(loader) {
				r.Advising("Set num_workers and use torch.utils.data.get_worker_info to give each worker its own part; otherwise every worker reads the whole stream.")
				continue
			}
			edits, title := p.someWorkers(workers)
			keep := p.keepWorkers(loader)
			if safety, _ := p.keepingWorkers(); len(keep) > 0 && safety == Unsafe && !p.drawsOwnOrder(loader) {
				title += ", and with the same seed the order of samples changes after the first epoch"
			}
			r.Fix(Unsafe, title+p.needsMainGuard(loader), append(edits, keep...)...)
		}
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || p.Framework() == "" || p.Framework() == "deepspeed" || p.Framework() == "accelerate" ||
			strings.Contains(p.File.Path, "debug") {
			return
		}
		for _, s := range p.Find(".num_workers", ".num_loader_workers") {
			if s.Value().Equals(0) && !p.evaluates(s) {
				p.Report(s, likely).Fix(Unsafe, inWorkers+UsualWorkers, p.Set(s, SettledWorkers))
			}
		}
	},
}

// loadsAlone is the confidence that training waits for a loader without workers, and the way to work that takes long.
func (p *SourcePass) loadsAlone(loader Call) (sure float64, heavy []any) {
	workers := loader.Arg("num_workers")
	if !noWorkers(workers) || p.byAPI(workers) || p.inMemory(loader) || hides(loader, "num_workers") || p.usesGPUWhileLoading(loader) ||
		p.isStream(loader) && !p.loadsMedia() && !p.tokenizesStream(loader) || // a queue, or lines of text
		p.numbersDrawn(loader) != nil { // workers would put them together one by one as well
		return 0, nil
	}
	if sure = p.FeedsGPU(loader); sure == 0 { // on a CPU, or on a device that the source does not name
		sure, heavy = p.heavyLoading(loader)
	}
	if p.Project.Waits {
		sure = max(sure, nearlyCertain) // whatever the device and the work are
	}
	return sure, heavy
}

// tokenizesStream reports a stream whose __iter__ tokenizes the texts that it reads.
func (p *SourcePass) tokenizesStream(loader Call) bool {
	data := loader.Arg("dataset")
	for _, v := range append([]Value{data}, data.Either...) {
		if v.Class == nil {
			continue
		}
		iter := v.Class.Method("__iter__")
		if iter == nil {
			continue
		}
		if slices.ContainsFunc(p.In(iter.Module).Tokenisations(), func(t tokenisation) bool { return t.Func.Class == v.Class && t.Func == iter }) {
			return true
		}
	}
	return false
}

// noWorkers reports a count of workers that is 0, in whichever way the call gets it.
func noWorkers(v Value) bool {
	if len(v.Either) > 0 {
		return !slices.ContainsFunc(v.Either, func(w Value) bool { return !noWorkers(w) })
	}
	return v.Missing() || v.Equals(0)
}

// heavyLoading looks for work that may cost as much as a step in what a loader runs for each
// sample, in any file: decoding, features, speech, a program, another machine. It gives the
// confidence that loading costs time, and the way to the work.
func (p *SourcePass) heavyLoading(loader Call) (sure float64, because []any) {
	data := loader.Arg("dataset")
	all := append([]Value{data}, data.Either...)
	var from []*project.Function
	for _, v := range all {
		if v.Class != nil {
			from = append(from, v.Class.Method("__getitem__"), v.Class.Method("__iter__"))
		}
	}
	for _, fn := range append(from, collateOf(loader)) {
		if fn == nil {
			continue
		}
		if way, heavy := p.Reaches(fn, p.slowSample, 4); heavy {
			last := len(way.Calls) - 1
			work := way.Calls[last]
			way.Calls = way.Calls[:last]
			return probable * way.Sure, []any{way, p.In(work.Module()).At(work, "the slow part")}
		}
	}
	for _, v := range all {
		if sure := p.heavyImages(v); sure > 0 {
			return sure, []any{p.In(v.Made.Module()).At(v.Made, "each sample is an image that is decoded or resized")}
		}
	}
	return 0, nil
}

// heavyImages is the confidence that a dataset of torchvision decodes an image for each sample, or resizes one that it
// holds in memory.
func (p *SourcePass) heavyImages(v Value) float64 {
	name, ok := strings.CutPrefix(v.Name, "torchvision.datasets.")
	if !ok || v.Kind != project.Instance || v.Made == nil {
		return 0
	}
	if !imagesInMemory[strings.TrimSuffix(name, "()")] {
		return probable
	}
	for _, part := range p.eval.Parts(p.eval.Argument(v.Made, "transform")) {
		switch strings.TrimSuffix(part.Name, "()") {
		case "torchvision.transforms.Resize", "torchvision.transforms.RandomResizedCrop":
			if part.Made == nil {
				continue
			}
			size := p.eval.ArgumentAt(part.Made, 0)
			if side, ok := size.Expr.(*pysrc.Tuple); ok && size.Kind == project.Display && len(side.Elts) > 0 {
				size = p.EvalIn(size, side.Elts[0])
			}
			if to, known := size.Int(); known && to >= photoSize {
				return plausible
			}
		}
	}
	return 0
}

// photoSize is from how many pixels on a side resizing takes as long as decoding a small photo.
const photoSize = 128

// imagesInMemory are the datasets of torchvision that decode nothing.
var imagesInMemory = setOfNames("CIFAR10", "CIFAR100", "MNIST", "FashionMNIST", "KMNIST", "EMNIST", "QMNIST", "USPS", "SVHN", "STL10", "FakeData")

// someWorkers sets the number of workers: to half the cores of the machine, at
// most 8, shared among the processes that train on it, where the call itself says it.
// A settings file or the default of an option holds a number, and the machine that trains is not
// known here: it is set to that of a machine with 8 cores, and `fix` writes that of its own machine.
func (p *SourcePass) someWorkers(workers Value) (edits []patch.Edit, title string) {
	if workers.InSettings() || !workers.Missing() && workers.Origin.How != project.InPlace {
		return []patch.Edit{workers.SetTo(SettledWorkers)}, inWorkers + UsualWorkers
	}
	cores, edits := p.Import("os.cpu_count")
	count := cores + "() // 2"
	if p.distributed() {
		environ, more := p.Import("os.environ")
		if len(edits) == 0 {
			edits = more // otherwise the same import serves both
		}
		count += " // int(" + environ + `.get("LOCAL_WORLD_SIZE", 1))`
	}
	return append(edits, workers.SetTo("max(1, min(8, "+count+"))")), inWorkers
}

// SettledWorkers is the count that a settings file or the default of an option gets, where no machine is known.
const SettledWorkers = "4"

const inWorkers = "load in worker processes; random augmentation will differ"

// UsualWorkers ends the title of a repair that writes SettledWorkers.
const UsualWorkers = "; half the CPU cores of the machine that trains, at most 8, is usual"

// mapStyle reports whether the dataset of a loader is known to give samples by
// their number: a stream in several workers would give each sample several times.
func (p *SourcePass) mapStyle(loader Call) bool {
	for _, name := range [...]string{"shuffle", "sampler", "batch_sampler"} { // which a stream does not take
		if v := loader.Arg(name); v.Given() && !v.IsFalse() && !v.IsNone() && !slices.ContainsFunc(v.Either, Value.Missing) {
			return true
		}
	}
	data := loader.Arg("dataset")
	for _, v := range append([]Value{data}, data.Either...) {
		if v.Class != nil && v.Class.Method("__getitem__") != nil || strings.HasPrefix(v.Name, "torchvision.datasets.") ||
			v.Kind == project.Display {
			return true
		}
	}
	return false
}

// keepWorkers lets new workers live on where the loader is gone through again.
func (p *SourcePass) keepWorkers(loader Call) []patch.Edit {
	keep := loader.Arg("persistent_workers")
	workers := loader.Arg("num_workers")
	if p.AtLeast("torch", "1.7") == project.No || !keep.Missing() || !workers.Missing() && workers.Origin.How != project.InPlace || p.changesBetweenEpochs(loader) ||
		!p.goneThroughAgain(loader) {
		return nil
	}
	return []patch.Edit{keep.SetTo("True")}
}

// drawsOwnOrder reports a loader whose sampler has a generator of its own, so that nobody else's
// draws change its order.
func (p *SourcePass) drawsOwnOrder(loader Call) bool {
	sampler := loader.Arg("sampler")
	return sampler.Made != nil && (Call{sampler.Made, p}).ArgumentNode("generator", -1) != nil
}

// distributed reports whether several processes of one machine train together.
func (p *SourcePass) distributed() bool {
	return p.NearSays("init_process_group", "DistributedDataParallel", "LOCAL_RANK")
}

// loadsMedia reports whether this module trains on audio or images, which are
// decoded and transformed as they are loaded.
func (p *SourcePass) loadsMedia() bool {
	for _, library := range [...]string{
		"torchaudio", "librosa", "soundfile", "torchvision", "PIL", "cv2",
		"albumentations",
	} {
		if p.Imports(library) {
			return true
		}
	}
	return len(p.InstanceCalls("transformers.FeatureExtractionMixin")) > 0 ||
		len(p.CallsTo("datasets.Audio", "datasets.Image")) > 0
}
