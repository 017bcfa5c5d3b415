package rule

import "saturate/internal/project"

// featureExtractorPerItem finds collate functions that extract features sample by sample.
var featureExtractorPerItem = Rule{
	Code: "SAT124", Name: "feature-extractor-per-item", Severity: Warning, Subject: AboutLoading, Makes: Features,
	Areas: []Area{DataArea, WorkersArea},
	Title: "features are extracted sample by sample in the collate function",
	What:  "A collate function calls a feature extractor, spectrogram or processor in a loop over its samples.",
	Why: "Each call pays for Python, checks and small transforms. For a whole batch the same work is one large " +
		"transform, which can also run on the GPU.",
	Fine: "Extractors that accept only one sample.",
	Advice: "Pass the list of all waveforms to the extractor at once, on the GPU if it has a device argument. Or " +
		"extract the features once before training.",
	Gain: Range{1, 6, "8 clips: 1.5 s to 0.25 s as one batch on the CPU, 0.02 s on the GPU (huggingface/transformers#29901)"},
	Bad:  "features = [extractor(s[\"audio\"], sampling_rate=16000) for s in samples]",
	Good: "features = extractor([s[\"audio\"] for s in samples], sampling_rate=16000)",
	Source: func(p *SourcePass) {
		for _, call := range p.features() {
			path, ok := p.EverySample(call)
			if ok && path.Kind == project.Collate && p.InLoop(call) {
				p.Report(call, path.Sure).Because(path)
			}
		}
	},
}
