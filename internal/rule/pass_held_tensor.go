package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// deepestHeld is how many attributes and calls a tensor is followed through to where it was made.
const deepestHeld = 16

// heldOnHost reports an attribute of an object, or what is computed from one, that its methods fill on the host and
// nothing moves: self.betas of self.betas = torch.linspace(0, 1, 1000).
func (p *SourcePass) heldOnHost(e pysrc.Expr, depth int) bool {
	a, ok := e.(*pysrc.Attribute)
	fn := p.Function(e)
	if !ok || depth > deepestHeld || fn.Class == nil || !isNamed(a.Value, fn.Self()) {
		return false
	}
	found := false
	for _, set := range p.Project.AssignmentsTo(a.Attr) {
		target := set.Target.(*pysrc.Attribute)
		if set.Func.Class != fn.Class || !isNamed(target.Value, set.Func.Self()) {
			if set.Func.Class == nil || set.Func.Class.Derives(fn.Class.FullName()) || !isNamed(target.Value, set.Func.Self()) {
				return false // somebody else may move it
			}
			continue
		}
		if set.Augmented || !p.In(set.Module).filledOnHost(set.Value, depth+1) {
			return false
		}
		found = true
	}
	return found
}

// filledOnHost reports a tensor that is made on the host: filled there, or computed from one that is.
func (p *SourcePass) filledOnHost(e pysrc.Expr, depth int) bool {
	if depth > deepestHeld {
		return false
	}
	down := func(parts ...pysrc.Expr) bool {
		found := false
		for _, part := range parts {
			if p.OnDevice(part) > 0 {
				return false
			}
			found = found || p.filledOnHost(part, depth+1)
		}
		return found
	}
	switch x := e.(type) {
	case *pysrc.Attribute:
		return p.heldOnHost(x, depth)
	case *pysrc.Name:
		value := p.Module.SaidLast(x)
		if value == nil {
			value = p.partOf(x)
		}
		if value == nil {
			return p.eitherOnHost(x, depth)
		}
		if rows, ok := value.(*pysrc.List); ok && len(rows.Elts) == 0 {
			return down(appendedTo(p.Function(x), x.ID)...)
		}
		return p.filledOnHost(value, depth+1)
	case *pysrc.List: // of torch.cat
		return down(x.Elts...)
	case *pysrc.ListComp:
		return down(x.Elt)
	case *pysrc.Starred: // of torch.meshgrid
		return down(x.Value)
	case *pysrc.UnaryOp:
		return down(x.Operand)
	case *pysrc.BinOp:
		return down(x.Left, x.Right)
	case *pysrc.Subscript:
		return down(x.Value)
	case *pysrc.Call:
		if x.Keyword("device") != nil {
			return false
		}
		name, torch := strings.CutPrefix(p.NameOf(x.Func), "torch.")
		if torch && !strings.Contains(name, "(") {
			if creators[name] || name == "tensor" || name == "as_tensor" || name == "from_numpy" || hostTensors[name] {
				return len(x.Args) == 0 || p.OnDevice(x.Args[0]) == 0
			}
			return down(x.Args...)
		}
		if project.KeepsDevice(p.NameOf(x.Func)) && len(x.Args) > 0 {
			return down(x.Args[0])
		}
		if fn := p.Eval(x.Func).Func; fn != nil && fn.Def != nil && len(fn.Returns()) > 0 && !fn.IsGenerator() {
			in := p.In(fn.Module)
			return !slices.ContainsFunc(fn.Returns(), func(e pysrc.Expr) bool { return in.OnDevice(e) > 0 || !in.filledOnHost(e, depth+1) })
		}
		a, ok := x.Func.(*pysrc.Attribute)
		if !ok || a.Attr == "to" && !p.castsOnly(x) || a.Attr == "cuda" || a.Attr == "type_as" || p.Eval(x.Func).Kind == project.Type {
			return false
		}
		return down(a.Value)
	}
	return false
}

// eitherOnHost reports a variable that each branch before it fills on the host.
func (p *SourcePass) eitherOnHost(x *pysrc.Name, depth int) bool {
	values := p.Module.SaidEither(x)
	if len(values) == 0 {
		return p.givenOnHost(x, depth)
	}
	return len(values) > 1 && !slices.ContainsFunc(values, func(v pysrc.Expr) bool { return p.OnDevice(v) > 0 || !p.filledOnHost(v, depth+1) })
}

// givenOnHost reports a parameter that every caller gives a tensor that is made on the host: Weighted(counts.log1p()).
func (p *SourcePass) givenOnHost(x *pysrc.Name, depth int) bool {
	fn := p.Function(x)
	if list, given := p.Module.SaidOrGiven(x); !given || len(list) > 0 {
		return false
	}
	callers := p.Project.Callers(fn)
	return len(callers) > 0 && len(callers) <= mostHosts && !slices.ContainsFunc(callers, func(s *project.Site) bool {
		in, given := p.In(s.Module()), s.Given(fn, x.ID)
		return given == nil || in.OnDevice(given) > 0 || !in.filledOnHost(given, depth+1)
	})
}

// mostHosts is how many callers are asked where a tensor that they give was made.
const mostHosts = 8

// partOf is what a variable is one of, where that is one value: ys, xs = torch.meshgrid(rows, columns).
func (p *SourcePass) partOf(name *pysrc.Name) pysrc.Expr {
	said, given := p.Module.SaidOrGiven(name)
	if given || len(said) != 1 || said[0].Place < 0 {
		return nil
	}
	return said[0].Value
}
