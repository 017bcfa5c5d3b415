package rule

import "saturate/internal/project"

// tokenizePerSample finds texts that are tokenised one by one while the data is
// loaded. It also tells where tokenisation runs when that is fine.
var tokenizePerSample = Rule{
	Code: "SAT111", Name: "tokenize-per-sample", Severity: Advice,
	Title:  "texts are tokenised one by one, again in every epoch",
	What:   "A tokenizer that is called for one text in the __getitem__ of a data set, or for each sample in a loop of a collate function.",
	Why:    "A tokenizer written in Rust works on many texts at once in parallel, and its tokens do not change from epoch to epoch.",
	Fine:   "Texts that are changed at random in every epoch, prompts that are made while training, a handful of short texts beside seconds of GPU work.",
	Advice: "Tokenise once, with dataset.map(batched=True) or for the whole list when the data set is built, or hand the collate function the texts and call the tokenizer once for the batch.",
	Gain:   Range{1, 1.1, "tokenising itself is 3 to 5 times faster in batches (huggingface/trl#1624); what training gains depends on its share"},
	Bad:    "def __getitem__(self, i):\n    return self.tokenizer(self.texts[i]).input_ids",
	Good:   "def __init__(self, texts, tokenizer):\n    self.ids = tokenizer(texts).input_ids\n\ndef __getitem__(self, i):\n    return self.ids[i]",
	Source: func(p *SourcePass) {
		for _, t := range p.Tokenisations() {
			path, ok := p.PerSample(t)
			if !ok || p.EvaluationOnly(t) {
				continue
			}
			single := path.Kind == project.DataSet || p.InLoop(t)
			p.observeTokenisation(t, path, single && !t.many())
			if _, every := p.EverySample(t); !every || path.Kind == project.Mapped || !single || t.many() || p.RandomBefore(path, t) {
				continue
			}
			p.Report(t, t.sure*path.Sure).Because(path)
		}
	},
}

// observeTokenisation states where tokenisation runs, and how.
func (p *SourcePass) observeTokenisation(t tokenisation, path project.Path, single bool) {
	where := [...]string{
		project.DataSet:   "for every sample as it is loaded",
		project.Collate:   "in the collate function",
		project.Transform: "in a transform of every sample",
		project.Mapped:    "in a map over the data set, once",
	}[path.Kind]
	how := "a batch at a time"
	switch {
	case path.Kind == project.Mapped && !p.mapsInBatches(path), path.Kind != project.Mapped && single:
		how = "one text at a time"
	case path.Kind == project.Transform:
		how = "as the transform is called"
	}
	with := ""
	if fast := t.fast(); fast != "" {
		with = ", with " + fast
	}
	p.Observe("tokenisation", t, "tokenisation runs %s (%s), %s%s", where, path.Root.Title(), how, with)
}

// mapsInBatches tells whether the map that starts the path is batched.
func (p *SourcePass) mapsInBatches(path project.Path) bool {
	for _, m := range p.Maps() {
		if m.function == path.Root {
			return m.Arg("batched").IsTrue()
		}
	}
	return false
}
