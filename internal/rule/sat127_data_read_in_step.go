package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// dataReadInStep finds files that the training loop itself reads and decodes.
var dataReadInStep = Rule{
	Code: "SAT127", Name: "data-read-in-step", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea},
	Title: "files are read in the training loop",
	What: "A training step that reads audio, images or arrays from files, or computes features on the CPU, in the " +
		"process that trains: without a DataLoader, or beside it. Also a generator or iterator that does so, which the training loop goes " +
		"over itself, and a tokenizer, table or model that a step or a forward loads from the same file or hub each time, and work of seconds on the CPU " +
		"every few steps: sound from spectrograms, t-SNE, PESQ.",
	Why: "Nothing is loaded ahead: the GPU waits while the host reads and decodes, and the host waits while the GPU " +
		"computes.",
	Fine: "Files that are read once and kept.",
	Advice: "Move the reading into a Dataset and let a DataLoader with workers load ahead, or read everything once before " +
		"training if it fits into memory.",
	Bad:  "for step in range(steps):\n    batch = [soundfile.read(path)[0] for path in sample(paths)]",
	Good: "for batch in DataLoader(clips, batch_size=16, num_workers=8):",
	Source: func(p *SourcePass) {
		seen := map[*project.Function]bool{} // one finding for all that a function reads
		for _, call := range p.stepReads() {
			if path, ok := p.EverySample(call); ok && path.Root != nil && !seen[path.Root] && p.takenByLoop(path.Root, call) {
				seen[path.Root] = true
				what := "a generator"
				if !path.Root.IsGenerator() {
					what = "an iterator"
				}
				p.Report(call, likely*path.Sure).Because(path).
					Saying("%s runs in %s that the training loop goes over: nothing is loaded ahead", p.Short(call.Callee()), what).
					Advising("Let worker processes load ahead: a Dataset with a DataLoader and workers, grain, or a thread pool that fills a queue.")
				continue
			}
			if _, sample := p.PerSample(call); sample || seen[call.Func] || inHandler(p.Module, call) || p.keptInDict(call) {
				continue
			}
			way, ok := p.EachStep(call)
			if p.usesJAX() {
				way, ok = p.eachStepOfJAX(call)
			}
			if !ok || way.Kind == project.Forward {
				continue
			}
			seen[call.Func] = true
			r := p.Report(call, way.Sure).Because(way).Saying("%s runs in the training loop, while the GPU waits", p.Short(call.Callee()))
			if first := firstArg(call.Node); first != nil && p.LoopAround(call) != nil && !p.changesIn(first, p.LoopAround(call)) {
				r.Saying("%s reads the same file in every step", p.Short(call.Callee())).Advising("Read it once, before the training loop.")
			}
		}
		p.loadedAgain()
		p.costlyOften()
	},
}

// takenByLoop reports a generator, or an iterator of the project, that the training loop takes its batches from itself.
func (p *SourcePass) takenByLoop(root *project.Function, call Call) bool {
	if root.Class == nil {
		return root.IsGenerator()
	}
	if !root.IsGenerator() && root.BaseName() != "__next__" {
		return false
	}
	way, ok := p.EachStep(call)
	return ok && way.Kind == project.TrainingLoop && !loadsAhead(root.Class) && !p.keptInDict(call) && !inHandler(p.Module, call)
}

// loadsAhead reports a class that has threads, processes or a queue of its own.
func loadsAhead(class *project.Class) bool {
	for _, fn := range class.Methods {
		if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
			library, _, _ := strings.Cut(s.Calls.Name, ".")
			switch library {
			case "threading", "queue", "multiprocessing", "concurrent", "joblib", "ray":
				return true
			}
			return strings.HasPrefix(s.Calls.Name, "torch.multiprocessing.") || strings.HasPrefix(s.Calls.Name, "torch.utils.data.")
		}) {
			return true
		}
	}
	return false
}

// stepReads are the calls that read a file of samples or compute features of them on the CPU.
func (p *SourcePass) stepReads() []Call {
	list := p.CallsTo(slices.Concat(decoders, []string{"numpy.load", "scipy.io.wavfile.read", "scipy.io.loadmat"})...)
	for _, c := range p.features() {
		if name := c.Name(); !strings.HasPrefix(name, "torch") && !strings.HasPrefix(name, "nnAudio") {
			list = append(list, c)
		}
	}
	return inOrder(list)
}
