package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// maskPerSample finds causal masks that are made and copied for every sample.
var maskPerSample = Rule{
	Code: "SAT130", Name: "mask-per-sample", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, TransferArea},
	Title: "a causal mask is made for every sample",
	What: "A dataset or its collate function makes a triangular L×L mask, torch.tril or torch.triu of ones, or an L×L mask of " +
		"two masks of length L, or a square of a mask for each sample of a batch.",
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
		p.maskProducts()
		p.maskSquares()
	},
}

// maskProducts reports products of two masks that the host makes for each sample or batch: einsum("bi,bj->bij", a, b).
func (p *SourcePass) maskProducts() {
	said := map[*project.Function]*Report{}
	for _, c := range p.CallsTo("numpy.einsum", "torch.einsum") {
		way, ok := p.EverySample(c)
		if !ok || !isOuterProduct(c.Node) {
			continue
		}
		if r := said[c.Func]; r != nil {
			r.Too(p.At(c, "and here"))
			continue
		}
		said[c.Func] = p.Report(c, likely*way.Sure).Because(way).
			Saying("the host makes an L×L mask of two masks of length L for every batch").
			Advising("Copy the masks of length L, and combine them on the GPU: a[:, :, None] & b[:, None, :].")
	}
}

// isOuterProduct reports an einsum of two operands whose result has more axes than either.
func isOuterProduct(c *pysrc.Call) bool {
	if len(c.Args) != 3 {
		return false
	}
	spec, _ := pysrc.StringValue(c.Args[0])
	operands, result, ok := strings.Cut(strings.ReplaceAll(spec, " ", ""), "->")
	first, second, two := strings.Cut(operands, ",")
	return ok && two && len(result) > max(len(first), len(second))
}

// maskSquares reports masks with a square for each sample of a batch that a collate function fills with numbers:
// torch.ones(n, t, t), and then mask[i, :, :length] = 0.
func (p *SourcePass) maskSquares() {
	for _, c := range p.CallsTo("torch.ones", "torch.zeros", "torch.full", "numpy.ones", "numpy.zeros", "numpy.full") {
		sides := c.Node.Args
		if shape := firstArg(c.Node); shape != nil && len(elementsOf(shape)) > 0 {
			sides = elementsOf(shape)
		}
		if len(sides) != 3 || p.Text(sides[1]) != p.Text(sides[2]) || isNumberOf(sides[1]) || !p.filledWithNumbers(c) {
			continue
		}
		if way, ok := p.EverySample(c); ok && way.Kind == project.Collate {
			p.Report(c, likely*way.Sure).Because(way).Saying("the host makes an L×L mask of lengths for every batch").
				Advising("Pass the lengths, and make the mask on the GPU: torch.arange(n, device=…)[None, None] < lengths[:, None, None].")
		}
	}
}

// filledWithNumbers reports an array that a loop of its function sets part by part, always to a number.
func (p *SourcePass) filledWithNumbers(c Call) bool {
	name := p.variableOf(c)
	if name == "" || c.Func.Def == nil {
		return false
	}
	found, other := false, false
	pysrc.Inspect(c.Func.Def, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 {
			return true
		}
		if part, ok := a.Targets[0].(*pysrc.Subscript); ok && isNamed(part.Value, name) {
			number := isNumberOf(a.Value) || pysrc.IsConst(a.Value, pysrc.True) || pysrc.IsConst(a.Value, pysrc.False)
			found, other = found || number && p.InLoop(part), other || !number
		}
		return true
	})
	return found && !other
}
