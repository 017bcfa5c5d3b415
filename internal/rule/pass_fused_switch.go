package rule

import (
	"strings"

	"saturate/internal/pysrc"
)

// fusedLeftOut reports the switches of libraries that make attention run without a fused kernel in training.
func (p *SourcePass) fusedLeftOut() {
	if !p.trained() && p.trainingPlace() == nil {
		return
	}
	report := func(at Call, sure float64, because ...any) {
		if !p.EvaluationOnly(at) && p.Rare(at) == nil && p.leadsToTraining(p.Function(at)) && !p.NearSays("output_attentions=True", "gemma") {
			p.Report(at.Callee(), sure*p.GPU()).Because(because...)
		}
	}
	for _, c := range p.MethodCalls("set_attn_processor") {
		if first := firstArg(c.Node); first != nil && isPlainProcessor(p.Eval(first).Name) {
			report(c, likely)
		}
	}
	for _, c := range p.MethodCalls("set_default_attn_processor", "enable_attention_slicing", "set_attention_slice") {
		if p.nearImports("diffusers") {
			report(c, probable)
		}
	}
	for _, c := range p.MethodCalls("set_attn_implementation", "set_attention_implementation") {
		if v := c.ArgAt(0); v.Equals("eager") {
			report(c, v.Confidence(), v)
		}
	}
	for _, a := range p.Module.Assignments {
		if target, ok := a.Target.(*pysrc.Attribute); ok && (target.Attr == "_attn_implementation" || target.Attr == "attn_implementation") {
			if v := p.Eval(a.Value); v.Equals("eager") && !p.aidIsFine(target) && !p.NearSays("output_attentions=True", "gemma") {
				p.Report(target, v.Confidence()*p.GPU()).Because(v)
			}
		}
	}
	p.torchKernelsOff(report)
	p.attentionsAsked()
	for _, c := range p.CallsTo("timm.layers.set_fused_attn", "timm.layers.config.set_fused_attn") {
		if v := c.ArgAt(0); v.IsFalse() {
			report(c, v.Confidence(), v)
		}
	}
	for _, e := range p.environment("TIMM_FUSED_ATTN") {
		if e.value.Equals("0") && !p.aidIsFine(e.at) {
			p.Report(e.at, likely*e.value.Confidence()*p.GPU()).Because(e.because())
		}
	}
}

// torchKernelsOff reports torch's switches that leave the plain kernel alone.
func (p *SourcePass) torchKernelsOff(report func(Call, float64, ...any)) {
	flash := p.CallsTo("torch.backends.cuda.enable_flash_sdp")
	for _, c := range p.CallsTo("torch.backends.cuda.enable_mem_efficient_sdp") {
		v := c.ArgAt(0)
		for _, other := range flash {
			if w := other.ArgAt(0); v.IsFalse() && w.IsFalse() {
				report(other, v.Confidence()*w.Confidence(), c)
				break
			}
		}
	}
	for _, c := range p.CallsTo("torch.nn.attention.sdpa_kernel") {
		if first := firstArg(c.Node); first != nil && lastName(onlyElement(first)) == "MATH" {
			if _, each := p.EachStep(c); each {
				report(c, likely)
			}
		}
	}
}

// onlyElement is the element of a list of one, or the expression itself.
func onlyElement(e pysrc.Expr) pysrc.Expr {
	if list, ok := e.(*pysrc.List); ok && len(list.Elts) == 1 {
		return list.Elts[0]
	}
	return e
}

// isPlainProcessor reports a processor of diffusers that writes the attention out.
func isPlainProcessor(name string) bool {
	switch last := name[strings.LastIndexByte(name, '.')+1:]; last {
	case "AttnProcessor", "SlicedAttnProcessor", "CrossAttnProcessor", "AttnAddedKVProcessor":
		return strings.HasPrefix(name, "diffusers.")
	}
	return false
}
