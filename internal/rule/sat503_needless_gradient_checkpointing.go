package rule

import "saturate/internal/pysrc"

// needlessGradientCheckpointing finds small models that compute their activations twice.
var needlessGradientCheckpointing = Rule{
	Code: "SAT503", Name: "needless-gradient-checkpointing", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "a small model computes its activations twice",
	What: "gradient_checkpointing=True or gradient_checkpointing_enable() where all pretrained models have fewer " +
		"than 150 million parameters and the batch size is at most 16.",
	Why: "Checkpointing discards activations and recomputes them in the backward pass, about 20% more time. The " +
		"activations of a small model fit in memory.",
	Fine:   "Long sequences, high resolutions, or a GPU whose memory is full.",
	Advice: "Try it without gradient checkpointing. Keep checkpointing if memory runs out.",
	Gain:   Range{1, 1.25, "checkpointing costs about 20% (transformers documentation)"},
	Bad:    "TrainingArguments(gradient_checkpointing=True)  # openai/whisper-base",
	Good:   `TrainingArguments()`,
	Safety: DisplayOnly,
	Source: func(p *SourcePass) {
		size, model := p.billions()
		if size == 0 || size >= 0.15 || p.GPU() == 0 {
			return
		}
		for _, args := range p.TrainingArguments() {
			on, batch := args.Arg("gradient_checkpointing"), args.Arg("per_device_train_batch_size")
			if n, known := batch.Int(); on.IsTrue() && (batch.Missing() || known && n <= 16) {
				p.Report(args.Callee(), plausible*on.Confidence()*p.GPU()).Because(model, on).
					Fix(DisplayOnly, "keep the activations", on.SetTo("False"))
			}
		}
		for _, c := range p.MethodCalls("gradient_checkpointing_enable") {
			if !p.EvaluationOnly(c) && len(p.TrainingArguments()) == 0 {
				r := p.Report(c, plausible*p.GPU()).Because(model)
				if _, alone := p.Module.StatementAt(c.Node.Start).(*pysrc.ExprStmt); alone {
					r.Fix(DisplayOnly, "keep the activations", p.RemoveStatement(c))
				}
			}
		}
	},
}
