package rule

// oneHotProduct finds one-hot tensors that a step multiplies by others.
var oneHotProduct = Rule{
	Code: "SAT428", Name: "one-hot-product", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "a one-hot tensor is multiplied where an index does",
	What: "F.one_hot(indices, n), or zeros with ones scattered into them, in every training step, as a factor of a matrix product or of " +
		"another tensor: codes of a quantizer, smoothed labels, margins.",
	Why: "The tensor has n numbers for each index, nearly all of them zeros. They are written, read back and multiplied. An index " +
		"reads the one that counts.",
	Fine: "A few classes.",
	Advice: "Select rows by F.embedding(indices, table) or gather, and add rows by index_add_ or torch.bincount. For smoothed labels pass " +
		"label_smoothing to F.cross_entropy.",
	Bad:  "codes = F.one_hot(indices, n).float() @ table",
	Good: "codes = F.embedding(indices, table)",
	Source: func(p *SourcePass) {
		if !p.Module.InStep() || !p.runsOnGPU() || p.jaxOnly() {
			return
		}
		for _, made := range p.oneHots() {
			way, ok := p.EachStep(made.call)
			if !ok || p.namedChoice(made.call) {
				continue
			}
			matrix, factor := p.multipliedHot(made)
			use := matrix
			if use == nil {
				use = factor
			}
			if use == nil {
				continue
			}
			r := p.Report(made.call, likely*way.Sure).Because(way, p.At(use, "it is multiplied here"))
			if matrix == nil {
				r.Small("it is multiplied element by element")
			}
		}
	},
}
