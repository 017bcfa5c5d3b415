package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostReturns is how many functions may hand a result on until one leaves it unread.
const mostReturns = 4

// unread reports a variable that its function does not read, or only returns as one of several results that every caller leaves
// unread: y, weights = attention(…); return y, weights, and everywhere y, _ = layer(…).
func (p *SourcePass) unread(name *pysrc.Name, depth int) bool {
	fn := p.Function(name)
	if fn.Def == nil || depth > mostReturns {
		return false
	}
	places, other := p.returnedAt(fn, name.ID, 0)
	if other {
		return false
	}
	if len(places) == 0 {
		return true
	}
	callers := p.Project.Callers(fn)
	if len(callers) == 0 {
		return false
	}
	for _, at := range places {
		if slices.ContainsFunc(callers, func(s *project.Site) bool { return !p.In(s.Module()).leavesUnread(s, at, depth) }) {
			return false
		}
	}
	return true
}

// returnedAt are the places of a function's returned tuples that hold a variable, alone or in a list, and whether the function
// reads it for anything else.
func (p *SourcePass) returnedAt(fn *project.Function, name string, depth int) (places []int, other bool) {
	known := map[pysrc.Node]bool{} // the reads that only hand it on
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Return:
			result, ok := x.Value.(*pysrc.Tuple)
			if !ok {
				return true
			}
			for i, e := range result.Elts {
				for _, held := range append(elementsOfList(e), e) {
					if isNamed(held, name) {
						known[held] = true
						places = append(places, i)
					}
				}
			}
		case *pysrc.Call: // maps.append(weights)
			list, ok := x.Func.(*pysrc.Attribute)
			if !ok || list.Attr != "append" || len(x.Args) != 1 || !isNamed(x.Args[0], name) || depth > 0 {
				return true
			}
			if into, ok := list.Value.(*pysrc.Name); ok {
				more, read := p.returnedAt(fn, into.ID, depth+1)
				if !read {
					known[x.Args[0]] = true
					places = append(places, more...)
				}
			}
			return true
		case *pysrc.Attribute:
			if into, ok := x.Value.(*pysrc.Name); ok && into.ID == name && x.Attr == "append" && depth > 0 {
				known[into] = true
			}
		case *pysrc.Name:
			other = other || x.ID == name && x.Ctx == pysrc.Load && !known[x]
		}
		return true
	})
	return places, other
}

func elementsOfList(e pysrc.Expr) []pysrc.Expr {
	if list, ok := e.(*pysrc.List); ok {
		return list.Elts
	}
	return nil
}

// leavesUnread reports a call of whose results nothing reads the one at a place: x, _ = f(…), f(…)[0].
func (p *SourcePass) leavesUnread(s *project.Site, at, depth int) bool {
	stmt := p.Module.StatementAt(s.Node.Start)
	if a, ok := stmt.(*pysrc.Assign); ok && a.Value == pysrc.Expr(s.Node) && len(a.Targets) == 1 {
		parts, ok := a.Targets[0].(*pysrc.Tuple)
		if !ok || at >= len(parts.Elts) || slices.ContainsFunc(parts.Elts, isStarred) {
			return false
		}
		name, ok := parts.Elts[at].(*pysrc.Name)
		return ok && p.unread(name, depth+1)
	}
	other := false
	p.Inspect(stmt, func(n pysrc.Node) bool {
		if part, ok := n.(*pysrc.Subscript); ok && part.Value == pysrc.Expr(s.Node) {
			i, known := pysrc.IntValue(part.Slice)
			other = known && i >= 0 && int(i) != at
		}
		return !other
	})
	return other
}
