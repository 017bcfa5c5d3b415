package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// maskedByHost reports x[mask] of a tensor on the GPU whose mask is on the host: torch counts it there and copies the indices to the GPU.
func (p *SourcePass) maskedByHost(s *pysrc.Subscript) bool {
	if s.Ctx != pysrc.Load {
		return false
	}
	switch s.Slice.(type) {
	case *pysrc.Name, *pysrc.Attribute, *pysrc.UnaryOp, *pysrc.Call:
		return p.isBoolean(s.Slice, 0) && p.OnDevice(s.Slice) == 0 && p.filledOnHost(s.Slice, 0) && p.OnDevice(s.Value) >= likely
	}
	return false
}

// deepestBoolean is how many variables, fields and functions a mask is followed through to where it was made.
const deepestBoolean = 8

// isBoolean reports a tensor that is made of truths, wherever it is: torch.ones(n, n, dtype=torch.bool), ~torch.eye(n).bool().
func (p *SourcePass) isBoolean(e pysrc.Expr, depth int) bool {
	if depth > deepestBoolean {
		return false
	}
	switch x := e.(type) {
	case *pysrc.UnaryOp:
		return x.Op == pysrc.Invert && p.isBoolean(x.Operand, depth+1)
	case *pysrc.Name:
		values := p.Module.SaidEither(x)
		return len(values) > 0 && !slices.ContainsFunc(values, func(v pysrc.Expr) bool { return !p.isBoolean(v, depth+1) })
	case *pysrc.Attribute:
		class := p.Function(x).Class
		if class == nil || !project.IsSelf(x.Value) {
			return false
		}
		value := p.onlyField(class, x.Attr)
		return value != nil && p.isBoolean(value, depth+1)
	case *pysrc.Call:
		return p.givesBoolean(x, depth)
	}
	return false
}

// givesBoolean is isBoolean for what a call gives.
func (p *SourcePass) givesBoolean(c *pysrc.Call, depth int) bool {
	if k := c.Keyword("dtype"); k != nil {
		return p.isBoolType(k.Value)
	}
	if fn := p.Eval(c.Func).Func; fn != nil {
		in, returns := p.In(fn.Module), fn.Returns()
		return len(returns) > 0 && !slices.ContainsFunc(returns, func(e pysrc.Expr) bool { return e == nil || !in.isBoolean(e, depth+1) })
	}
	method, ok := c.Func.(*pysrc.Attribute)
	if !ok {
		return false
	}
	switch method.Attr {
	case "bool":
		return true
	case "to", "type", "astype":
		return slices.ContainsFunc(c.Args, p.isBoolType)
	case "fill_diagonal_", "logical_not", "t", "clone", "triu", "tril", "contiguous":
		return p.isBoolean(method.Value, depth+1)
	}
	return reshapes[method.Attr] && p.isBoolean(method.Value, depth+1)
}

func (p *SourcePass) isBoolType(e pysrc.Expr) bool {
	return isNamed(e, "bool") || p.NameOf(e) == "torch.bool"
}
