package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// comparisons are functions and methods of torch that give a mask.
var comparisons = setOfNames("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "logical_and", "logical_or",
	"logical_not", "bool")

// deepestMask is how far a mask is followed through variables, functions and callers.
const deepestMask = 10

// isMask reports an index that is a comparison of tensors, its negation, or the same in another shape; also where a
// variable holds it, a function of the project returns it, or each training step passes it.
func (p *SourcePass) isMask(e pysrc.Expr, depth int) bool {
	if depth > deepestMask {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Compare:
		return p.isOnDevice(x)
	case *pysrc.UnaryOp:
		return x.Op == pysrc.Invert && p.isOnDevice(x.Operand)
	case *pysrc.BinOp:
		switch x.Op {
		case pysrc.BitAnd, pysrc.BitOr, pysrc.BitXor:
			return p.isMask(x.Left, depth+1) || p.isMask(x.Right, depth+1) || p.isOnDevice(x) && p.isOneTensor(x, 0) // numbers of rows are not joined so
		case pysrc.Mult:
			return p.isMask(x.Left, depth+1) && p.isMask(x.Right, depth+1)
		}
	case *pysrc.Tuple: // x[mask, 4]
		return slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return p.isMask(part, depth+1) })
	case *pysrc.Subscript: // masks[i]
		return p.isMask(x.Value, depth+1)
	case *pysrc.Call:
		if comparisons[lastName(x.Func)] {
			return p.isOnDevice(x)
		}
		if of := p.castToBool(x); of != nil {
			return p.isOnDevice(of)
		}
		if of := viewed(x); of != nil {
			return p.isMask(of, depth+1)
		}
		return p.returnsMask(x, depth+1)
	case *pysrc.Name:
		list, given := p.Module.SaidOrGiven(x)
		if slices.ContainsFunc(list, func(s project.Said) bool { return !p.partIsMask(s.Value, s.Place, depth+1) }) {
			return false
		}
		return given && p.givenMask(x, depth+1) || !given && len(list) > 0
	case *pysrc.Attribute:
		return p.fieldIsMask(x) || !project.IsSelf(x.Value) && project.HasWord(x.Attr, "mask") && p.isOnDevice(x) // of a batch of graphs
	}
	return false
}

// partIsMask reports a mask, or a tuple with a mask at a place.
func (p *SourcePass) partIsMask(e pysrc.Expr, place, depth int) bool {
	if place < 0 {
		return p.isMask(e, depth)
	}
	t, ok := e.(*pysrc.Tuple)
	return ok && place < len(t.Elts) && p.isMask(t.Elts[place], depth)
}

// castToBool is x of x.bool(), x.type(torch.bool) and x.to(torch.bool), nil for other calls.
func (p *SourcePass) castToBool(c *pysrc.Call) pysrc.Expr {
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok || a.Attr != "bool" && a.Attr != "type" && a.Attr != "to" {
		return nil
	}
	if len(c.Args) == 0 && a.Attr == "bool" || len(c.Args) == 1 && a.Attr != "bool" && p.NameOf(c.Args[0]) == "torch.bool" {
		return a.Value
	}
	return nil
}

// viewed is x of x.unsqueeze(1), x.expand_as(y) and the like: the same values in another shape. It is nil for other calls.
func viewed(c *pysrc.Call) pysrc.Expr {
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok {
		return nil
	}
	switch a.Attr {
	case "unsqueeze", "squeeze", "view", "view_as", "reshape", "flatten", "expand", "expand_as", "repeat", "transpose", "t",
		"permute", "contiguous", "detach", "clone", "cuda", "to", "byte":
		return a.Value
	}
	return nil
}

// returnsMask reports a call of a function of the project that returns masks.
func (p *SourcePass) returnsMask(c *pysrc.Call, depth int) bool {
	s := p.Module.SiteAt(c)
	if s == nil || s.Calls.Kind != project.Callable || s.Calls.Func == nil || len(s.Calls.Func.Returns()) == 0 {
		return false
	}
	there := p.In(s.Calls.Func.Module)
	return !slices.ContainsFunc(s.Calls.Func.Returns(), func(r pysrc.Expr) bool { return !there.isMask(r, depth) })
}

// givenMask reports a parameter for which the training step passes a mask.
func (p *SourcePass) givenMask(name *pysrc.Name, depth int) bool {
	fn := p.Function(name)
	if fn.Def == nil || !fn.HasParameter(name.ID) {
		return false
	}
	givers := p.Project.Givers(fn)
	return len(givers) > 0 && !slices.ContainsFunc(givers, func(s *project.Site) bool {
		given := s.Given(fn, name.ID)
		return given == nil || !p.In(s.Module()).isMask(given, depth)
	})
}
