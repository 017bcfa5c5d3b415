package rule

import "slices"

// flaxAttention reports the attention layers and functions of Flax, which store all weights unless they are given another function.
// The fused one has no dropout of the weights.
func (p *SourcePass) flaxAttention() {
	if !p.usesJAX() || !p.trained() {
		return
	}
	layers := p.Constructions("flax.linen.MultiHeadDotProductAttention", "flax.linen.MultiHeadAttention", "flax.linen.SelfAttention", "flax.nnx.MultiHeadAttention")
	calls := append(layers, p.CallsTo("flax.linen.dot_product_attention", "flax.linen.attention.dot_product_attention",
		"flax.linen.dot_product_attention_weights", "flax.linen.attention.dot_product_attention_weights", "flax.nnx.dot_product_attention")...)
	for _, c := range inOrder(calls) {
		if p.EvaluationOnly(c) || p.dropsWeights(c) || c.Node.Keyword("attention_fn") != nil || c.Node.Keyword("decode") != nil || c.Node.Keyword("sow_weights") != nil {
			continue
		}
		p.Report(c.Callee(), likely).
			Saying("%s stores every attention weight in memory", p.Short(c.Callee())).
			Advising("Use jax.nn.dot_product_attention(q, k, v, mask=…, implementation=\"cudnn\") in half precision, directly or by attention_fn=: it " +
				"computes the weights in tiles that stay on the chip.")
	}
}

// dropsWeights reports attention with dropout, or with one that is not known.
func (p *SourcePass) dropsWeights(c Call) bool {
	return slices.ContainsFunc([]string{"dropout_rate", "dropout_rng"}, func(name string) bool {
		k := c.Node.Keyword(name)
		if k == nil {
			return false
		}
		v := p.Eval(k.Value)
		rate, known := v.Float()
		return !v.IsNone() && (!known || rate > 0)
	})
}
