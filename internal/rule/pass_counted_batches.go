package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// countedBatches reports len(list(loader)) in a function that is called, or in a loop: all batches of the loader are loaded once more to
// count them.
func (p *SourcePass) countedBatches() {
	for _, c := range p.CallsTo("len") {
		made, ok := firstArg(c.Node).(*pysrc.Call)
		if !ok || !isNamed(made.Func, "list") || len(made.Args) != 1 {
			continue
		}
		of := made.Args[0]
		if pysrc.DottedName(of) == "" || !p.givenLoader(of, 0) || p.Module.Role == project.Test || !p.trained() || len(p.Project.Callers(c.Func)) == 0 && !p.repeated(c) {
			continue
		}
		p.Report(c, likely).Saying("all batches of %s are loaded again to count them", p.Short(of)).
			Advising("Call len(%s), which loads nothing, or count the batches in the loop.", p.Short(of))
	}
}

// givenLoader reports a DataLoader, also one that a caller passes.
func (p *SourcePass) givenLoader(e pysrc.Expr, depth int) bool {
	v := p.Eval(e)
	if v.IsInstance(loaderClass) || slices.ContainsFunc(v.Either, func(one Value) bool { return one.IsInstance(loaderClass) }) {
		return true
	}
	name, ok := e.(*pysrc.Name)
	fn := p.Function(e)
	return ok && depth < 3 && fn.Def != nil && fn.HasParameter(name.ID) && slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		given := s.Given(fn, name.ID)
		return given != nil && p.In(s.Module()).givenLoader(given, depth+1)
	})
}
