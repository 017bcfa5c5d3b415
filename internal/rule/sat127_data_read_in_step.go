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
		"process that trains: without a DataLoader, or beside it. Also a generator that does so, which the training loop goes " +
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
			if path, ok := p.EverySample(call); ok && path.Root != nil && path.Root.IsGenerator() && path.Root.Class == nil && !seen[path.Root] {
				seen[path.Root] = true
				p.Report(call, likely*path.Sure).Because(path).
					Saying("%s runs in a generator that the training loop goes over: nothing is loaded ahead", p.Short(call.Callee())).
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
