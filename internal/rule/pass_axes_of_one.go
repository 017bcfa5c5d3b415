package rule

import "saturate/internal/pysrc"

// deepestAxes is through how many variables and calls the axes of a tensor are followed.
const deepestAxes = 5

// axesOfOne are the axes of a tensor of so many axes that are known to have one element.
func (p *SourcePass) axesOfOne(e pysrc.Expr, rank, depth int) map[int]bool {
	if depth > deepestAxes || rank <= 0 {
		return nil
	}
	switch x := e.(type) {
	case *pysrc.Name:
		if said := p.Module.SaidLast(x); said != nil {
			return p.axesOfOne(said, rank, depth+1)
		}
	case *pysrc.Attribute:
		return p.axesOfParameter(x, rank)
	case *pysrc.Subscript:
		if first, whole := pysrc.IntValue(x.Slice); whole && first == 0 {
			if c, ok := x.Value.(*pysrc.Call); ok { // x.max(2, keepdim=True)[0]
				return p.axesReduced(c, rank)
			}
			return nil
		}
		return axesAdded(x)
	case *pysrc.Call:
		method, ok := x.Func.(*pysrc.Attribute)
		if !ok {
			return nil
		}
		switch method.Attr {
		case "unsqueeze":
			at, known := pysrc.IntValue(firstArg(x))
			if !known {
				return nil
			}
			if at < 0 {
				at += int64(rank)
			}
			ones := map[int]bool{int(at): true}
			for axis := range p.axesOfOne(method.Value, rank-1, depth+1) {
				if axis >= int(at) {
					axis++
				}
				ones[axis] = true
			}
			return ones
		case "view", "reshape":
			return literalOnes(x.Args, rank)
		case "cat", "concat":
			return p.axesJoined(x, rank, depth)
		}
		return p.axesReduced(x, rank)
	}
	return nil
}

// axesJoined are those of the first part of torch.cat, but for the axis along which the parts are joined.
func (p *SourcePass) axesJoined(c *pysrc.Call, rank, depth int) map[int]bool {
	var parts []pysrc.Expr
	switch list := firstArg(c).(type) {
	case *pysrc.List:
		parts = list.Elts
	case *pysrc.Tuple:
		parts = list.Elts
	}
	var along pysrc.Expr
	if k := c.Keyword("dim"); k != nil {
		along = k.Value
	} else if len(c.Args) > 1 {
		along = c.Args[1]
	}
	at, known := int64(0), along == nil
	if along != nil {
		at, known = pysrc.IntValue(along)
	}
	if !known || len(parts) == 0 {
		return nil
	}
	if at < 0 {
		at += int64(rank)
	}
	ones := p.axesOfOne(parts[0], rank, depth+1)
	delete(ones, int(at))
	return ones
}

// axesOfParameter are those of a parameter that is made with its sizes written out: self.token of nn.Parameter(torch.zeros(1, 1, width)).
func (p *SourcePass) axesOfParameter(e pysrc.Expr, rank int) map[int]bool {
	v := p.Eval(e)
	if !v.IsInstance("torch.nn.Parameter") || v.Made == nil {
		return nil
	}
	made, ok := firstArg(v.Made.Node).(*pysrc.Call)
	if !ok {
		return nil
	}
	switch lastName(made.Func) {
	case "zeros", "ones", "randn", "rand", "empty", "Tensor", "FloatTensor":
		return literalOnes(made.Args, rank)
	}
	return nil
}

// literalOnes are the places of a 1 among sizes that are written out.
func literalOnes(sizes []pysrc.Expr, rank int) map[int]bool {
	if len(sizes) != rank {
		return nil
	}
	ones := map[int]bool{}
	for axis, size := range sizes {
		if n, known := pysrc.IntValue(size); known && n == 1 {
			ones[axis] = true
		}
	}
	return ones
}

// axesAdded are those that x[:, None] adds. Anything but None and whole axes in the brackets is not followed.
func axesAdded(x *pysrc.Subscript) map[int]bool {
	places := []pysrc.Expr{x.Slice}
	if tuple, ok := x.Slice.(*pysrc.Tuple); ok {
		places = tuple.Elts
	}
	ones := map[int]bool{}
	for axis, place := range places {
		whole, ok := place.(*pysrc.Slice)
		switch {
		case pysrc.IsConst(place, pysrc.None):
			ones[axis] = true
		case !ok || whole.Lower != nil || whole.Upper != nil || whole.Step != nil:
			return nil
		}
	}
	return ones
}

// axesReduced are those that a reduction with keepdim=True keeps.
func (p *SourcePass) axesReduced(c *pysrc.Call, rank int) map[int]bool {
	keeps := c.Keyword("keepdim")
	if keeps == nil || !pysrc.IsConst(keeps.Value, pysrc.True) {
		return nil
	}
	var axis pysrc.Expr
	method, ok := c.Func.(*pysrc.Attribute)
	switch {
	case c.Keyword("dim") != nil:
		axis = c.Keyword("dim").Value
	case ok && p.NameOf(method.Value) == "torch" && len(c.Args) > 1:
		axis = c.Args[1]
	case ok && p.NameOf(method.Value) != "torch" && len(c.Args) > 0:
		axis = c.Args[0]
	}
	if axis == nil {
		return nil
	}
	at, known := pysrc.IntValue(axis)
	if !known {
		return nil
	}
	if at < 0 {
		at += int64(rank)
	}
	return map[int]bool{int(at): true}
}
