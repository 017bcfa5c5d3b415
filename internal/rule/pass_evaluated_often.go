package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostOften is up to how many steps between two evaluations of a whole set may take longer than the steps.
const mostOften = 500

// runsManyTimes reports a function that runs a model without gradients again and again: for each batch, scan or step of a sampler. It may
// hand the model to a function that does: sliding_window(model, volume).
func (p *SourcePass) runsManyTimes(fn *project.Function) bool {
	if fn.Def == nil {
		return false
	}
	q, without := p.In(fn.Module), decoratedWithoutGradients(fn)
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		if !q.InLoop(s) {
			return false
		}
		if (without || q.withoutGradients(s.Node)) && q.isModelCall(s.Node) {
			return true
		}
		runs := s.Calls.Func
		return runs != nil && runs != fn && runs.Def != nil && s.Calls.Kind == project.Callable && decoratedWithoutGradients(runs) &&
			slices.ContainsFunc(runs.Sites, func(inner *project.Site) bool {
				model, ok := inner.Node.Func.(*pysrc.Name)
				return ok && runs.HasParameter(model.ID) && q.switchedIn(fn, pysrc.DottedName(s.Given(runs, model.ID)))
			})
	})
}

// switchedIn reports a model that a function switches to evaluation.
func (p *SourcePass) switchedIn(fn *project.Function, model string) bool {
	return model != "" && slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return pysrc.DottedName(s.Node.Func) == model+".eval" })
}

// sayOften reports an evaluation that comes often for one of a large set.
func (p *SourcePass) sayOften(place Node, at pysrc.Node, loop *project.Loop, sure float64, what string) bool {
	n, known := p.stepsBetween(at)
	if !known || n > mostOften || p.fewTurns(loop, n) {
		return false
	}
	r := p.Report(place, sure).Saying("training stops for evaluation %s: %s", everySteps(n), what).
		Small("it depends on the size of the validation set")
	for _, v := range p.intervals(at, loop) {
		r.Because(v)
	}
	return true
}
