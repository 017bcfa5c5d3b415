package rule

import (
	"saturate/internal/pysrc"
)

// onlyGlancedAt reports a loader of which a function reads the length or takes single batches outside of any loop, and
// nothing else: next(iter(loader)) for a picture. Its workers would have nothing to do ahead.
func (p *SourcePass) onlyGlancedAt(c Call) bool {
	fn := p.Function(c)
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	var name string
	if assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign); ok && len(assign.Targets) == 1 {
		if target, ok := assign.Targets[0].(*pysrc.Name); ok {
			name = target.ID
		}
	}
	reads, glances, itself := 0, 0, false
	pysrc.InspectPath(body, func(n pysrc.Node, path []pysrc.Node) bool {
		if n == pysrc.Node(c.Node) {
			itself = p.LoopAround(n) == nil && isGlance(path)
		}
		if id, ok := n.(*pysrc.Name); ok && id.ID == name && id.Ctx == pysrc.Load {
			reads++
			if p.LoopAround(n) == nil && isGlance(path) || isCounted(path) {
				glances++
			}
		}
		return true
	})
	return itself || glances > 0 && reads == glances
}

// isGlance reports what stands in next(iter(…)), next(…), ….__next__() or ….close().
func isGlance(path []pysrc.Node) bool {
	for i := len(path) - 1; i >= 0; i-- {
		switch x := path[i].(type) {
		case *pysrc.Attribute:
			return x.Attr == "__next__" || x.Attr == "close"
		case *pysrc.Call:
			if lastName(x.Func) == "next" {
				return true
			}
			if lastName(x.Func) != "iter" {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// isCounted reports len(…).
func isCounted(path []pysrc.Node) bool {
	if len(path) == 0 {
		return false
	}
	call, ok := path[len(path)-1].(*pysrc.Call)
	return ok && lastName(call.Func) == "len"
}
