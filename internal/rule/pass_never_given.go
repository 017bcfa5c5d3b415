package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// isUnlessGiven reports x is not None of a parameter that no call of the function gives, as far as training reaches them.
func (p *SourcePass) isUnlessGiven(test *pysrc.Compare, fn *project.Function) bool {
	name, ok := test.Left.(*pysrc.Name)
	return ok && len(test.Ops) == 1 && test.Ops[0] == pysrc.IsNot && pysrc.IsConst(test.Comparators[0], pysrc.None) &&
		p.isNeverGiven(name.ID, fn, mostHandedOn)
}

// mostHandedOn is through how many calls a parameter is followed that each hands on to the next.
const mostHandedOn = 5

// isNeverGiven reports a parameter that is None unless it is given, where each call leaves it out, or hands on a parameter of which that
// is true: forward(x, weights=None) of layers in layers.
func (p *SourcePass) isNeverGiven(name string, fn *project.Function, calls int) bool {
	if fn.Def == nil || calls == 0 {
		return false
	}
	if value := fn.Params().Default(name); value == nil || !pysrc.IsConst(value, pysrc.None) || storesName(fn.Def, name) {
		return false
	}
	givers := p.Project.Givers(fn)
	return len(givers) > 0 && !slices.ContainsFunc(givers, func(s *project.Site) bool {
		if args, kwargs := s.Node.Unpacks(); args || kwargs {
			return true
		}
		switch given := s.Given(fn, name).(type) {
		case nil:
			return false
		case *pysrc.Name:
			return !p.isNeverGiven(given.ID, s.Func, calls-1)
		default:
			return !pysrc.IsConst(given, pysrc.None)
		}
	})
}
