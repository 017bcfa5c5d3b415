package rule

import "saturate/internal/pysrc"

// oneHot is a call that fills a one-hot tensor, and the variable that holds it, if any.
type oneHot struct {
	call   Call
	whole  pysrc.Expr // with the casts and views around the call
	holder string
}

// oneHots are the one-hot tensors that a module makes on the GPU where training gets to.
func (p *SourcePass) oneHots() (list []oneHot) {
	for _, c := range p.CallsTo("torch.nn.functional.one_hot") {
		if of := firstArg(c.Node); of != nil && p.mayStep(c) && p.OnDevice(of) >= probable {
			list = append(list, p.heldOneHot(c))
		}
	}
	for _, c := range p.MethodCalls("scatter", "scatter_") {
		if !p.mayStep(c) || len(c.Node.Args) != 3 || len(c.Node.Keywords) > 0 {
			continue
		}
		if one, ok := pysrc.FloatValue(c.Node.Args[2]); !ok || one != 1 {
			continue
		}
		made, ok := p.onceSaid(c.Receiver()).(*pysrc.Call)
		if !ok || p.OnDevice(c.Node.Args[1]) < probable && p.OnDevice(made) < probable {
			continue
		}
		switch lastName(made.Func) {
		case "zeros", "zeros_like", "new_zeros":
			hot := p.heldOneHot(c)
			if name, ok := c.Receiver().(*pysrc.Name); ok && c.Method() == "scatter_" && hot.holder == "" {
				hot.holder = name.ID
			}
			list = append(list, hot)
		}
	}
	return list
}

// heldOneHot finds the variable that a call's result is assigned to, through casts and views: F.one_hot(x, n).float().
func (p *SourcePass) heldOneHot(c Call) oneHot {
	hot := oneHot{call: c, whole: c.Node}
	stmt := p.Module.StatementAt(c.Node.Start)
	if stmt == nil {
		return hot
	}
	pysrc.InspectPath(stmt, func(n pysrc.Node, path []pysrc.Node) bool {
		if n != pysrc.Node(c.Node) {
			return true
		}
		for i := len(path) - 1; i > 0; i -= 2 {
			a, ok := path[i].(*pysrc.Attribute)
			if !ok {
				break
			}
			call, ok := path[i-1].(*pysrc.Call)
			if !ok || viewed(call) == nil && a.Attr != "float" && a.Attr != "type_as" && a.Attr != "type" && a.Attr != "half" {
				break
			}
			hot.whole = call
		}
		return false
	})
	if assign, ok := stmt.(*pysrc.Assign); ok && assign.Value == hot.whole && len(assign.Targets) == 1 {
		if name, ok := assign.Targets[0].(*pysrc.Name); ok {
			hot.holder = name.ID
		}
	}
	return hot
}

// multipliedHot finds a matrix product and a product of elements of which a one-hot tensor is a factor, itself, transposed, or by its
// variable.
func (p *SourcePass) multipliedHot(hot oneHot) (matrix, factor pysrc.Expr) {
	fn := hot.call.Func
	if fn.Def == nil {
		return nil, nil
	}
	var is func(e pysrc.Expr) bool
	is = func(e pysrc.Expr) bool {
		switch x := e.(type) {
		case *pysrc.Name:
			return hot.holder == x.ID && x.Start > hot.call.Node.Start && p.stillHolds(x, hot)
		case *pysrc.Call:
			if e == hot.whole {
				return true
			}
			of := viewed(x)
			if of == nil && (lastName(x.Func) == "float" || lastName(x.Func) == "type_as") {
				if a, ok := x.Func.(*pysrc.Attribute); ok {
					of = a.Value
				}
			}
			return of != nil && is(of)
		case *pysrc.Attribute:
			return (x.Attr == "T" || x.Attr == "mT") && is(x.Value)
		}
		return false
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.BinOp:
			if !is(x.Left) && !is(x.Right) {
				return true
			}
			if x.Op == pysrc.MatMult {
				matrix = x
			} else if x.Op == pysrc.Mult && factor == nil {
				factor = x
			}
		case *pysrc.Call:
			switch lastName(x.Func) {
			case "matmul", "mm", "bmm", "einsum":
				for _, a := range x.Args {
					if is(a) {
						matrix = x
					}
				}
				if a, ok := x.Func.(*pysrc.Attribute); ok && is(a.Value) {
					matrix = x
				}
			}
		}
		return matrix == nil
	})
	return matrix, factor
}

// stillHolds reports a variable that was last set to a one-hot tensor, or to the zeros that it was scattered into.
func (p *SourcePass) stillHolds(name *pysrc.Name, hot oneHot) bool {
	list, given := p.Module.SaidOrGiven(name)
	if given || len(list) != 1 {
		return false
	}
	said := list[0].Value
	return said == hot.whole || said == pysrc.Expr(hot.call.Node) || hot.call.Method() == "scatter_" && said == p.onceSaid(hot.call.Receiver())
}
