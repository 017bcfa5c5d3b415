package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
)

// noGradientCheckpointing finds large models that are trained with tiny batches for want of memory.
var noGradientCheckpointing = Rule{
	Code: "SAT502", Name: "no-gradient-checkpointing", Severity: Advice, Subject: AboutMemory,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "memory looks tight, but all activations are kept",
	What: "A pretrained model with at least a billion parameters, one or two samples per step, at least 8 " +
		"accumulation steps, and no gradient checkpointing. In a plain loop: a loader with one or two samples per batch.",
	Why: "Activations grow with the batch. Recomputing them in the backward pass takes about 20% more time and " +
		"frees most of their memory for a larger batch.",
	Fine:   "Free GPU memory: checkpointing then only costs time. Measure before and after.",
	Advice: "Try gradient_checkpointing=True with a batch several times larger. Keep it only if samples per second rise.",
	Bad:    "TrainingArguments(per_device_train_batch_size=1, gradient_accumulation_steps=32)",
	Good:   "TrainingArguments(per_device_train_batch_size=8, gradient_accumulation_steps=4, gradient_checkpointing=True)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		size, model := p.billions()
		if size < 1 || p.GPU() == 0 || p.Uses("torch.utils.checkpoint.*") ||
			len(p.MethodCalls("gradient_checkpointing_enable")) > 0 ||
			p.Uses("peft.prepare_model_for_kbit_training") { // which turns it on
			return
		}
		for _, args := range p.TrainingArguments() {
			if checkpointing := args.Arg("gradient_checkpointing"); tinyBatches(args.Arg("per_device_train_batch_size"), args.Arg("gradient_accumulation_steps"), 2, 8) && off(checkpointing) &&
				!ofTRL(args) {
				r := p.Report(args.Callee(), probable*checkpointing.Confidence()*p.GPU()).
					Because(model, args.Arg("per_device_train_batch_size"), args.Arg("gradient_accumulation_steps"))
				edits := []patch.Edit{checkpointing.SetTo("True")}
				if kind := args.Arg("gradient_checkpointing_kwargs"); kind.Missing() &&
					p.AtLeast("transformers", "4.35") != project.No {
					edits = append(edits, kind.SetTo(`{"use_reentrant": False}`))
				}
				r.Fix(Unsafe, recompute, edits...)
			}
		}
		p.plainLoopKeepsActivations()
	},
}

const recompute = "recompute activations in the backward pass; only worth it with a larger batch"

// plainLoopKeepsActivations reports a large model of transformers that a loop of this module trains with one or two
// samples at a time.
func (p *SourcePass) plainLoopKeepsActivations() {
	if len(p.TrainingLoops()) == 0 || len(p.TrainingArguments()) > 0 || p.trainsAdapter() || p.sharded() {
		return
	}
	var tiny Value
	found := false
	for _, loader := range p.TrainingLoaders() {
		size := loader.Arg("batch_size")
		n, known := size.Int()
		if size.Missing() || known && n <= 2 {
			tiny, found = size, true
		}
	}
	for _, m := range p.Pretrained() {
		name := p.variableOf(m.Call)
		if !found || m.billions < 1 || name == "" || p.EvaluationOnly(m) {
			continue
		}
		enable := name + ".gradient_checkpointing_enable("
		if p.AtLeast("transformers", "4.35") != project.No {
			enable += `gradient_checkpointing_kwargs={"use_reentrant": False}`
		}
		p.Report(m.Callee(), probable*p.GPU()).Because(tiny).Fix(Unsafe, recompute, p.LineAfter(m, enable+")"))
	}
}
