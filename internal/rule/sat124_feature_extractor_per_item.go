package rule

import "saturate/internal/project"

// featureExtractorPerItem finds collate functions that extract features sample by sample.
var featureExtractorPerItem = Rule{
	Code: "SAT124", Name: "feature-extractor-per-item", Severity: Warning, Subject: AboutLoading, Makes: Features,
	Areas:  []Area{DataArea, WorkersArea},
	Title:  "features are extracted sample by sample in the collate function",
	What:   "A feature extractor, spectrogram or processor that a collate function calls in a loop over its samples.",
	Why:    "Each call pays for Python, checks and small transforms; for a whole batch the same work is one large transform, which also runs on the GPU.",
	Fine:   "Extractors that take one sample alone.",
	Advice: "Give the extractor the list of all waveforms at once, on the GPU where it has a device argument, or extract the features once before training.",
	Gain:   Range{1, 6, "8 clips: 1.5 to 0.25 s as one batch on the processor, 0.02 s on the GPU (huggingface/transformers#29901)"},
	Bad:    "features = [extractor(s[\"audio\"], sampling_rate=16000) for s in samples]",
	Good:   "features = extractor([s[\"audio\"] for s in samples], sampling_rate=16000)",
	Source: func(p *SourcePass) {
		for _, call := range p.features() {
			path, ok := p.EverySample(call)
			if ok && path.Kind == project.Collate && p.InLoop(call) {
				p.Report(call, path.Sure).Because(path)
			}
		}
	},
}
