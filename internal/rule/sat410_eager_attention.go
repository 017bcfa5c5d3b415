package rule

import (
	"strings"

	"saturate/internal/project"
)

// eagerAttention finds models that are told not to use fused attention.
var eagerAttention = Rule{
	Code: "SAT410", Name: "eager-attention", Severity: Warning, Subject: AboutAttention,
	Areas: []Area{ComputeArea},
	Title: "attention runs without a fused kernel",
	What: "attn_implementation=\"eager\" for a model that is loaded or configured for training, in code or " +
		"settings, where the attention weights are not used. Other switches that leave the fused kernels out: AttnProcessor and " +
		"attention slicing of diffusers, output_attentions=True where nothing reads the weights, enable_flash_sdp(False) with enable_mem_efficient_sdp(False), sdpa_kernel(SDPBackend.MATH), " +
		"set_fused_attn(False) of timm.",
	Why: "Eager attention writes the L×L weights to memory and reads them back. sdpa and flash attention " +
		"compute them in tiles that stay on the chip.",
	Fine: "output_attentions=True. Architectures without the other kernels or with soft-capping (Gemma 2). " +
		"Comparing results.",
	Gain:   Range{1.0, 1.4, "from 9.74 to 7.04 s in diffusers (A100, inference)"},
	Bad:    `AutoModel.from_pretrained(name, attn_implementation="eager")`,
	Good:   `AutoModel.from_pretrained(name, attn_implementation="sdpa")`,
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.GPU() == 0 || !p.Project.Trains() && len(p.TrainingArguments()) == 0 {
			return
		}
		for _, s := range p.Module.Sites {
			if s.Node.Keyword("attn_implementation") == nil {
				continue
			}
			call := Call{s, p}
			if v := call.Arg("attn_implementation"); v.Equals("eager") && !p.EvaluationOnly(call) && p.Rare(call) == nil &&
				!p.NearSays("output_attentions=True", "output_attentions = True", "gemma") {
				p.Report(call.Callee(), v.Confidence()*p.GPU()).Because(v).
					Fix(Unsafe, "use scaled_dot_product_attention", v.SetTo(`"sdpa"`))
			}
		}
		p.fusedLeftOut()
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() || p.Framework() == "" || strings.Contains(strings.ToLower(string(p.File.Text)), "gemma") {
			return
		}
		for _, s := range p.Find(".attn_implementation") {
			if s.Value().Equals("eager") {
				p.Report(s, project.Likely).Fix(Unsafe, "use scaled_dot_product_attention", p.Set(s, `"sdpa"`))
			}
		}
	},
}
