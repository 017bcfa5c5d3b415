package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noLengthBucketing finds batches of samples of any length, padded to the longest.
var noLengthBucketing = Rule{
	Code: "SAT114", Name: "no-length-bucketing", Severity: Advice, Subject: AboutPadding,
	Areas: []Area{ComputeArea}, Regroups: true,
	Title: "short and long samples share a batch and are padded to the longest",
	What: "A shuffled DataLoader whose collate function pads sequences, with pad_sequence or by hand, without a batch sampler. A Trainer with " +
		"a padding collator that does not group by length.",
	Why: "The more lengths differ within a batch, the more padding is computed. With several GPUs, all wait for " +
		"the one with the longest batch.",
	Fine: "Samples of similar length. Small batches. Training that needs a fully random order.",
	Advice: "Group samples of similar length: group_by_length=True in transformers (since 5: " +
		"train_sampling_strategy=\"group_by_length\"), or a batch sampler that sorts within large random chunks.",
	Gain:   Range{1, 2, "part of a gain from 56 to 16 min with padding per batch and batches of similar length (Lefebvre Sarrut, 2020)"},
	Bad:    "DataLoader(data, batch_size=32, shuffle=True, collate_fn=pad)",
	Good:   "DataLoader(data, batch_sampler=BucketSampler(lengths, 32), collate_fn=pad)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.GPU() == 0 {
			return
		}
		for _, loader := range p.TrainingLoaders() {
			if collate := loader.Arg("collate_fn"); (maybeTrue(loader.Arg("shuffle")) || p.drawnByLibrary(loader)) && off(loader.Arg("batch_sampler")) &&
				p.padsSequences(collate) {
				r := p.Report(loader.Callee(), probable*p.GPU())
				if holdsFew(loader) {
					r.Small("in a batch of two, little is padding")
				}
				if at, in := p.whereItPads(collateFunction(collate), 0); at != nil {
					r.Because(in.At(at, "pads to the longest of the batch"))
				}
				if made := loader.Arg("sampler").Made; made != nil {
					r.Because(p.In(made.Module()).At(made.Node, "draws samples of any length"))
				}
			}
		}
		trainer, at, in := p.paddedByTrainer()
		arguments := p.TrainingArguments()
		if trainer == nil && (len(arguments) == 0 || !p.padsByCollator()) || p.padsToMaximum() || trainer != nil && groupsByLength(trainer) {
			return
		}
		if parser, class := p.CommandLineArguments(); len(arguments) == 0 && trainer != nil && parser != nil &&
			p.unlessGiven(class, "group_by_length") && p.unlessGiven(class, "train_sampling_strategy") && !p.startedShort() {
			p.Report(trainer.Callee(), plausible*p.GPU()).Because(parser.Callee(), in.At(at, "pads to the longest of the batch"))
		}
		for _, args := range arguments {
			group, strategy := args.Arg("group_by_length"), args.Arg("train_sampling_strategy")
			if group.Given() || strategy.Given() && !strategy.Equals("random") || ofTRL(args) || args.Arg("max_steps").Given() {
				continue
			}
			r := p.Report(args.Callee(), plausible*group.Confidence()*p.GPU())
			if trainer != nil { // whether its samples have the length that the trainer asks for is not known
				r.Because(in.At(at, "pads to the longest of the batch"))
				continue
			}
			r.Fix(Unsafe, "group samples of similar length; the order becomes less random", p.groupByLength(group, strategy)...)
		}
	},
}

// holdsFew reports a loader that gives one or two samples at once, in which hardly anything is padding.
func holdsFew(loader Call) bool {
	size, known := loader.Arg("batch_size").Int()
	return known && size <= 2
}

// maybeNone reports a sampler that only several processes have: DistributedSampler(data) if gpus > 1 else None. One process takes the
// samples in the order of the data set.
func (p *SourcePass) maybeNone(e pysrc.Expr) bool {
	said := []project.Said{{Value: e, Place: -1}}
	if name, ok := e.(*pysrc.Name); ok {
		said, _ = p.Module.SaidOrGiven(name)
	}
	return slices.ContainsFunc(said, func(v project.Said) bool {
		choice, ok := v.Value.(*pysrc.IfExp)
		return ok && (pysrc.IsConst(choice.Body, pysrc.None) || pysrc.IsConst(choice.Orelse, pysrc.None)) || v.Value != nil && pysrc.IsConst(v.Value, pysrc.None)
	})
}

// drawnByLibrary reports a loader whose sampler of torch gives the samples in random order.
func (p *SourcePass) drawnByLibrary(loader Call) bool {
	sampler := loader.Arg("sampler")
	if sampler.Class != nil || sampler.Made == nil || p.maybeNone(loader.ArgumentNode("sampler", 3)) {
		return false
	}
	switch project.LastOf(sampler.Name) {
	case "RandomSampler", "SubsetRandomSampler":
		return strings.HasPrefix(sampler.Name, "torch.utils.data.")
	case "DistributedSampler":
		return strings.HasPrefix(sampler.Name, "torch.utils.data.") && !p.eval.Argument(sampler.Made, "shuffle").IsFalse()
	}
	return false
}

// maybeTrue reports True, also as one of several values.
func maybeTrue(v Value) bool { return v.IsTrue() || slices.ContainsFunc(v.Either, Value.IsTrue) }

// padsByCollator reports whether this module pads batches with a collator of
// transformers, of texts or speech and not of Whisper's fixed 30 seconds.
func (p *SourcePass) padsByCollator() bool {
	for _, c := range p.Constructions("transformers.DataCollator") {
		switch lastName(c.Node.Func) {
		case "DataCollatorWithPadding", "DataCollatorForSeq2Seq", "DataCollatorForTokenClassification", "DataCollatorCTCWithPadding":
			if v := c.Arg("padding"); v.Missing() || v.IsTrue() || v.Equals("longest") {
				return true
			}
		}
	}
	return false
}

// padsToMaximum reports whether texts are padded to one length before the collator
// sees them, which is another rule's matter.
func (p *SourcePass) padsToMaximum() bool {
	for _, t := range p.Tokenisations() {
		if t.Arg("padding").Equals("max_length") || t.Arg("pad_to_max_length").IsTrue() {
			return true
		}
	}
	return false
}

// groupByLength sets the argument that the project's version has, none where that is not known.
func (p *SourcePass) groupByLength(group, strategy Value) []patch.Edit {
	switch p.AtLeast("transformers", "5.0") {
	case project.Yes:
		return []patch.Edit{strategy.SetTo(`"group_by_length"`)}
	case project.No:
		return []patch.Edit{group.SetTo("True")}
	}
	return nil
}
