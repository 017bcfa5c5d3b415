package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// runsNamed reports a call of the model under a name, or of a function of the project that calls it: a method by the same
// name, self.model, or a function that is given it.
func (p *SourcePass) runsNamed(s *project.Site, model string) bool {
	if pysrc.DottedName(s.Node.Func) == model {
		return true
	}
	fn := s.Calls.Func
	if fn == nil || fn.Def == nil || fn == s.Func || s.Calls.Kind != project.Callable || decoratedWithoutGradients(fn) {
		return false
	}
	inside := ""
	if s.Func.Class != nil && fn.Class == s.Func.Class && project.FieldOfSelf(s.Node.Func) != "" && strings.HasPrefix(model, "self.") {
		inside = model
	} else if at := slices.IndexFunc(s.Node.Args, func(a pysrc.Expr) bool { return pysrc.DottedName(a) == model }); at >= 0 && fn.Class == nil &&
		at < len(fn.Def.Args.Args) {
		inside = fn.Def.Args.Args[at].Name
	}
	return inside != "" && slices.ContainsFunc(fn.Sites, func(c *project.Site) bool {
		return pysrc.DottedName(c.Node.Func) == inside && !p.In(c.Module()).withoutGradients(c)
	})
}
