package rule

// fullSort finds sorts of whole tensors of which a step uses the first few elements, or that only invert the order of another sort.
var fullSort = Rule{
	Code: "SAT427", Name: "full-sort", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "a whole tensor is sorted for its first elements",
	What: "torch.sort or argsort in every training step, where only result[..., :k] is used, as for the nearest points of a cloud. Also a " +
		"sort of the indices that another sort gave: indices.sort()[1], which inverts the order.",
	Why: "A sort writes all values and their indices several times. topk reads the values and keeps k of them. A permutation is " +
		"inverted by one scatter.",
	Fine:   "Short rows. k close to the length of a row.",
	Advice: "Use torch.topk(x, k, dim=-1, largest=False) for the k smallest, in order. Equal elements may come in another order.",
	Bad:    "distances, indices = distances.sort(dim=-1)\ndistances, indices = distances[:, :, :3], indices[:, :, :3]",
	Good:   "distances, indices = distances.topk(3, dim=-1, largest=False)",
	Source: func(p *SourcePass) {
		if !p.Module.InStep() || !p.runsOnGPU() || p.jaxOnly() {
			return
		}
		for _, c := range p.MethodCalls("sort", "argsort") {
			if !p.mayStep(c) {
				continue
			}
			of := p.sortedTensor(c)
			if of == nil || p.OnDevice(of) < probable {
				continue
			}
			way, ok := p.EachStep(c)
			if !ok {
				continue
			}
			if order := p.orderOf(of); order != nil {
				r := p.Report(c, likely*way.Sure).Because(way, p.At(order, "this sort gave the indices")).
					Saying("indices of a sort are sorted to invert them").
					Advising("Invert them by a scatter: rank = torch.empty_like(indices).scatter_(dim, indices, torch.arange(n, device=indices.device).expand_as(indices)).")
				if dim := axisOfSort(c); dim == nil || isInt(dim, 0) {
					r.Small("one row is sorted quickly")
				}
				continue
			}
			if count, first := p.usesFirst(c); first != nil {
				r := p.Report(c, likely*way.Sure).Because(way, p.At(first, "the first elements are used"))
				if k, known := p.Eval(count).Int(); !known {
					r.Small("how many elements are used is not known")
				} else if k > fewSorted {
					r.Small("many elements are used")
				}
			}
		}
	},
}

// fewSorted is up to how many elements topk is much quicker than a sort.
const fewSorted = 128
