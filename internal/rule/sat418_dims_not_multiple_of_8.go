package rule

// dimsNotMultipleOf8 finds batches whose lengths do not fit the tiles of tensor cores.
var dimsNotMultipleOf8 = Rule{
	Code: "SAT418", Name: "dims-not-multiple-of-8", Severity: Advice, Subject: AboutPadding,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "batches are padded to lengths that do not fit tensor cores",
	What:  "A transformers padding collator without pad_to_multiple_of, when training in float16 or bfloat16.",
	Why: "Tensor cores multiply tiles of 8 elements (64 on A100). Other lengths are padded inside every kernel " +
		"or use a slower one.",
	Fine:   "Fixed lengths. float32. Kernels that do not depend on the sequence length.",
	Bad:    "DataCollatorWithPadding(tokenizer)",
	Good:   "DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)",
	Little: "the libraries of current GPUs lose little by other lengths",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("transformers.DataCollatorWithPadding", "transformers.DataCollatorForSeq2Seq", "transformers.DataCollatorForTokenClassification", "transformers.DataCollatorForLanguageModeling") {
			multiple := c.Arg("pad_to_multiple_of")
			if !multiple.Missing() && !multiple.IsNone() || c.Arg("padding").Equals("max_length") || p.EvaluationOnly(c) ||
				p.fixedLength() || p.GPU() == 0 ||
				!p.NearSays("bf16=True", "fp16=True", "autocast", "bf16-mixed", "mixed_precision") {
				continue
			}
			p.Report(c.Callee(), likely*multiple.Confidence()).Because(multiple).
				Fix(Safe, "pad to multiples of 8", multiple.SetTo("8"))
		}
	},
}

// fixedLength reports whether this module pads to a fixed length or joins texts into blocks.
func (p *SourcePass) fixedLength() bool {
	return p.NearSays("block_size", `padding="max_length"`, `padding='max_length'`, "group_texts")
}
