package rule

import (
	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// usesOutside returns, for a variable that a loop sums up, the edits that make
// each read behind the loop a number, float(name), and whether the loop itself only adds
// to it. It gives up when the variable is read in the loop or set otherwise than to 0.
func (p *SourcePass) usesOutside(name, number string, loop pysrc.Stmt) (edits []patch.Edit, only bool) {
	fn := p.Function(loop)
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	span := loop.Bounds()
	only = true
	added := map[*pysrc.Name]bool{}
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.AugAssign:
			if t, ok := n.Target.(*pysrc.Name); ok && t.ID == name && span.Contains(int(n.Start)) && n.Op == pysrc.Add {
				added[t] = true
			}
		case *pysrc.Name:
			if n.ID != name || added[n] {
				return true
			}
			switch {
			case span.Contains(int(n.Start)):
				only = false
			case n.Ctx == pysrc.Load && n.Start >= span.End:
				edits = append(edits, p.Replace(n, number+"("+name+")"))
			case n.Ctx == pysrc.Load:
				only = false
			}
		}
		return only
	})
	return edits, only
}
