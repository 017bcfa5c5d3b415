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

// dependsOn reports an expression that reads something which a loop sets, other
// than what is assigned from it, and one that is assigned to what the loop sets elsewhere too.
func (p *SourcePass) dependsOn(e pysrc.Expr, loop pysrc.Stmt) bool {
	sets := map[string]int{}
	p.Inspect(loop, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			if n.Ctx != pysrc.Load {
				sets[n.ID]++
			}
		case *pysrc.Attribute:
			if n.Ctx != pysrc.Load {
				sets[pysrc.DottedName(n)]++
			}
		case *pysrc.Subscript:
			if n.Ctx != pysrc.Load {
				sets[pysrc.DottedName(n.Value)]++ // nets["now"] = …
			}
		}
		return true
	})
	own := ""
	if s, ok := p.Module.StatementAt(e.Bounds().Start).(*pysrc.Assign); ok && len(s.Targets) == 1 {
		own = pysrc.DottedName(s.Targets[0])
	}
	depends := own == "" || sets[own] > 1
	p.Inspect(e, func(n pysrc.Node) bool {
		name := ""
		switch n := n.(type) {
		case *pysrc.Name:
			name = n.ID
		case *pysrc.Attribute:
			name = pysrc.DottedName(n)
		}
		depends = depends || name != "" && name != own && sets[name] > 0
		return !depends
	})
	return depends
}
