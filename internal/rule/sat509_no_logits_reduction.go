package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noLogitsReduction finds evaluations that gather the logits of a whole vocabulary.
var noLogitsReduction = Rule{
	Code: "SAT509", Name: "no-logits-reduction", Severity: Warning, Subject: AboutMemory,
	Areas: []Area{ComputeArea},
	Title: "evaluation keeps the logits of every token, but the metric only needs their argmax",
	What: "A transformers Trainer for a language model whose compute_metrics takes an argmax, without " +
		"preprocess_logits_for_metrics and eval_accumulation_steps.",
	Why: "The trainer collects samples × tokens × vocabulary numbers on the GPU until the evaluation ends, " +
		"then copies them. A thousand texts of 512 tokens with a vocabulary of 50,000 are 100 GB; their argmax is " +
		"50,000 times smaller.",
	Fine: "A few short texts. predict_with_generate, which returns ids instead of logits.",
	Advice: "Pass preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(dim=-1) and remove the " +
		"argmax from compute_metrics. eval_accumulation_steps moves the collected results to the host every few steps.",
	Bad: "Trainer(model, args, compute_metrics=metrics)  # metrics: np.argmax(logits, axis=-1)",
	Good: "Trainer(model, args, compute_metrics=metrics,\n        preprocess_logits_for_metrics=lambda logits, " +
		"labels: logits.argmax(dim=-1))",
	Source: func(p *SourcePass) {
		for _, c := range p.Constructions("transformers.Trainer") {
			metrics := c.Arg("compute_metrics")
			if metrics.Func == nil || c.Arg("preprocess_logits_for_metrics").Given() || off(c.Arg("eval_dataset")) ||
				!p.predictsWords() {
				continue
			}
			argmax := takesArgmax(metrics.Func)
			if argmax == nil || p.NearSays("predict_with_generate", "eval_accumulation_steps", "prediction_loss_only") {
				continue
			}
			p.Report(c.Callee(), nearlyCertain*metrics.Confidence()).
				Because(p.In(metrics.Func.Module).At(argmax, "the metric needs only this"))
		}
	},
}

// takesArgmax returns the argmax over the last axis that a function computes of its parameter, or nil.
func takesArgmax(fn *project.Function) pysrc.Node {
	for _, s := range fn.Sites {
		if lastName(s.Node.Func) == "argmax" {
			return s.Node
		}
	}
	return nil
}

// predictsWords reports whether every model that this module loads gives logits over a vocabulary.
func (p *SourcePass) predictsWords() bool {
	words := false
	for _, c := range p.MethodCalls("from_pretrained", "from_config") {
		name := lastName(c.Receiver())
		switch {
		case strings.HasSuffix(name, "ForCausalLM"), strings.HasSuffix(name, "ForMaskedLM"), strings.HasSuffix(name, "LMHeadModel"),
			strings.HasSuffix(name, "ForSeq2SeqLM"), strings.HasSuffix(name, "ForConditionalGeneration"), strings.HasSuffix(name, "WithLMHead"):
			words = true
		case strings.Contains(name, "For"):
			return false
		}
	}
	return words
}
