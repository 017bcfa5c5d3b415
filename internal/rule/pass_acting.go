package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostActing is how many calls may lie between an environment's step and what computes the action for it.
const mostActing = 4

// acts reports a node that computes the action for an environment's next step, or prepares the observation for it. The
// environment waits for the action, so nothing there can be deferred, and the observation has only just been made.
func (p *SourcePass) acts(n Node) bool {
	return p.learnsByActing() && (p.feedsEnvironment(n) || p.actsIn(p.Function(n), mostActing))
}

// actsIn reports a function whose result an environment's step gets.
func (p *SourcePass) actsIn(fn *project.Function, depth int) bool {
	if fn.Def == nil || depth == 0 || slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Method() == "backward" }) {
		return false
	}
	return slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		there := p.In(s.Module())
		return there.feedsEnvironment(s) || inReturn(there, s.Node) && there.actsIn(s.Func, depth-1)
	})
}

// sayActing rewords a read of an action that is computed for one observation.
func (r *Report) sayActing() {
	r.At(Advice).Saying("the policy acts on one observation at a time, and the environment waits for the GPU").
		Advising("Step several environments at once (gymnasium.vector) and act in all of them with one call, or act with a copy " +
			"of a small policy on the CPU.")
}

// actsOnOne reports the copy of an action for a single observation. Those of many environments have to go back together.
func (p *SourcePass) actsOnOne(c Call) bool { return p.addsBatchOfOne(p.Function(c)) }

// addsBatchOfOne reports a function that makes a batch of a single observation: x.unsqueeze(0), x[None], x.reshape(1, -1).
func (p *SourcePass) addsBatchOfOne(fn *project.Function) bool {
	if fn.Def == nil {
		return false
	}
	found := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			if len(n.Args) == 0 {
				break
			}
			size, known := pysrc.IntValue(n.Args[0])
			switch lastName(n.Func) {
			case "unsqueeze":
				found = found || known && size == 0
			case "reshape", "view":
				found = found || known && size == 1
			}
		case *pysrc.Subscript:
			found = found || p.Text(n.Slice) == "None"
		}
		return !found
	})
	return found
}

// inReturn reports a call that a return statement contains.
func inReturn(p *SourcePass, c *pysrc.Call) bool {
	_, ok := p.Module.StatementAt(c.Start).(*pysrc.Return)
	return ok
}

// feedsEnvironment reports a node whose function steps an environment with what the node's statement makes.
func (p *SourcePass) feedsEnvironment(n Node) bool {
	fn, at := p.Function(n), n.Bounds()
	steps := slices.DeleteFunc(slices.Clone(fn.Sites), func(s *project.Site) bool { return !stepsEnvironment(p.Module, s) })
	if len(steps) == 0 {
		return false
	}
	needed := map[string]bool{}
	for _, s := range steps {
		if s.Node.Args[0].Bounds().Contains(int(at.Start)) {
			return true
		}
		addLoaded(s.Node.Args[0], needed)
	}
	stmt, ok := p.Module.StatementAt(at.Start).(*pysrc.Assign)
	if !ok {
		return false
	}
	for range mostActing {
		if slices.ContainsFunc(stmt.Targets, func(t pysrc.Expr) bool { return storesAny(t, needed) }) {
			return true
		}
		before := len(needed)
		for _, a := range p.assignsOf(fn) {
			if slices.ContainsFunc(a.Targets, func(t pysrc.Expr) bool { return storesAny(t, needed) }) {
				addLoaded(a.Value, needed)
			}
		}
		if len(needed) == before {
			return false
		}
	}
	return false
}

// assignsOf lists the assignments of a function, or of a module's top level.
func (p *SourcePass) assignsOf(fn *project.Function) (list []*pysrc.Assign) {
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	p.Inspect(body, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok && p.Function(a) == fn {
			list = append(list, a)
		}
		return true
	})
	return list
}

// addLoaded adds the variables that an expression reads.
func addLoaded(e pysrc.Expr, names map[string]bool) {
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok {
			names[name.ID] = true
		}
		return true
	})
}
