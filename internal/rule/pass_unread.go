package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostHandovers is through how many functions a result is followed.
const mostHandovers = 6

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
	if len(callers) == 0 || depth > mostHandovers {
		return false
	}
	return !slices.ContainsFunc(callers, func(s *project.Site) bool {
		in := p.In(s.Module())
		if in.EvaluationOnly(s) {
			return false
		}
		switch stmt := s.Module().StatementAt(s.Node.Start).(type) {
		case *pysrc.Return:
			return stmt.Value != pysrc.Expr(s.Node) || !p.unreadBy(s.Func, at, parts, depth+1)
		case *pysrc.Assign:
			if stmt.Value != pysrc.Expr(s.Node) || len(stmt.Targets) != 1 {
				return true
			}
			targets, ok := stmt.Targets[0].(*pysrc.Tuple)
			if !ok || len(targets.Elts) != parts {
				return true
			}
			target, ok := targets.Elts[at].(*pysrc.Name)
			return !ok || !in.unreadIn(s.Func, target.ID, depth+1)
		}
		return true
	})
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
