package rule

import (
	"saturate/internal/pysrc"
)

// maskPerSample finds causal masks that are made and copied for every sample.
var maskPerSample = Rule{
	Code: "SAT130", Name: "mask-per-sample", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, TransferArea},
	Title: "a causal mask is made for every sample",
	What:  "A dataset or its collate function makes a triangular L×L mask, torch.tril or torch.triu of ones.",
	Why: "The mask adds L×L values to each sample, more than the sample itself: they are filled, stacked, passed from " +
		"worker to trainer and copied to the GPU. For a given length, the mask is always the same.",
	Fine:   "Short sequences.",
	Advice: "Make the mask once on the GPU, or pass is_causal=True to scaled_dot_product_attention; give samples only their padding mask, of length L.",
	Bad:    "def __getitem__(self, i):\n    mask = torch.tril(torch.ones(n, n))",
	Good:   "# in the model\nF.scaled_dot_product_attention(q, k, v, is_causal=True)",
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("torch.tril", "torch.triu", "numpy.tril", "numpy.triu") {
			ones, ok := p.onceSaid(firstArg(c.Node)).(*pysrc.Call)
			if !ok || lastName(ones.Func) != "ones" && lastName(ones.Func) != "full" {
				continue
			}
			if way, ok := p.EverySample(c); ok {
				p.Report(c, likely*way.Sure).Because(way)
			}
		}
	},
}
