package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// sortedTensor is x of x.sort(), torch.sort(x) and the same with argsort, nil for a list's.
func (p *SourcePass) sortedTensor(c Call) pysrc.Expr {
	if c.Node.Keyword("key") != nil || c.Node.Keyword("reverse") != nil {
		return nil
	}
	if p.NameOf(c.Receiver()) == "torch" {
		return firstArg(c.Node)
	}
	if v := p.Eval(c.Receiver()); v.Name == "numpy" || v.Name == "jax.numpy" {
		return nil
	}
	return c.Receiver()
}

// axisOfSort is the axis that a sort is told, or nil.
func axisOfSort(c Call) pysrc.Expr {
	if k := c.Node.Keyword("dim"); k != nil {
		return k.Value
	}
	args := c.Node.Args
	if of, ok := c.Receiver().(*pysrc.Name); ok && of.ID == "torch" && len(args) > 0 {
		args = args[1:]
	}
	if len(args) > 0 {
		return args[0]
	}
	return nil
}

// orderOf is the sort that gave an expression as its indices, or nil.
func (p *SourcePass) orderOf(e pysrc.Expr) Node {
	name, ok := e.(*pysrc.Name)
	if !ok {
		return nil
	}
	list, given := p.Module.SaidOrGiven(name)
	if given || len(list) != 1 {
		return nil
	}
	value, place := list[0].Value, list[0].Place
	if s, ok := value.(*pysrc.Subscript); ok && place < 0 {
		if at, known := pysrc.IntValue(s.Slice); known {
			value, place = s.Value, int(at)
		}
	}
	c, ok := value.(*pysrc.Call)
	if !ok {
		return nil
	}
	if last := lastName(c.Func); last == "argsort" && place < 0 || last == "sort" && place == 1 {
		return c
	}
	return nil
}

// usesFirst is the number of elements that are used of a sort, and the first use; nil where others are used as well.
func (p *SourcePass) usesFirst(c Call) (count, first pysrc.Expr) {
	u := &sortUses{p: p, call: c, along: -1}
	if axis := axisOfSort(c); axis != nil {
		n, known := pysrc.IntValue(axis)
		if !known {
			return nil, nil
		}
		u.along = n
	}
	if c.Func.Def == nil {
		return nil, nil
	}
	parts := c.Method() == "sort"
	u.follow(c.Func, parts)
	if u.other || u.first == nil {
		return nil, nil
	}
	return u.count, u.first
}

// sortUses looks at what becomes of the result of a sort.
type sortUses struct {
	p            *SourcePass
	call         Call
	along        int64
	count, first pysrc.Expr
	other        bool
}

// follow visits the uses of a sort: in its own expression, or of the variables that it is assigned to. A sort has two parts.
func (u *sortUses) follow(fn *project.Function, parts bool) {
	names := map[string]bool{}
	pysrc.InspectPath(fn.Def, func(n pysrc.Node, path []pysrc.Node) bool {
		if n == pysrc.Node(u.call.Node) {
			u.result(u.call.Node, path, parts, names)
			return true
		}
		name, ok := n.(*pysrc.Name)
		if !ok || !names[name.ID] || name.Ctx != pysrc.Load || name.Start < u.call.Node.End {
			return !u.other
		}
		list, given := u.p.Module.SaidOrGiven(name)
		for _, s := range list {
			if pysrc.Expr(u.call.Node) == s.Value || isPartOf(u.call.Node, s.Value) {
				if given || len(list) > 1 || !u.sliced(path[len(path)-1]) {
					u.other = true
				}
			}
		}
		if len(list) == 0 {
			u.other = true
		}
		return !u.other
	})
}

// isPartOf reports a call that stands in x[0] or x.values of an assigned value.
func isPartOf(c *pysrc.Call, value pysrc.Expr) bool {
	switch x := value.(type) {
	case *pysrc.Subscript:
		return x.Value == pysrc.Expr(c)
	case *pysrc.Attribute:
		return x.Value == pysrc.Expr(c)
	}
	return false
}

// result looks at the place of the sort itself, inside of the nodes of a path.
func (u *sortUses) result(e pysrc.Expr, path []pysrc.Node, parts bool, names map[string]bool) {
	around := path[len(path)-1]
	if parts {
		switch x := around.(type) {
		case *pysrc.Subscript: // sort()[0]
			if _, number := pysrc.IntValue(x.Slice); number && x.Value == e {
				u.result(x, path[:len(path)-1], false, names)
				return
			}
		case *pysrc.Attribute: // sort().values
			if x.Attr == "values" || x.Attr == "indices" {
				u.result(x, path[:len(path)-1], false, names)
				return
			}
		}
	}
	if assign, ok := around.(*pysrc.Assign); ok && len(assign.Targets) == 1 {
		targets := elementsOf(assign.Targets[0])
		if len(targets) == 0 {
			targets = []pysrc.Expr{assign.Targets[0]}
		}
		if parts != (len(targets) == 2) {
			u.other = true
			return
		}
		for _, t := range targets {
			name, ok := t.(*pysrc.Name)
			if !ok {
				u.other = true
				return
			}
			names[name.ID] = true
		}
		return
	}
	u.other = u.other || parts || !u.sliced(around)
}

// sliced reports x[..., :k] along the axis that was sorted, and notes it.
func (u *sortUses) sliced(around pysrc.Node) bool {
	s, ok := around.(*pysrc.Subscript)
	if !ok || s.Ctx != pysrc.Load {
		return false
	}
	elts := []pysrc.Expr{s.Slice}
	if t, ok := s.Slice.(*pysrc.Tuple); ok {
		elts = t.Elts
	}
	at := int(u.along)
	if u.along < 0 {
		if at += len(elts); len(elts) == 1 && !flattened(u.p.sortedTensor(u.call)) {
			return false // of rows
		}
	}
	if at < 0 || at >= len(elts) {
		return false
	}
	for i, e := range elts {
		part, ok := e.(*pysrc.Slice)
		if ok && i == at {
			if part.Lower != nil || part.Upper == nil || part.Step != nil || negative(part.Upper) {
				return false
			}
			if u.first == nil {
				u.count, u.first = part.Upper, s
			}
			continue
		}
		if _, number := pysrc.IntValue(e); i == at || !ok && !number && !pysrc.IsConst(e, pysrc.Ellipsis) {
			return false
		}
	}
	return true
}

// flattened reports x.view(-1), x.flatten() and x.reshape(-1).
func flattened(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	switch lastName(c.Func) {
	case "flatten", "ravel":
		return len(c.Args) == 0
	case "view", "reshape":
		n, known := pysrc.IntValue(firstArg(c))
		return len(c.Args) == 1 && known && n == -1
	}
	return false
}

func isInt(e pysrc.Expr, number int64) bool {
	n, known := pysrc.IntValue(e)
	return known && n == number
}

func negative(e pysrc.Expr) bool {
	n, known := pysrc.IntValue(e)
	u, unary := e.(*pysrc.UnaryOp)
	return known && n < 0 || unary && u.Op == pysrc.USub
}
