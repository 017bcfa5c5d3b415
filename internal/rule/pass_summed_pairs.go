package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// summedPairs reports sums along the last axis of what is computed of all pairs of vectors: (a.unsqueeze(1) * b.unsqueeze(2)).sum(-1),
// and the same of the squared difference.
func (p *SourcePass) summedPairs(said map[*project.Function]bool) {
	for _, s := range p.Module.Sites {
		if said[s.Func] || !p.mayStep(s) {
			continue
		}
		of := p.summedOverLast(s.Node)
		if of == nil {
			continue
		}
		pairs, squared := p.pairsOf(of)
		if pairs == nil || p.OnDevice(pairs) == 0 && p.OnDevice(pairs.Left) == 0 && p.OnDevice(pairs.Right) == 0 {
			continue
		}
		way, ok := p.EachStep(s)
		if !ok || p.namedChoice(s) {
			continue
		}
		said[s.Func] = true
		r := p.Report(s.Node, likely*way.Sure).Because(way)
		if squared {
			r.Saying("the distance of all pairs is computed by broadcasting").
				Advising("Use torch.cdist(a, b), or its square. The last digits differ.")
		} else {
			r.Saying("the product of all pairs of vectors is computed by broadcasting").
				Advising("Multiply the matrices: a @ b.transpose(-2, -1), or torch.einsum. The last digits differ.")
		}
	}
}

// namedChoice reports what runs only where a variable that is not known holds a name, elif metric == "squared", or a parameter is
// given that is 0 otherwise: if smoothing > 0.
func (p *SourcePass) namedChoice(n Node) bool {
	found := false
	p.Module.Around(n.Bounds().Start, func(owner pysrc.Node) bool {
		switch o := owner.(type) {
		case *pysrc.If:
			test, ok := o.Test.(*pysrc.Compare)
			if !ok || len(test.Ops) != 1 || len(o.Body) == 0 ||
				n.Bounds().Start < o.Body[0].Bounds().Start || n.Bounds().Start >= o.Body[len(o.Body)-1].Bounds().End {
				return true
			}
			if test.Ops[0] != pysrc.Eq {
				found = test.Ops[0] == pysrc.Gt && p.zeroUnlessGiven(test)
				return !found
			}
			name, ok := pysrc.StringValue(test.Comparators[0])
			chosen, known := p.Eval(test.Left).Str()
			found = ok && (!known || chosen != name)
		case *pysrc.FunctionDef:
			return false
		}
		return !found
	})
	return found
}

// zeroUnlessGiven reports smoothing > 0 of a parameter that is 0 unless a caller gives it, and that is not known to be more.
func (p *SourcePass) zeroUnlessGiven(test *pysrc.Compare) bool {
	name, ok := test.Left.(*pysrc.Name)
	if zero, known := pysrc.FloatValue(test.Comparators[0]); !ok || known && zero != 0 || p.Eval(test).IsTrue() {
		return false
	}
	fn := p.Function(name)
	if fn.Def == nil {
		return false
	}
	standard, known := pysrc.FloatValue(fn.Params().Default(name.ID))
	return known && standard == 0
}

// summedOverLast is what a call sums or averages along the last axis: x of x.sum(-1), torch.sum(x, dim=-1); nil for others.
func (p *SourcePass) summedOverLast(c *pysrc.Call) pysrc.Expr {
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok || a.Attr != "sum" && a.Attr != "mean" {
		return nil
	}
	of, rest := a.Value, c.Args
	if p.NameOf(c.Func) == "torch."+a.Attr {
		if len(c.Args) == 0 {
			return nil
		}
		of, rest = c.Args[0], c.Args[1:]
	}
	var axis pysrc.Expr
	if k := c.Keyword("dim"); k != nil {
		axis = k.Value
	} else if len(rest) > 0 {
		axis = rest[0]
	}
	if number, ok := pysrc.IntValue(axis); axis == nil || !ok || number != -1 {
		return nil
	}
	return of
}

// pairsOf is the product or the difference of two tensors with a new axis each, at different places, and whether it is squared.
func (p *SourcePass) pairsOf(e pysrc.Expr) (pairs *pysrc.BinOp, squared bool) {
	e = p.onceSaid(e)
	switch x := e.(type) {
	case *pysrc.BinOp:
		if two, ok := pysrc.IntValue(x.Right); x.Op == pysrc.Pow && ok && two == 2 {
			e, squared = p.onceSaid(x.Left), true
		}
	case *pysrc.Call:
		a, ok := x.Func.(*pysrc.Attribute)
		if !ok || a.Attr != "pow" && a.Attr != "square" {
			return nil, false
		}
		if a.Attr == "pow" {
			if two, ok := pysrc.IntValue(firstArg(x)); len(x.Args) != 1 || !ok || two != 2 {
				return nil, false
			}
		}
		e, squared = p.onceSaid(a.Value), true
	}
	b, ok := e.(*pysrc.BinOp)
	if !ok || squared && b.Op != pysrc.Sub || !squared && b.Op != pysrc.Mult {
		return nil, false
	}
	left, ok := p.newAxis(b.Left)
	right, also := p.newAxis(b.Right)
	if !ok || !also || left == right || left < 0 || right < 0 {
		return nil, false
	}
	return b, squared
}
