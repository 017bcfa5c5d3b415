package rule

import (
	"slices"

	"saturate/internal/human"
)

// tinyMicroBatch finds steps of one sample that are gathered over many.
var tinyMicroBatch = Rule{
	Code: "SAT606", Name: "tiny-micro-batch-big-accum", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea}, Regroups: true,
	Title: "gradients are accumulated one sample at a time",
	What: "per_device_train_batch_size of 1 or 2 with gradient_accumulation_steps of 16 or more, in code, on the command " +
		"line of a script, or (1 only) in a settings file; or a DataLoader with batch_size=1 beside an Accelerator that " +
		"accumulates that long.",
	Why: "The GPU processes one sample at a time and reads all weights for each. Accumulation changes when the " +
		"optimizer steps, not how well a step uses the GPU.",
	Fine: "Samples that fill the GPU memory.",
	Advice: "Prefer 4 samples with 16 accumulation steps to 1 sample with 64, as far as memory allows. Gradient " +
		"checkpointing or an 8-bit optimizer can free memory. With Whisper in transformers 5, gradients grow with " +
		"the number of accumulation steps: compare the loss after the change.",
	Gain: Range{1, 4, "7.8 to 225 samples/s from a batch of 1 to 32 with T5-base on an A100 (huggingface/transformers#15026)"},
	Bad:  "TrainingArguments(per_device_train_batch_size=1, gradient_accumulation_steps=64)",
	Good: "TrainingArguments(per_device_train_batch_size=4, gradient_accumulation_steps=16)",
	Source: func(p *SourcePass) {
		billions, _ := p.billions()
		if p.GPU() == 0 || billions >= 1 && !p.loadsIn4Bit() {
			return // memory binds there, and the advice is another rule's
		}
		say := func(args Call, size, gather Value) {
			if !tinyBatches(size, gather, 2, 16) || billions >= 1 && !args.Arg("gradient_checkpointing").IsTrue() {
				return
			}
			r := p.Report(args.Callee(), likely*size.Confidence()*gather.Confidence()*p.GPU()).Because(size, gather)
			if n, _ := size.Int(); n > 1 {
				r.Saying("gradients are accumulated %s at a time", human.Plural(n, "sample"))
			}
		}
		for _, args := range p.TrainingArguments() {
			say(args, args.Arg("per_device_train_batch_size"), args.Arg("gradient_accumulation_steps"))
		}
		if parser, _ := p.CommandLineArguments(); parser != nil {
			say(*parser, p.eval.Started(p.Module, "per_device_train_batch_size"), p.eval.Started(p.Module, "gradient_accumulation_steps"))
		}
		for _, accelerator := range p.CallsTo("accelerate.Accelerator") {
			gather := accelerator.Arg("gradient_accumulation_steps")
			if n, known := gather.Int(); !known || n < 16 {
				continue
			}
			for _, loader := range p.TrainingLoaders() {
				if size := loader.Arg("batch_size"); size.Equals(1) && !p.isStream(loader) {
					p.Report(loader.Callee(), probable*size.Confidence()*gather.Confidence()*p.GPU()).Because(size, gather)
				}
			}
		}
	},
	Settings: func(p *SettingsPass) {
		f := p.Framework()
		if p.EvaluationOnly() || f != "transformers" && f != "trl" && f != "axolotl" && f != "deepspeed" || p.savesMemory() {
			return
		}
		for _, s := range p.Find(".per_device_train_batch_size", ".micro_batch_size", "train_micro_batch_size_per_gpu") {
			gather, known := intOf(s.Parent.Child("gradient_accumulation_steps"))
			if s.Value().Equals(1) && known && gather >= 16 {
				p.Report(s, likely)
			}
		}
	},
}

// loadsIn4Bit reports a module that loads its model in 4 bits, which frees most of the memory.
func (p *SourcePass) loadsIn4Bit() bool {
	return slices.ContainsFunc(p.CallsTo("transformers.BitsAndBytesConfig"), func(c Call) bool { return c.Arg("load_in_4bit").IsTrue() })
}
