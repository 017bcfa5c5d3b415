package rule

import (
	"slices"

	"saturate/internal/project"
)

// manualAttention finds attention that is written out instead of fused.
var manualAttention = Rule{
	Code: "SAT409", Name: "manual-attention", Severity: Advice, Subject: AboutAttention,
	Areas: []Area{ComputeArea},
	Title: "handwritten attention stores every weight in memory",
	What: "A forward method, or a function that one calls, that multiplies softmax(q @ k.transpose()) by the values, directly or as an einsum, and " +
		"uses the attention weights for nothing else, or returns them to callers that do not read them. Also in models of JAX, and the " +
		"attention of Flax, which is written so, where it has neither a function of its own nor dropout.",
	Why: "The L×L weights are written to memory and read back several times. scaled_dot_product_attention " +
		"computes them in tiles that stay on the chip.",
	Fine:   "The weights are returned or shown. A bias that attn_mask cannot express.",
	Advice: "Use torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal).",
	Gain:   Range{1.0, 1.4, "from 9.74 to 7.04 s in diffusers (A100, inference)"},
	Bad:    "weights = torch.softmax(q @ k.transpose(-2, -1) / d**0.5, dim=-1)\nout = weights @ v",
	Good:   "out = F.scaled_dot_product_attention(q, k, v)",
	Safety: Unsafe,
	Since: []Since{
		{Library: "torch", Version: "2.0", Lacks: "has no fused attention", Then: "use torch.nn.functional.scaled_dot_product_attention"},
		{Library: "jax", Version: "0.4.31"},
		{Library: "flax", Version: "0.8"},
	},
	Source: func(p *SourcePass) {
		if p.jaxOnly() {
			p.jaxAttention()
			p.flaxAttention()
			return
		}
		if p.GPU() == 0 {
			return
		}
		calls := append(p.CallsTo("torch.softmax", "torch.nn.functional.softmax"), p.MethodCalls("softmax")...)
		for _, s := range p.Module.Sites {
			if s.Calls.Kind == project.Instance && s.Calls.IsInstance("torch.nn.Softmax") { // self.softmax(scores)
				calls = append(calls, Call{s, p})
			}
		}
		said := map[*project.Function]bool{}
		for _, c := range inOrder(calls) {
			fn := p.Function(c)
			if fn.Def == nil || said[fn] || p.EvaluationOnly(c) || p.callsFused(fn) || !p.servesModules(fn, 2) ||
				p.calledPerFrame(fn) { // with one query: its weights are a row
				continue
			}
			scores := firstArg(c.Node)
			if c.Method() == "softmax" && !p.Eval(c.Node.Func).IsInstance("torch.nn.Softmax") && p.NameOf(c.Receiver()) != "torch" &&
				p.NameOf(c.Receiver()) != "torch.nn.functional" {
				scores = c.Receiver()
			}
			if scores == nil || !p.productOf(scores, fn, 0) || !p.trained() {
				continue
			}
			if product := p.productAround(c); product != nil {
				said[fn] = true
				p.Report(c, likely*p.GPU()).Because(p.At(p.scoresOf(c, fn), "the scores are computed"), p.At(product, "the weights are multiplied by the values"))
				continue
			}
			weights := p.attentionWeights(c)
			if weights == "" {
				continue
			}
			names, product := p.weightedSum(weights, c.Node, fn)
			if product == nil {
				continue
			}
			if slices.ContainsFunc(names, func(name string) bool { return p.kept(name, fn) }) {
				if p.onlyShown(names, fn) {
					said[fn] = true
					p.Report(c, probable*p.GPU()).Because(p.At(p.scoresOf(c, fn), "the scores are computed"), p.At(product, "the weights are multiplied by the values")).
						Advising("Use torch.nn.functional.scaled_dot_product_attention in training, and compute the weights only where they are shown.")
				}
				continue
			}
			said[fn] = true
			r := p.Report(c, likely*p.GPU()).Because(p.At(p.scoresOf(c, fn), "the scores are computed"), p.At(product, "the weights are multiplied by the values"))
			if made := p.threeProjections(fn); made != nil {
				r.Because(p.At(made, "queries, keys and values are three products of one input: a single Linear of three times "+
					"the width computes them in one"))
			}
			p.fuseAttention(r, c)
		}
	},
}

// jaxAttention finds attention of JAX models that is written out.
func (p *SourcePass) jaxAttention() {
	if !p.usesJAX() || !p.trained() {
		return
	}
	said := map[*project.Function]bool{}
	for _, c := range p.CallsTo("jax.nn.softmax", "flax.linen.softmax") {
		fn, scores, weights := p.Function(c), firstArg(c.Node), p.attentionWeights(c)
		if fn.Def == nil || said[fn] || p.EvaluationOnly(c) || p.callsFused(fn) || scores == nil || weights == "" || !p.productOf(scores, fn, 0) {
			continue
		}
		names, product := p.weightedSum(weights, c.Node, fn)
		if product == nil || slices.ContainsFunc(names, func(name string) bool { return p.kept(name, fn) }) {
			continue
		}
		said[fn] = true
		p.Report(c, likely).Because(p.At(p.scoresOf(c, fn), "the scores are computed"), p.At(product, "the weights are multiplied by the values")).
			Advising("Use jax.nn.dot_product_attention(q, k, v, mask=…, implementation=\"cudnn\"): it computes the weights in tiles that stay on the chip.")
	}
}
