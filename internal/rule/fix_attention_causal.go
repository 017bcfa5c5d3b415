package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// isCausal reports a mask that is nothing but the causal one, cut to the length of what attends:
//
//	self.register_buffer("bias", torch.tril(torch.ones(n, n)).view(1, 1, n, n))
//	… self.bias[:, :, :T, :T]
//
// The kernel has a form for it, which reads no mask; with one, the fastest kernels are ruled out.
func (a *attention) isCausal(mask pysrc.Expr) bool {
	cut, ok := mask.(*pysrc.Subscript)
	if !ok || !a.isSquare(cut.Slice) {
		return false
	}
	buffer, ok := cut.Value.(*pysrc.Attribute)
	class := a.p.Class(mask)
	if !ok || class == nil || rootName(buffer) != "self" {
		return false
	}
	var made []pysrc.Expr
	pysrc.Inspect(class.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			if lastName(n.Func) != "register_buffer" || len(n.Args) < 2 {
				break
			}
			if name, isText := pysrc.StringValue(n.Args[0]); isText && name == buffer.Attr {
				made = append(made, n.Args[1])
			}
		case *pysrc.Assign:
			if slices.ContainsFunc(n.Targets, func(t pysrc.Expr) bool { return pysrc.DottedName(t) == pysrc.DottedName(buffer) }) {
				made = append(made, n.Value)
			}
		}
		return true
	})
	return len(made) == 1 && a.isLowerTriangle(made[0])
}

// isSquare reports [:, :, :T, :T], the same T twice, and nothing else cut.
func (a *attention) isSquare(index pysrc.Expr) bool {
	parts, ok := index.(*pysrc.Tuple)
	if !ok || len(parts.Elts) < 2 {
		return false
	}
	var ends []string
	for _, e := range parts.Elts {
		s, ok := e.(*pysrc.Slice)
		if !ok || s.Lower != nil || s.Step != nil {
			return false
		}
		if s.Upper != nil {
			ends = append(ends, a.p.Text(s.Upper))
		} else if len(ends) > 0 {
			return false
		}
	}
	return len(ends) == 2 && ends[0] == ends[1]
}

// isLowerTriangle reports torch.tril(torch.ones(n, n)), in whatever shape and type.
func (a *attention) isLowerTriangle(e pysrc.Expr) bool {
	for {
		c, ok := e.(*pysrc.Call)
		if !ok {
			return false
		}
		if a.p.NameOf(c.Func) == "torch.tril" {
			return len(c.Args) == 1 && len(c.Keywords) == 0 && a.areSquareOnes(c.Args[0])
		}
		method, ok := c.Func.(*pysrc.Attribute)
		if !ok || !slices.Contains([]string{"view", "reshape", "unsqueeze", "bool", "to", "float", "int"}, method.Attr) {
			return false
		}
		e = method.Value
	}
}

// areSquareOnes reports torch.ones(n, n) or torch.ones((n, n)).
func (a *attention) areSquareOnes(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	if !ok || a.p.NameOf(c.Func) != "torch.ones" {
		return false
	}
	sizes := c.Args
	if len(sizes) == 1 {
		if both, ok := sizes[0].(*pysrc.Tuple); ok {
			sizes = both.Elts
		}
	}
	return len(sizes) == 2 && a.p.Text(sizes[0]) == a.p.Text(sizes[1])
}
