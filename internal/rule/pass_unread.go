package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostHandovers is through how many functions a result is followed.
const mostHandovers = 10

// unreadResult reports a part of a returned tuple that no caller reads in a training step: x, weights = self.attention(x),
// and weights never again, or only returned once more, put into a list, or looked at when somebody asks or once in a
// while.
func (p *SourcePass) unreadResult(value pysrc.Expr, name string, fn *project.Function) bool {
	tuple, ok := value.(*pysrc.Tuple)
	if !ok {
		return false
	}
	at := slices.IndexFunc(tuple.Elts, func(e pysrc.Expr) bool { return holdsName(e, name) })
	return at > 0 && p.unreadBy(fn, at, len(tuple.Elts), 0)
}

// unreadBy reports whether no caller of a function reads one of the parts that it returns.
func (p *SourcePass) unreadBy(fn *project.Function, at, parts, depth int) bool {
	callers := p.Project.Callers(fn)
	if steps := slices.DeleteFunc(slices.Clone(callers), func(s *project.Site) bool { return !s.Func.InStep() }); len(steps) > 0 {
		callers = steps // others serve no training
	}
	if len(callers) == 0 || depth > mostHandovers {
		return false
	}
	return !slices.ContainsFunc(callers, func(s *project.Site) bool {
		in := p.In(s.Module())
		if in.EvaluationOnly(s) {
			return false
		}
		if part := in.partTaken(s.Node); part >= 0 {
			return part == at
		}
		switch stmt := s.Module().StatementAt(s.Node.Start).(type) {
		case *pysrc.Return:
			return stmt.Value != pysrc.Expr(s.Node) || !p.unreadBy(s.Func, at, parts, depth+1)
		case *pysrc.Assign:
			if stmt.Value != pysrc.Expr(s.Node) || len(stmt.Targets) != 1 {
				return true
			}
			targets, ok := stmt.Targets[0].(*pysrc.Tuple)
			if !ok {
				return true
			}
			target, ok := targetAt(targets.Elts, at, parts).(*pysrc.Name)
			return !ok || !in.unreadIn(s.Func, target.ID, depth+1)
		}
		return true
	})
}

// targetAt is what one of the parts of a tuple is assigned to, also where the last target takes the rest: _ of out, *_ = attention(x).
// It is nil where the numbers of parts differ.
func targetAt(targets []pysrc.Expr, at, parts int) pysrc.Expr {
	if rest, ok := targets[len(targets)-1].(*pysrc.Starred); ok && len(targets) <= parts+1 {
		if at >= len(targets)-1 {
			return rest.Value
		}
		return targets[at]
	}
	if len(targets) != parts {
		return nil
	}
	return targets[at]
}

// partTaken is the place of the only part that is taken of what a call returns, 0 of attention(x)[0]; negative where all is.
func (p *SourcePass) partTaken(c *pysrc.Call) int {
	part := -1
	pysrc.Inspect(p.Module.StatementAt(c.Start), func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok && s.Value == pysrc.Expr(c) {
			if at, ok := pysrc.IntValue(s.Slice); ok {
				part = int(at)
			}
		}
		return part < 0
	})
	return part
}

// unreadIn reports whether a function only passes a variable on, in a step, to callers that do not use it either.
func (p *SourcePass) unreadIn(fn *project.Function, name string, depth int) bool {
	if fn.Def == nil || depth > mostHandovers {
		return false
	}
	unread := true
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		id, ok := n.(*pysrc.Name)
		if !unread || !ok || id.ID != name || id.Ctx != pysrc.Load {
			return unread
		}
		if p.onRequest(id, fn) || p.Rare(id) != nil {
			return true
		}
		switch stmt := p.Module.StatementAt(id.Start).(type) {
		case *pysrc.Return:
			tuple, ok := stmt.Value.(*pysrc.Tuple)
			if !ok {
				unread = false
				break
			}
			at := slices.IndexFunc(tuple.Elts, func(e pysrc.Expr) bool { return e == pysrc.Expr(id) })
			unread = at > 0 && p.unreadBy(fn, at, len(tuple.Elts), depth+1)
		case *pysrc.AugAssign: // weights_of_layers += [weights]
			list, ok := stmt.Target.(*pysrc.Name)
			unread = ok && list.ID != name && p.unreadIn(fn, list.ID, depth+1)
		case *pysrc.ExprStmt: // weights_of_layers.append(weights)
			call, ok := stmt.Value.(*pysrc.Call)
			list := ""
			if ok {
				if a, is := call.Func.(*pysrc.Attribute); is && a.Attr == "append" && len(call.Args) == 1 {
					list = pysrc.DottedName(a.Value)
				}
			}
			unread = list == name || list != "" && p.unreadIn(fn, list, depth+1)
		default:
			unread = false
		}
		return unread
	})
	return unread
}
