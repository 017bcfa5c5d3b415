package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// slicedBatch is the slice by which a training loop takes a batch out of a list, and its size: rows[i:i+size],
// rows[k*size:(k+1)*size], also through variables. Both are nil where there is none.
func (p *SourcePass) slicedBatch(loop *project.Loop) (at *pysrc.Subscript, size pysrc.Expr) {
	for _, s := range loop.Body() {
		p.Inspect(s, func(n pysrc.Node) bool {
			part, ok := n.(*pysrc.Subscript)
			if !ok || at != nil || part.Ctx != pysrc.Load {
				return at == nil
			}
			cut, ok := part.Slice.(*pysrc.Slice)
			if !ok || cut.Lower == nil || cut.Upper == nil || cut.Step != nil {
				return true
			}
			for _, lower := range p.saidHere(cut.Lower) {
				for _, upper := range p.saidHere(cut.Upper) {
					if size = p.between(lower, upper, cut.Lower); size != nil {
						at = part
						return false
					}
				}
			}
			return true
		})
	}
	return at, size
}

// saidHere are an expression and, of a variable, what its function assigns to it; of min(end, n) its arguments.
func (p *SourcePass) saidHere(e pysrc.Expr) []pysrc.Expr {
	list := []pysrc.Expr{e}
	if name, ok := e.(*pysrc.Name); ok {
		list = append(list, p.assignments(name.ID, p.Function(name))...)
	}
	for _, x := range list {
		if c, ok := x.(*pysrc.Call); ok && pysrc.DottedName(c.Func) == "min" {
			list = append(list, c.Args...)
		}
	}
	return list
}

// between is what lies between the ends of a slice: size of start and start + size, of k * size and (k + 1) * size. It is nil where
// the ends are something else.
func (p *SourcePass) between(lower, upper, start pysrc.Expr) pysrc.Expr {
	end, ok := upper.(*pysrc.BinOp)
	if !ok {
		return nil
	}
	if end.Op == pysrc.Add {
		for _, from := range []pysrc.Expr{lower, start} {
			switch p.Text(from) {
			case p.Text(end.Left):
				return end.Right
			case p.Text(end.Right):
				return end.Left
			}
		}
		return nil
	}
	from, ok := lower.(*pysrc.BinOp)
	if !ok || end.Op != pysrc.Mult || from.Op != pysrc.Mult {
		return nil
	}
	for _, k := range [][2]pysrc.Expr{{from.Left, from.Right}, {from.Right, from.Left}} {
		for _, next := range [][2]pysrc.Expr{{end.Left, end.Right}, {end.Right, end.Left}} {
			if plus, ok := next[0].(*pysrc.BinOp); ok && plus.Op == pysrc.Add && p.Text(plus.Left) == p.Text(k[0]) && p.Text(k[1]) == p.Text(next[1]) {
				return k[1]
			}
		}
	}
	return nil
}
