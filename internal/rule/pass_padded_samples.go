package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// paddedSamples reports datasets that put each sample into an array of a fixed length along one axis, which the rest of the array fills
// up: canvas = np.full((height, self.width), 255); canvas[:, :width] = image.
func (p *SourcePass) paddedSamples(said map[*project.Function]bool, fixed func() bool) {
	for _, c := range p.CallsTo("torch.full", "torch.zeros", "torch.ones", "numpy.full", "numpy.zeros", "numpy.ones") {
		side := p.sideFilled(c)
		if side == nil || said[c.Func] {
			continue
		}
		limit := p.Eval(side)
		if n, known := limit.Int(); known && n < 128 || !known && project.FieldOfSelf(side) == "" {
			continue
		}
		if fixed() {
			return
		}
		path, ok := p.EverySample(c)
		if !ok || path.Kind != project.DataSet || p.EvaluationOnly(c) {
			continue
		}
		said[c.Func] = true
		p.Report(c, probable*path.Sure).Because(path, limit).Saying("each sample is padded to a fixed length: %s", p.Short(side)).
			Advising("Return the samples as long as they are, and pad each batch to its longest in collate_fn.")
	}
}

// sideFilled is the length of an array along the one axis of which an assignment of its function fills the first part, as long as
// something else says; nil where there is none.
func (p *SourcePass) sideFilled(c Call) (side pysrc.Expr) {
	name := p.variableOf(c)
	if name == "" || c.Func.Def == nil || p.LoopAround(c) != nil {
		return nil
	}
	sides := []pysrc.Expr{firstArg(c.Node)}
	if shape := elementsOf(firstArg(c.Node)); len(shape) > 0 {
		sides = shape
	}
	pysrc.Inspect(c.Func.Def, func(n pysrc.Node) bool {
		part, ok := n.(*pysrc.Subscript)
		if !ok || part.Ctx != pysrc.Store || !isNamed(part.Value, name) || p.LoopAround(part) != nil {
			return side == nil
		}
		cut := []pysrc.Expr{part.Slice}
		if axes := elementsOf(part.Slice); len(axes) > 0 {
			cut = axes
		}
		if len(cut) > len(sides) {
			return true
		}
		for i, axis := range cut {
			s, ok := axis.(*pysrc.Slice)
			switch {
			case !ok || s.Lower != nil || s.Step != nil:
				side = nil
				return false
			case s.Upper == nil:
			case side != nil || isNumber(s.Upper) || p.Text(s.Upper) == p.Text(sides[i]):
				side = nil // an image in a square one, or a part of a fixed length
				return false
			default:
				side = sides[i]
			}
		}
		return side == nil
	})
	return side
}

// mappedSample is how a function of map is run for each sample that is trained on, before training.
func (p *SourcePass) mappedSample(n Node) (project.Path, bool) {
	path, ok := p.PerSample(n)
	return path, ok && path.Kind == project.Mapped && !p.EvaluationOnly(n) && !p.servesEvaluation(path)
}
