package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// paddedOnce reports datasets that fill up all of their samples to the longest of them when they are made: each batch of
// short samples is then as wide as the longest of the whole data.
func (p *SourcePass) paddedOnce(said map[*project.Function]bool, fixed func() bool) {
	for _, loader := range p.TrainingLoaders() {
		data := loader.Arg("dataset")
		if p.padsSequences(loader.Arg("collate_fn")) {
			continue
		}
		for _, v := range append([]Value{data}, data.Either...) {
			if v.Kind != project.Instance || v.Class == nil {
				continue
			}
			init := v.Class.Method("__init__")
			if init == nil || init.Def == nil || said[init] {
				continue
			}
			at, in := p.In(init.Module).fillsAll(init, 0)
			if at == nil || fixed() {
				continue
			}
			said[init] = true
			p.Report(loader.Callee(), probable*max(p.FeedsGPU(loader), plausible)).Because(in.At(at, "all samples are padded to the longest of them")).
				Saying("every batch is as wide as the longest sample of the whole data").
				Advising("Keep the samples as long as they are, and pad each batch to its longest in collate_fn, with torch.nn.utils.rnn.pad_sequence.")
		}
	}
}

// fillsAll is where a function, or one that it calls, fills up each of many samples to the longest: pad_sequence, a tokenizer with
// padding=True, x + [0] * (longest - len(x)), rows of a block as wide as the longest.
func (p *SourcePass) fillsAll(fn *project.Function, depth int) (pysrc.Node, *SourcePass) {
	for _, s := range fn.Sites {
		switch {
		case s.Calls.Name == "torch.nn.utils.rnn.pad_sequence" && p.LoopAround(s) == nil, p.padsToLongest(s) && p.LoopAround(s) == nil && p.tokenisesList(s):
			return s.Node, p
		case creators[project.LastOf(s.Calls.Name)] && p.asWideAsLongest(Call{s, p}):
			return s.Node, p
		}
	}
	var found pysrc.Node
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if fill, ok := n.(*pysrc.BinOp); ok && fill.Op == pysrc.Mult && found == nil && p.InLoop(fill) && p.fillsToLength(fill) {
			found = fill
		}
		return found == nil
	})
	if found != nil {
		return found, p
	}
	for _, s := range fn.Sites {
		if f := s.Calls.Func; f != nil && f != fn && f.Def != nil && depth < 2 && s.Calls.Kind == project.Callable && p.LoopAround(s) == nil {
			if at, in := p.In(f.Module).fillsAll(f, depth+1); at != nil {
				return at, in
			}
		}
	}
	return nil, nil
}

// tokenisesList reports a call of a tokenizer that is given more than one text.
func (p *SourcePass) tokenisesList(s *project.Site) bool {
	return slices.ContainsFunc(p.Tokenisations(), func(t tokenisation) bool { return t.Site == s })
}

// asWideAsLongest reports np.zeros((len(rows), longest)) that a loop fills row by row.
func (p *SourcePass) asWideAsLongest(c Call) bool {
	rows, width := blockSides(c.Node)
	return rows != nil && p.isLenOf(rows) && p.isLongest(width) && p.filledByRow(c)
}
