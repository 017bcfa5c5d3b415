package rule

import "saturate/internal/project"

// calledSeldom says that all calls which lead to a function lie behind tests such as i % n == 0, or nothing: it saves or shows
// something every now and then.
func (p *SourcePass) calledSeldom(fn *project.Function) string {
	if p.behindIntervals(fn, 0) {
		return "it runs once in many steps"
	}
	return ""
}

func (p *SourcePass) behindIntervals(fn *project.Function, depth int) bool {
	callers := p.Project.Callers(fn)
	if fn.Def == nil || len(callers) == 0 || depth > mostHandovers {
		return false
	}
	for _, s := range callers {
		if s.Func == fn {
			continue
		}
		if g := p.eval.Rare(s.Module(), s); (g == nil || g.Kind != project.EveryN) && !p.behindIntervals(s.Func, depth+1) {
			return false
		}
	}
	return true
}
