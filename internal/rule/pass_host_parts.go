package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// partMadeOnHost is the call of a function of the project that makes several tensors on the host, of which an expression
// takes one: edges[0] after edges = data.get_edges(n), rows after rows, cols = get_edges(n). It is nil for anything else.
func (p *SourcePass) partMadeOnHost(e pysrc.Expr) *pysrc.Call {
	made := p.partOfHelper(e)
	if loop := p.LoopAround(e); made != nil && loop != nil && made.Start < loop.Bounds().Start {
		return nil // it stays on the host
	}
	return made
}

func (p *SourcePass) partOfHelper(e pysrc.Expr) *pysrc.Call {
	switch x := e.(type) {
	case *pysrc.Subscript:
		if _, whole := pysrc.IntValue(x.Slice); whole {
			if call, ok := p.onceSaid(x.Value).(*pysrc.Call); ok && p.makesHostParts(call) {
				return call
			}
		}
	case *pysrc.Name:
		said, given := p.Module.SaidOrGiven(x)
		if !given && len(said) == 1 && said[0].Place >= 0 {
			if call, ok := said[0].Value.(*pysrc.Call); ok && p.makesHostParts(call) {
				return call
			}
		}
	}
	return nil
}

// makesHostParts reports a call of a function of the project that is told nothing but sizes, knows no device, and
// returns a list of tensors.
func (p *SourcePass) makesHostParts(c *pysrc.Call) bool {
	s := p.Module.SiteAt(c)
	if s == nil || s.Calls.Kind != project.Callable || s.Calls.Func == nil || s.Calls.Func.Def == nil || len(c.Args)+len(c.Keywords) == 0 {
		return false
	}
	fn := s.Calls.Func
	if cached(fn) || fn.Class != nil && fn.Class.Derives("torch.nn.Module") ||
		callsNamedIn(fn, "to", "cuda", "type_as", "device", "zeros_like", "ones_like", "full_like", "new_tensor", "new_zeros") ||
		slices.ContainsFunc(argumentsOf(c), func(e pysrc.Expr) bool { return !p.isSideOrNumber(e) }) {
		return false
	}
	there := p.In(fn.Module)
	makes := slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		name, torch := strings.CutPrefix(s.Name(), "torch.")
		return torch && (hostTensors[name] || creators[name] || name == "tensor" || name == "from_numpy")
	})
	return makes && len(fn.Returns()) > 0 && !slices.ContainsFunc(fn.Returns(), func(r pysrc.Expr) bool {
		values := []pysrc.Expr{r}
		if name, ok := r.(*pysrc.Name); ok {
			values = there.Module.SaidEither(name)
		}
		return len(values) == 0 || slices.ContainsFunc(values, func(v pysrc.Expr) bool { return len(elementsOf(v)) == 0 })
	})
}

// isSideOrNumber reports a number, or the length of a side of a tensor: x.size(0), n of n, m = x.shape.
func (p *SourcePass) isSideOrNumber(e pysrc.Expr) bool {
	if _, known := p.Eval(e).Int(); known || p.isNumber(e) || isLength(e) {
		return true
	}
	switch x := e.(type) {
	case *pysrc.Call:
		return lastName(x.Func) == "size" || pysrc.DottedName(x.Func) == "len"
	case *pysrc.Name:
		said, given := p.Module.SaidOrGiven(x)
		return !given && len(said) > 0 && !slices.ContainsFunc(said, func(s project.Said) bool {
			if s.Place >= 0 {
				return shapeOf(s.Value) == nil
			}
			_, again := s.Value.(*pysrc.Name)
			return again || !p.isSideOrNumber(s.Value)
		})
	}
	return false
}
