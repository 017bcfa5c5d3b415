package rule

import "saturate/internal/project"

// tooFewWorkers finds loaders whose workers have dozens of costly samples each to make for a batch.
var tooFewWorkers = Rule{
	Code: "SAT210", Name: "too-few-workers", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea}, SetsWorkers: true,
	Title: "too few workers prepare large batches of costly samples",
	What: "A training DataLoader with one worker for 8 samples or more, or with two to four and at least 32 samples per worker in a batch, whose dataset " +
		"decodes, resamples or computes features for each sample. A loader of webdataset or timm with one worker. A pool of one thread or " +
		"process that loads the samples.",
	Why: "On one server core, a photo of 640 × 500 took 7 ms to decode, shrink and crop. With 100 samples per worker, " +
		"a batch takes 0.7 s, and the GPU waits for it.",
	Fine:   "Machines with four cores. Steps that take seconds. Small files.",
	Advice: "Set num_workers to the number of CPU cores per GPU and measure, or prepare the samples before training.",
	Bad:    "DataLoader(clips, batch_size=400, num_workers=4)",
	Good:   "DataLoader(clips, batch_size=400, num_workers=16)",
	Source: func(p *SourcePass) {
		p.fewWorkersOfLibraries(false)
		p.poolsOfOne()
		for _, loader := range p.TrainingLoaders() {
			workers, size := loader.Arg("num_workers"), p.batchSize(loader)
			count, known := workers.Int()
			samples, sized := size.Int()
			if !known || !sized || count < 1 || count > 4 || p.byAPI(workers) {
				continue
			}
			sure, heavy := p.heavyLoading(loader)
			again := p.loadsTheSame(loader)
			if again != nil {
				sure, heavy = probable, append(heavy, *again)
			}
			if sure > 0 && (samples >= 32*count || count == 1 && (samples >= 8 || again != nil)) {
				p.Report(loader.Callee(), sure*workers.Confidence()*size.Confidence()).Because(workers, size).Because(heavy...).
					Saying("num_workers=%d for the %d costly samples of each batch", count, samples)
			}
		}
	},
}

// loadsTheSame is where the dataset of a loader reads the same file for each sample, which takes longer than most samples; nil
// where it does not.
func (p *SourcePass) loadsTheSame(loader Call) *project.Step {
	class := loader.Arg("dataset").Class
	if class == nil {
		return nil
	}
	q := p.In(class.Module)
	for _, c := range q.fileLoads() {
		if path, ok := q.EverySample(c); ok && c.Func.Class == class && q.samePlace(path, c) && !q.readsPart(c) && !cached(c.Func) && !q.keptOnTheWay(path, c) {
			at := q.At(c, "read again for each sample")
			return &at
		}
	}
	return nil
}
