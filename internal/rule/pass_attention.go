package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// callsFused reports a function that also has a fused path.
func (p *SourcePass) callsFused(fn *project.Function) bool {
	for _, s := range fn.Sites {
		switch lastName(s.Node.Func) {
		case "scaled_dot_product_attention", "flash_attn_func", "flash_attn_varlen_func", "memory_efficient_attention":
			return true
		}
	}
	return false
}

// attentionWeights is the variable that holds the weights at the end: what the
// softmax is assigned to.
func (p *SourcePass) attentionWeights(c Call) string {
	s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	if !ok || len(s.Targets) != 1 {
		return ""
	}
	name, ok := s.Targets[0].(*pysrc.Name)
	if !ok {
		return ""
	}
	return name.ID
}

// productOf reports scores: a product with a transposed matrix (q @ k.transpose(-2, -1),
// torch.bmm), scaled, biased or masked, or a variable that was set so. What goes
// through anything else is not the attention that the fused kernel knows.
func (p *SourcePass) productOf(e pysrc.Expr, fn *project.Function, depth int) bool {
	down := func(e pysrc.Expr) bool { return p.productOf(e, fn, depth+1) }
	if depth > 8 {
		return false
	}
	switch x := e.(type) {
	case *pysrc.BinOp:
		switch x.Op {
		case pysrc.MatMult:
			return transposes(x.Right)
		case pysrc.Mult, pysrc.Div:
			return down(x.Left) || down(x.Right)
		case pysrc.Add, pysrc.Sub:
			return down(x.Left) || down(x.Right)
		}
	case *pysrc.Call:
		a, method := x.Func.(*pysrc.Attribute)
		switch lastName(x.Func) {
		case "matmul", "bmm", "baddbmm":
			return len(x.Args) > 0 && transposes(x.Args[len(x.Args)-1])
		case "masked_fill", "masked_fill_", "float", "div", "div_", "mul", "mul_", "add", "add_", "type_as", "to":
			return method && down(a.Value)
		}
	case *pysrc.Name:
		values := p.assignments(x.ID, fn)
		for _, v := range values {
			if v.Bounds().Start < x.Start && !v.Bounds().Contains(int(x.Start)) && !down(v) {
				return false
			}
		}
		return len(values) > 0
	}
	return false
}

// transposes reports a transposed matrix. Normalised keys are left out: that is
// attention by cosines, mostly between channels.
func transposes(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok {
			switch a.Attr {
			case "transpose", "T", "mT", "permute", "swapaxes", "t":
				found = true
			}
		}
		return !found
	})
	return found && !callsNamed(e, "normalize")
}

// assignments returns what a function assigns to a name.
func (p *SourcePass) assignments(name string, fn *project.Function) []pysrc.Expr {
	var list []pysrc.Expr
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok {
			for _, t := range a.Targets {
				if id, ok := t.(*pysrc.Name); ok && id.ID == name {
					list = append(list, a.Value)
				}
			}
		}
		return true
	})
	return list
}

// multiplied reports a name, or the dropout of it, that stands first in a matrix product.
func (p *SourcePass) multiplied(weights string, fn *project.Function) bool {
	found := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.BinOp:
			found = found || n.Op == pysrc.MatMult && mentionsName(n.Left, weights)
		case *pysrc.Call:
			switch lastName(n.Func) {
			case "matmul", "bmm":
				found = found || len(n.Args) == 2 && mentionsName(n.Args[0], weights) ||
					len(n.Args) == 1 && rootName(n.Func) == weights
			}
		}
		return !found
	})
	return found
}

// onlyDropped reports weights that nothing but a dropout changes after the softmax.
func (p *SourcePass) onlyDropped(weights string, softmax *pysrc.Call, fn *project.Function) bool {
	for _, v := range p.assignments(weights, fn) {
		if v.Bounds().Start <= softmax.Start {
			continue
		}
		c, ok := v.(*pysrc.Call)
		if !ok || !project.HasWord(lastName(c.Func), "dropout", "drop", "to", "type", "float") {
			return false
		}
	}
	return true
}

// kept reports a name that a function returns, or keeps in an attribute or a list.
func (p *SourcePass) kept(name string, fn *project.Function) bool {
	found := false
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Return:
			found = found || n.Value != nil && holdsName(n.Value, name)
		case *pysrc.Assign:
			for _, t := range n.Targets {
				if _, attr := t.(*pysrc.Attribute); attr {
					found = found || mentionsName(n.Value, name)
				}
			}
		case *pysrc.Call:
			if lastName(n.Func) == "append" && len(n.Args) == 1 {
				found = found || mentionsName(n.Args[0], name)
			}
		}
		return !found
	})
	return found
}

// mentionsName reports a name anywhere in an expression; holdsName reports it as
// the expression itself or a part of a tuple or dict.
func mentionsName(e pysrc.Node, name string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if id, ok := n.(*pysrc.Name); ok && id.ID == name {
			found = true
		}
		return !found
	})
	return found
}

func holdsName(e pysrc.Expr, name string) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		return x.ID == name
	case *pysrc.Tuple:
		for _, part := range x.Elts {
			if holdsName(part, name) {
				return true
			}
		}
	case *pysrc.Dict:
		for _, part := range x.Values {
			if holdsName(part, name) {
				return true
			}
		}
	case *pysrc.Call:
		return mentionsName(x, name) && lastName(x.Func) != "matmul" && lastName(x.Func) != "bmm"
	case *pysrc.IfExp:
		return holdsName(x.Body, name) || holdsName(x.Orelse, name)
	}
	return false
}
