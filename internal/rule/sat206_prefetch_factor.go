package rule

import "slices"

// prefetchFactor finds loaders that keep too few batches ready.
var prefetchFactor = Rule{
	Code: "SAT206", Name: "prefetch-factor", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, TransferArea}, Group: LoaderGroup,
	Title: "each worker prepares only one batch ahead",
	What: "A training DataLoader with workers and prefetch_factor=1, or with the default of 2 if samples come " +
		"over the network. Also dataloader_prefetch_factor in transformers, and a tf.data pipeline for JAX without " +
		"prefetch.",
	Why: "Prefetched batches absorb samples that take longer than others. They smooth loading time but do not " +
		"reduce it.",
	Fine:   "Hosts with little memory: every prefetched batch takes space. Samples that all take the same time.",
	Advice: "Try prefetch_factor=4 and measure. It needs memory for four batches per worker.",
	Bad:    "DataLoader(data, num_workers=4, prefetch_factor=1)",
	Good:   "DataLoader(data, num_workers=4, prefetch_factor=4)",
	Safety: DisplayOnly,
	Since:  []Since{{Library: "torch", Version: "1.7"}},
	Source: func(p *SourcePass) {
		p.tfWithoutPrefetch()
		for _, loader := range p.TrainingLoaders() {
			ahead, workers, gpu := loader.Arg("prefetch_factor"), loader.Arg("num_workers"), p.FeedsGPU(loader)
			if gpu == 0 || workers.Missing() || workers.Equals(0) {
				continue
			}
			switch {
			case ahead.Equals(1):
				p.Report(loader.Callee(), ahead.Confidence()*gpu).Because(ahead).
					Fix(DisplayOnly, "prepare four batches ahead", ahead.SetTo("4"))
			case (ahead.Missing() || ahead.Equals(2)) && p.loadsOverNetwork(loader):
				p.Report(loader.Callee(), probable*ahead.Confidence()*gpu).Because(ahead).
					Saying("each worker prepares only two batches ahead, and samples come over the network").
					Fix(DisplayOnly, "prepare four batches ahead", ahead.SetTo("4"))
			}
		}
		for _, args := range p.TrainingArguments() {
			if ahead := args.Arg("dataloader_prefetch_factor"); ahead.Equals(1) && p.GPU() > 0 {
				p.Report(args.Callee(), ahead.Confidence()*p.GPU()).Because(ahead).
					Fix(DisplayOnly, "prepare four batches ahead", ahead.SetTo("4"))
			}
		}
	},
}

// loadsOverNetwork reports whether the dataset of a loader asks another machine
// for its samples itself.
func (p *SourcePass) loadsOverNetwork(loader Call) bool {
	class := loader.Arg("dataset").Class
	if class == nil {
		return false
	}
	for _, f := range class.Methods {
		for _, s := range f.Sites {
			if f.BaseName() != "__init__" && slices.Contains(remoteCalls, s.Calls.Name) {
				return true
			}
		}
	}
	return false
}
