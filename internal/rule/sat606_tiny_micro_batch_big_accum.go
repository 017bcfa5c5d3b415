package rule

import "saturate/internal/project"

// tinyMicroBatch finds steps of one sample that are gathered over many.
var tinyMicroBatch = Rule{
	Code: "SAT606", Name: "tiny-micro-batch-big-accum", Severity: Advice, Regroups: true,
	Areas:  []Area{ComputeArea},
	Title:  "the batch is gathered one sample at a time",
	What:   "per_device_train_batch_size=1 with gradient_accumulation_steps of 16 and more, in code or in a settings file.",
	Why:    "The GPU computes one sample at a time and reads all weights for each; gathering changes when the optimizer steps, not how well a step fills the GPU.",
	Fine:   "Samples that fill the memory.",
	Advice: "Prefer 4 samples gathered over 16 steps to 1 over 64, as far as memory allows; gradient checkpointing or an 8-bit optimizer may free some. With Whisper in transformers 5 gradients grow with the number of gathered steps, so compare the loss after such a change.",
	Gain:   Range{1, 4, "7.8 to 225 samples/s from a batch of 1 to 32 with T5-base on an A100 (huggingface/transformers#15026)"},
	Bad:    "TrainingArguments(per_device_train_batch_size=1, gradient_accumulation_steps=64)",
	Good:   "TrainingArguments(per_device_train_batch_size=4, gradient_accumulation_steps=16)",
	Source: func(p *SourcePass) {
		if size, _ := p.billions(); size >= 1 || p.GPU() == 0 {
			return // memory binds there, and the advice is another rule's
		}
		for _, args := range p.TrainingArguments() {
			size, gather := args.Arg("per_device_train_batch_size"), args.Arg("gradient_accumulation_steps")
			if tinyBatches(args, 1, 16) {
				p.Report(args.Callee(), 0.8*size.Confidence()*gather.Confidence()*p.GPU()).Because(size, gather)
			}
		}
	},
	Settings: func(p *SettingsPass) {
		if f := p.Framework(); p.EvaluationOnly() || f != "transformers" && f != "trl" && f != "axolotl" {
			return
		}
		for _, s := range p.Find(".per_device_train_batch_size", ".micro_batch_size") {
			gather, known := intOf(s.Parent.Child("gradient_accumulation_steps"))
			if s.Value().Equals(1) && known && gather >= 16 {
				p.Report(s, 0.8)
			}
		}
	},
}

// intOf is the number that a setting holds.
func intOf(s *project.Setting) (int64, bool) {
	if s == nil {
		return 0, false
	}
	return s.Value().Int()
}
