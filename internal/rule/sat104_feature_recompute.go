package rule

import "saturate/internal/project"

// featureRecompute finds features that are computed anew from the same audio or text in every epoch.
var featureRecompute = Rule{
	Code: "SAT104", Name: "feature-recompute", Severity: Warning, Subject: AboutLoading, Makes: Features,
	Areas: []Area{DataArea, WorkersArea},
	Title: "the same features are computed in every epoch",
	What: "A dataset or transform computes a spectrogram, MFCC, pitch, phonemes, optical flow, fingerprints or other features for " +
		"each sample, with nothing random before it.",
	Why: "The result is the same in every epoch, so only the first computation is useful, and the GPU waits for " +
		"the others.",
	Fine: "Random cropping, noise or speed before the features: caching would freeze the augmentation. Training " +
		"that is limited by the GPU. Too little disk space.",
	Advice: "Compute the features once before training and load them, or compute them on the GPU per batch.",
	Gain:   Range{1, 30, "from 0.3 to 10 it/s in Wav2Lip; in OpenSeq2Seq over 5× for small networks, no gain for large ones"},
	Bad:    "def __getitem__(self, i):\n    return self.extractor(self.load(i)).input_features[0]",
	Good:   "def __getitem__(self, i):\n    return self.features[i]  # computed once",
	Source: func(p *SourcePass) {
		for _, call := range p.features() {
			ways := p.sameInEachEpoch(call)
			if len(ways) == 0 {
				continue
			}
			r := p.Report(call, ways[0].Sure).Because(ways[0])
			for _, way := range ways[1:] {
				if at := lastOwnCall(way); at != nil {
					r.Because(p.In(at.Module()).At(at, "and for each sample of "+way.Root.Title()))
				}
			}
		}
		for _, call := range p.ownFeatures() {
			path, ok := p.EverySampleWhere(call, func(path project.Path) bool { return path.Kind != project.Collate && !p.RandomInto(path, call) })
			if ok {
				p.Report(call, likely*path.Sure).Because(path)
			}
		}
		p.libraryFeatures()
	},
}

// sameInEachEpoch are the ways by which features are computed for each sample of what nothing random was done to before.
func (p *SourcePass) sameInEachEpoch(call Call) []project.Path {
	return p.EverySampleWays(call, func(path project.Path) bool {
		return !p.RandomInto(path, call) && (path.Kind != project.Collate || !p.InLoop(call))
	})
}

// lastOwnCall is the last call of a way that stands in the module of its data set; nil where there is none.
func lastOwnCall(way project.Path) (last *project.Site) {
	for _, s := range way.Calls {
		if s.Module() == way.Root.Module {
			last = s
		}
	}
	return last
}
