package rule

import "saturate/internal/project"

// tokenizePerSample finds texts that are tokenised one by one while the data is
// loaded. It also tells where tokenisation runs when that is fine.
var tokenizePerSample = Rule{
	Code: "SAT111", Name: "tokenize-per-sample", Severity: Advice,
	Areas:  []Area{DataArea, WorkersArea},
	Title:  "texts are tokenised one by one, again in every epoch",
	What:   "A tokenizer that is called for one text in the __getitem__ of a data set, or for each sample in a loop of a collate function.",
	Why:    "A tokenizer written in Rust works on many texts at once in parallel, and its tokens do not change from epoch to epoch.",
	Fine:   "Texts that are changed at random in every epoch, prompts that are made while training, a handful of short texts beside seconds of GPU work.",
	Advice: "Tokenise once, with dataset.map(batched=True) or for the whole list when the data set is built, or hand the collate function the texts and call the tokenizer once for the batch.",
	Gain:   Range{1, 1.1, "tokenising itself is 3 to 5 times faster in batches (huggingface/trl#1624); what training gains depends on its share"},
	Bad:    "def __getitem__(self, i):\n    return self.tokenizer(self.texts[i]).input_ids",
	Good:   "def __init__(self, texts, tokenizer):\n    self.ids = tokenizer(texts).input_ids\n\ndef __getitem__(self, i):\n    return self.ids[i]",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		said := map[*project.Function]bool{}
		for _, t := range p.Tokenisations() {
			if said[t.Func] || p.EvaluationOnly(t) {
				continue
			}
			said[t.Func] = true
			p.observeTokenisation(t)
			path, every := p.EverySample(t)
			if every && path.Kind != project.Mapped && p.singly(t, path) && !p.RandomInto(path, t.Call) {
				p.tokeniseOnce(p.Report(t, t.sure*path.Sure).Because(path), t)
			}
		}
	},
}
