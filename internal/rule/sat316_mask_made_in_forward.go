package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// maskMadeInForward finds decoders of transformers that look at the GPU to make their causal mask.
var maskMadeInForward = Rule{
	Code: "SAT316", Name: "mask-made-in-forward", Severity: Advice, Subject: AboutWaits,
	Areas: []Area{HostArea}, NeedsGPU: true, Passes: decoderMask,
	Title: "the model checks for packed sequences in every step and waits for the GPU",
	What: "A Whisper model in transformers 4.53 or later with use_cache=False, called with labels but without " +
		"decoder_attention_mask, and not compiled.",
	Why: "Without a cache and a mask, create_causal_mask compares the position ids with (… == 0).all() to find " +
		"packed sequences, and Python waits for the result.",
	Fine:   "A loop that waits elsewhere in each step, such as for loss.item(): that wait hides this one.",
	Advice: "Pass a ready 4-D mask, created once: torch.ones(n, n, dtype=torch.bool, device=device).tril()[None, None].",
	Bad:    "loss = model(input_features=features, labels=labels).loss",
	Good:   "loss = model(input_features=features, labels=labels, decoder_attention_mask=causal).loss",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		decoders := p.unmaskedDecoders()
		if len(decoders) == 0 || p.Uses("torch.cuda.CUDAGraph", "torch.cuda.graph") || p.fixesShapes() {
			return
		}
		for _, call := range decoders {
			if path, ok := p.EachStep(call); ok {
				r := p.Report(call.Callee(), path.Sure*project.Likely).Because(path)
				if mask := p.causalMask(call, ""); len(mask) > 0 {
					r.Fix(Unsafe, "pass the causal mask to the decoder", mask...)
				}
			}
		}
	},
}

// unmaskedDecoders are the calls of models that make the causal mask of their decoder themselves, and wait for it.
func (p *SourcePass) unmaskedDecoders() (list []Call) {
	if p.AtLeast("transformers", "4.53") != project.Yes {
		return nil
	}
	for _, s := range p.Module.Sites {
		call := Call{s, p}
		if s.Calls.IsInstance("transformers.WhisperForConditionalGeneration") && p.labelsOf(call) != "" &&
			call.Node.Keyword("decoder_attention_mask") == nil && p.withoutCache(*s.Calls) {
			list = append(list, call)
		}
	}
	return list
}

// labelsOf is the expression that a call takes its labels from; a batch that is given whole has them by name.
func (p *SourcePass) labelsOf(call Call) string {
	if k := call.Node.Keyword("labels"); k != nil {
		return p.Text(k.Value)
	}
	for _, k := range call.Node.Keywords {
		if k.Name == "" && onlyReads(k.Value) && p.trainsOn(call) {
			return p.Text(k.Value) + `["labels"]`
		}
	}
	return ""
}

// trainsOn reports a call of which the loss is taken: model(**batch).loss, outputs = model(**batch).
func (p *SourcePass) trainsOn(call Call) bool {
	return slices.ContainsFunc(p.ForwardPasses(), func(f forwardPass) bool { return f.model == pysrc.Expr(call.Node) && len(f.stmts) > 0 })
}

// onlyReads reports a name, or a part of one by a constant, which may be written twice.
func onlyReads(e pysrc.Expr) bool {
	if s, ok := e.(*pysrc.Subscript); ok {
		_, constant := s.Slice.(*pysrc.Constant)
		return constant && onlyReads(s.Value)
	}
	return isName(e)
}

// decoderMask is the argument that causalMask passes.
const decoderMask = "decoder_attention_mask"

// causalMask gives the edits that hand a mask over which is as wide as the labels: as a variable of its own, if it has a name.
func (p *SourcePass) causalMask(call Call, name string) []patch.Edit {
	labels := p.labelsOf(call)
	if k := call.Node.Keyword("labels"); k != nil && !onlyReads(k.Value) {
		return nil
	}
	torch, imports := p.Import("torch.ones")
	torch = strings.TrimSuffix(torch, ".ones")
	width := labels + ".shape[1]"
	mask := torch + ".ones(" + width + ", " + width + ", dtype=" + torch + ".bool, device=" + labels + ".device).tril()[None, None]"
	last := call.Node.Keywords[len(call.Node.Keywords)-1]
	if line := p.LineBefore(call.Node, name+" = "+mask); name != "" && line.Text != "" {
		imports, mask = append(imports, line), name
	}
	return append(imports, p.InsertAfter(last, ", "+decoderMask+"="+mask))
}

// withoutCache reports a model whose configuration has use_cache=False.
func (p *SourcePass) withoutCache(model Value) bool {
	if len(p.AssignsTo("transformers.WhisperForConditionalGeneration.config.use_cache")) > 0 {
		return true
	}
	if model.Made == nil || len(model.Made.Node.Args) == 0 {
		return false
	}
	config := p.eval.ArgumentAt(model.Made, 0)
	return config.Made != nil && p.eval.Argument(config.Made, "use_cache").IsFalse()
}
