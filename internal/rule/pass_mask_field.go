package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fieldIsMask reports a field that __init__ sets to a mask which it moves to the device, and that nothing else sets.
func (p *SourcePass) fieldIsMask(field *pysrc.Attribute) bool {
	class := p.Function(field).Class
	if class == nil || !project.IsSelf(field.Value) {
		return false
	}
	value := p.onlyField(class, field.Attr)
	if value == nil {
		return false
	}
	mask, moved := p.madeMask(value, 0)
	return mask && moved
}

// madeMask reports whether a value is compared or cast to bool, and whether it is moved to a device or made there, through variables
// and what functions of the project return.
func (p *SourcePass) madeMask(e pysrc.Expr, depth int) (mask, moved bool) {
	if depth > deepestMask {
		return false, false
	}
	also := func(e pysrc.Expr) {
		m, d := p.madeMask(e, depth+1)
		mask, moved = mask || m, moved || d
	}
	switch x := e.(type) {
	case *pysrc.Compare:
		also(x.Left)
		return true, moved
	case *pysrc.UnaryOp:
		also(x.Operand)
	case *pysrc.Name:
		if value := p.Module.SaidLast(x); value != nil {
			also(value)
		}
	case *pysrc.Call:
		if of := p.castToBool(x); of != nil {
			also(of)
			return true, moved
		}
		if dtype := x.Keyword("dtype"); dtype != nil {
			mask = p.NameOf(dtype.Value) == "torch.bool"
		}
		if place := x.Keyword("device"); place != nil && p.deviceArgument(place.Value) {
			moved = true
		}
		if s := p.Module.SiteAt(x); s != nil && s.Calls.Kind == project.Callable && s.Calls.Func != nil {
			returns := s.Calls.Func.Returns()
			if len(returns) == 1 {
				m, d := p.In(s.Calls.Func.Module).madeMask(returns[0], depth+1)
				mask, moved = mask || m, moved || d
			}
			return mask, moved
		}
		if of := viewed(x); of != nil {
			moved = moved || slices.ContainsFunc(p.movesToDevice(), func(m hostMove) bool { return m.Node == x })
			also(of)
		}
	}
	return mask, moved
}
