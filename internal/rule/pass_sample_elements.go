package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// workedElements reports loops of datasets, transforms and collate functions that work on the elements of each sample one by one: that
// search a whole array for each, or copy or compute something for each.
func (p *SourcePass) workedElements() {
	said := map[*project.Function]*Report{} // one finding for all loops of a function
	var last pysrc.Span
	for _, n := range p.roundsIn() {
		t, ok := turnsOf(n)
		fn := p.Function(n)
		if !ok || fn.Def == nil || n.Bounds().Start < last.End || overConstant(t.iter[0]) || p.knownFew(t.iter[0]) || p.pointedAt(n.Bounds()) {
			continue
		}
		if _, ok := p.PerSample(t.at); !ok {
			continue
		}
		t.vary()
		work := p.workOnElement(&t)
		if work == nil {
			continue
		}
		path, ok := p.EverySample(t.at)
		if !ok || path.Kind == project.Mapped || p.Rare(t.at) != nil || p.oncePerBatch(path, t.at) {
			continue
		}
		last = n.Bounds()
		if first := said[fn]; first != nil {
			first.Too(p.At(t.at, "and here"))
			continue
		}
		said[fn] = p.Report(t.at, likely*path.Sure).Because(path, p.At(work, "for each element")).
			Saying("Python works on %s one element at a time for every sample", p.Short(t.iter[0])).
			Advising("Compute on all elements at once: index with an array, np.searchsorted or a dict that is made once, arithmetic of NumPy.")
	}
}

// oncePerBatch reports a loop over the samples of a batch in a collate function: it turns once for each of them.
func (p *SourcePass) oncePerBatch(path project.Path, n Node) bool {
	if path.Kind != project.Collate {
		return false
	}
	return p.LoopAround(n) == nil && !slices.ContainsFunc(path.Calls, func(s *project.Site) bool { return s.Module().LoopAround(s) != nil })
}

// workOnElement is what a loop does for each element that takes as long as many elements do at once.
func (p *SourcePass) workOnElement(t *turns) (work pysrc.Node) {
	work = firstIn(t.body, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Call:
			return p.searchesFor(x, t.varying) || lastName(x.Func) == "deepcopy" && isRange(t.iter[0]) && p.NameOf(x.Func) == "copy.deepcopy"
		case *pysrc.Assign:
			part, ok := x.Targets[0].(*pysrc.Subscript)
			return ok && p.storesNumber(part, t)
		}
		return false
	})
	if stored, ok := work.(*pysrc.Assign); ok {
		return stored.Targets[0]
	}
	return work
}

// storesNumber reports x[i] = … of one element of a tensor that the function has made, by what differs from turn to turn.
func (p *SourcePass) storesNumber(part *pysrc.Subscript, t *turns) bool {
	index, ok := part.Slice.(*pysrc.Name)
	made, called := p.onceSaid(part.Value).(*pysrc.Call)
	if !ok || !called || !t.varying[index.ID] || len(made.Args)+len(made.Keywords) == 0 {
		return false
	}
	switch p.NameOf(made.Func) {
	case "torch.zeros", "torch.ones", "torch.empty", "torch.full":
		return len(made.Args) < 2 && !isTupleOfMany(made)
	}
	return false
}

// isTupleOfMany reports a call that makes an array of several axes: torch.zeros((n, m)), torch.zeros(size=(n, m)).
func isTupleOfMany(made *pysrc.Call) bool {
	shape := firstArg(made)
	if k := made.Keyword("size"); k != nil {
		shape = k.Value
	}
	return len(elementsOf(shape)) > 1
}

// searchesFor reports np.where(x == item) of an array that is the same in all turns.
func (p *SourcePass) searchesFor(c *pysrc.Call, varying map[string]bool) bool {
	switch p.NameOf(c.Func) {
	case "numpy.where", "numpy.argwhere", "numpy.flatnonzero", "numpy.nonzero", "torch.where", "torch.nonzero":
	default:
		return false
	}
	if len(c.Args) != 1 {
		return false
	}
	is, ok := c.Args[0].(*pysrc.Compare)
	return ok && len(is.Ops) == 1 && is.Ops[0] == pysrc.Eq && mentionsAny(is.Left, varying) != mentionsAny(is.Comparators[0], varying)
}
