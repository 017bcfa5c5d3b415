package rule

import "saturate/internal/project"

// whisperAccumulation finds gradient accumulation that multiplies the gradients of Whisper.
var whisperAccumulation = Rule{
	Code: "SAT710", Name: "whisper-accumulation", Severity: Error, Subject: AboutGradients,
	Areas: []Area{HostArea},
	Title: "gradient accumulation multiplies Whisper's gradients",
	What: "A transformers 5 trainer with gradient_accumulation_steps above 1 and a " +
		"WhisperForConditionalGeneration, without a custom loss function.",
	Why: "Since transformers 5, Whisper's forward takes **kwargs. The trainer assumes that the model divides the " +
		"loss by the number of tokens, so it does not divide by the steps. Whisper uses the plain mean, and loss and " +
		"gradients grow with the number of steps.",
	Fine: "transformers 4. A Trainer with its own compute_loss or compute_loss_func.",
	Advice: "Use a larger batch with gradient_accumulation_steps=1, or set trainer.model_accepts_loss_kwargs = " +
		"False before train().",
	Bad:  "Seq2SeqTrainingArguments(output_dir, per_device_train_batch_size=4, gradient_accumulation_steps=4)",
	Good: "Seq2SeqTrainingArguments(output_dir, per_device_train_batch_size=16, gradient_accumulation_steps=1)",
	Source: func(p *SourcePass) {
		if p.AtLeast("transformers", "5.0") == project.No || len(p.HFArguments()) == 0 || !p.trainsWhisper() ||
			p.NearSays("compute_loss_func", "def compute_loss", "model_accepts_loss_kwargs") || p.writtenForTransformers4() {
			return
		}
		for _, args := range p.HFArguments() {
			steps := args.Arg("gradient_accumulation_steps")
			if n, ok := steps.Int(); ok && n > 1 {
				sure := plausible
				if p.AtLeast("transformers", "5.0") == project.Yes {
					sure = nearlyCertain
				}
				p.Report(args.Callee(), sure*steps.Confidence()).Because(steps).
					Saying("with transformers 5, %d accumulation steps multiply Whisper's gradients by %d", n, n)
			}
		}
	},
}

// writtenForTransformers4 reports arguments of a trainer that transformers 5 does not take: the program does not run
// with it.
func (p *SourcePass) writtenForTransformers4() bool {
	for _, args := range p.HFArguments() {
		for _, name := range [...]string{"evaluation_strategy", "no_cuda", "use_mps_device", "per_gpu_train_batch_size", "fp16_backend", "group_by_length"} {
			if args.Node.Keyword(name) != nil {
				return true
			}
		}
	}
	return false
}
