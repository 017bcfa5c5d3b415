package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// cheapRows says why a loop over the results of an evaluation takes a small part of its time, or nothing.
func (p *SourcePass) cheapRows(n Node) string {
	switch {
	case p.untilFull(n):
		return "it stops after the first rows"
	case p.besideGenerated(p.Function(n), 2):
		return "generating what it goes through takes longer"
	}
	return p.calledSeldom(p.Function(n))
}

// untilFull reports a place that runs only until enough is gathered: if len(table) < most.
func (p *SourcePass) untilFull(n Node) bool {
	found := false
	p.testsAround(n, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(x pysrc.Node) bool {
			if c, ok := x.(*pysrc.Compare); ok && len(c.Ops) == 1 && (c.Ops[0] == pysrc.Lt || c.Ops[0] == pysrc.LtE) {
				size, called := c.Left.(*pysrc.Call)
				found = found || called && isNamed(size.Func, "len")
			}
			return !found
		})
	})
	return found
}

// besideGenerated reports a function that generates sequences with a model, or that one which does calls.
func (p *SourcePass) besideGenerated(fn *project.Function, calls int) bool {
	if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Method() == "generate" }) {
		return true
	}
	return calls > 0 && slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		return s.Func != fn && p.besideGenerated(s.Func, calls-1)
	})
}
