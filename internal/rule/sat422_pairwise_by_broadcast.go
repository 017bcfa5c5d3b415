package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// pairwiseByBroadcast finds similarities of all pairs that are computed from tensors as large as all pairs of vectors.
var pairwiseByBroadcast = Rule{
	Code: "SAT422", Name: "pairwise-by-broadcast", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "the similarity of all pairs is computed by broadcasting",
	What: "cosine_similarity(a.unsqueeze(1), b.unsqueeze(0)), or the product or squared difference of the two, summed for each " +
		"pair, in every training step.",
	Why: "Broadcasting N and M vectors of D numbers makes tensors of N×M×D, which are written, read back and kept for the " +
		"backward pass. A matrix product gives the N×M results on tensor cores.",
	Fine: "A few dozen vectors.",
	Advice: "Normalize both and multiply: F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T. For distances use torch.cdist. " +
		"The last digits differ.",
	Bad:  "F.cosine_similarity(a.unsqueeze(1), b.unsqueeze(0), dim=-1)",
	Good: "F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() {
			return
		}
		said := map[*project.Function]bool{} // a loss computes its similarities in one way
		p.summedPairs(said)
		for _, s := range p.Module.Sites {
			if said[s.Func] || !p.mayStep(s) || !p.spreadsPairs(s) {
				continue
			}
			cosine := p.cosineOf(s)
			if cosine == nil {
				continue
			}
			if way, ok := p.EachStep(s); ok {
				said[s.Func] = true
				r := p.Report(s.Node, likely*way.Sure).Because(way)
				if cosine != s {
					r.Because(p.In(cosine.Module()).At(cosine.Node, "the similarity"))
				}
			}
		}
	},
}

// spreadsPairs reports a call that is given two tensors with a new axis each, at different places.
func (p *SourcePass) spreadsPairs(s *project.Site) bool {
	if len(s.Node.Args) < 2 {
		return false
	}
	first, ok := p.newAxis(s.Node.Args[0])
	second, also := p.newAxis(s.Node.Args[1])
	return ok && also && first != second
}

// newAxis is the place of the axis that x.unsqueeze(1), x[:, None] or a variable set so adds.
func (p *SourcePass) newAxis(e pysrc.Expr) (int64, bool) {
	switch x := p.onceSaid(e).(type) {
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && a.Attr == "unsqueeze" && len(x.Args)+len(x.Keywords) == 1 {
			return pysrc.IntValue(argumentsOf(x)[0])
		}
	case *pysrc.Subscript:
		parts := []pysrc.Expr{x.Slice}
		if tuple, ok := x.Slice.(*pysrc.Tuple); ok {
			parts = tuple.Elts
		}
		at := slices.IndexFunc(parts, func(e pysrc.Expr) bool { return p.Eval(e).IsNone() })
		for i, part := range parts {
			if _, all := part.(*pysrc.Slice); !all && i != at {
				return 0, false // an element, or two new axes
			}
		}
		return int64(at), at >= 0
	}
	return 0, false
}

// cosineOf is the call that computes the cosine which a call leads to: itself, or one in a function of the project that
// hands its parameters on.
func (p *SourcePass) cosineOf(s *project.Site) *project.Site {
	if isCosine(s) {
		return s
	}
	for _, v := range append(s.Possible(), p.setField(s)...) {
		fn := v.Func
		if v.Kind == project.Instance && v.Class != nil {
			fn = v.Class.Method("forward")
		}
		if fn == nil || fn.Params() == nil {
			continue
		}
		for _, inner := range fn.Sites {
			if isCosine(inner) && len(inner.Node.Args) >= 2 && isParameter(fn, inner.Node.Args[0]) && isParameter(fn, inner.Node.Args[1]) {
				return inner
			}
		}
	}
	return nil
}

// setField is what this module sets a field to of which a call is made, where it is the only place that sets one so named:
// model.sim = Similarity() in a function that prepares a model which it was given.
func (p *SourcePass) setField(s *project.Site) []Value {
	a, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok {
		return nil
	}
	var set []*project.Assignment
	for _, other := range p.Module.Assignments {
		if t, ok := other.Target.(*pysrc.Attribute); ok && t.Attr == a.Attr && other.Value != nil {
			set = append(set, other)
		}
	}
	if len(set) != 1 {
		return nil
	}
	return []Value{p.Eval(set[0].Value)}
}

func isCosine(s *project.Site) bool {
	return slices.ContainsFunc(s.Possible(), func(v Value) bool {
		return v.Name == "torch.nn.functional.cosine_similarity" || v.Name == "torch.cosine_similarity" || v.IsInstance("torch.nn.CosineSimilarity")
	})
}
