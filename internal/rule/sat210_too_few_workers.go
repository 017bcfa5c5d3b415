package rule

import (
	"slices"

	"saturate/internal/project"
)

// tooFewWorkers finds loaders whose workers have dozens of costly samples each to make for a batch.
var tooFewWorkers = Rule{
	Code: "SAT210", Name: "too-few-workers", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea}, SetsWorkers: true,
	Title: "too few workers prepare large batches of costly samples",
	What: "A training DataLoader with one worker for 4 samples or more, or with two to four and at least 32 samples per worker in a batch, whose dataset " +
		"decodes, resamples or computes features for each sample; 8 samples per worker where it parses text for each, 4 where it decodes a film. Small: fewer samples, or two to four workers for batches of a size that is not known. A loader of webdataset or timm with one worker. A pool of one thread or " +
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
			workers, size := loader.Arg("num_workers"), p.leastBatch(loader)
			count, known := most(workers)
			samples, sized := size.Int()
			if !known || count < 1 || count > manyDecoders || p.byAPI(workers) || !sized && (count > 4 || !size.Given()) {
				continue
			}
			sure, heavy := p.heavyLoading(loader)
			again := p.loadsTheSame(loader)
			if again != nil {
				sure, heavy = probable, append(heavy, *again)
			}
			switch {
			case sure == 0:
			case !sized && count > 1:
				p.Report(loader.Callee(), plausible*sure*workers.Confidence()).Because(workers).Because(heavy...).
					Saying("%d workers prepare the costly samples of each batch", count).
					Small("it depends on the batch and the GPU whether these workers keep up")
			case !sized:
				p.Report(loader.Callee(), plausible*sure*workers.Confidence()).Because(workers).Because(heavy...).
					Saying("one worker prepares the costly samples of each batch")
			case samples >= p.samplesAWorker(loader)*count && count <= 4 || count == 1 && (samples >= samplesToCount || again != nil):
				p.Report(loader.Callee(), sure*workers.Confidence()*size.Confidence()).Because(workers, size).Because(heavy...).
					Saying("num_workers=%d for the %d costly samples of each batch", count, samples)
			case samples >= samplesToCount*count:
				p.Report(loader.Callee(), sure*workers.Confidence()*size.Confidence()).Because(workers, size).Because(heavy...).
					Saying("num_workers=%d for the %d costly samples of each batch", count, samples).
					Small("it depends on the GPU whether these workers keep up")
			}
		}
	},
}

// samplesToCount is from how many samples in a batch a worker may take longer for them than a fast GPU for its step.
const samplesToCount = 4

// decodesFilm reports a call that reads a film, whose frames take as long as dozens of photos.
func decodesFilm(s *project.Site) bool { return slices.Contains(videoDecoders, s.Calls.Name) }

// samplesAWorker is from how many samples in a batch a worker takes longer for them than a step: films, photos, or files of text.
func (p *SourcePass) samplesAWorker(loader Call) int64 {
	data := loader.Arg("dataset")
	for _, v := range append([]Value{data}, data.Either...) {
		if v.Class == nil {
			continue
		}
		if get := v.Class.Method("__getitem__"); get != nil {
			if _, film := p.Reaches(get, decodesFilm, 3); film {
				return 4
			}
			if _, text := p.Reaches(get, parsesText, 3); text && !p.In(get.Module).decodesIn(get) {
				return 8
			}
		}
	}
	return 32
}

// most is the largest number that a value may be, where each of them is known: an option's default, and what commands set.
func most(v Value) (int64, bool) {
	if len(v.Either) == 0 {
		return v.Int()
	}
	var largest int64
	for _, w := range v.Either {
		n, known := most(w)
		if !known {
			return 0, false
		}
		largest = max(largest, n)
	}
	return largest, true
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
