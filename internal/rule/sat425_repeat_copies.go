package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// repeatCopies finds tensors that repeat copies along an axis of one element, where a view does.
var repeatCopies = Rule{
	Code: "SAT425", Name: "repeat-copies", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "repeat copies a tensor where expand does not",
	What: "x.unsqueeze(2).repeat(1, 1, n), and repeat behind view(…, 1), [:, None], a reduction with keepdim=True or of a parameter " +
		"with axes of one element, in every training step, where the result only goes into arithmetic or torch.cat.",
	Why: "repeat writes each copy to memory, and what uses them reads them again. expand shows the one element n times, and " +
		"arithmetic broadcasts by itself.",
	Fine: "A result that is written to in place.",
	Bad:  "x = torch.cat((x.unsqueeze(2).repeat(1, 1, n), points), dim=1)",
	Good: "x = torch.cat((x.unsqueeze(2).expand(-1, -1, n), points), dim=1)",

	Safety: Safe,
	Source: func(p *SourcePass) {
		if !p.Module.InStep() || !p.runsOnGPU() || p.jaxOnly() {
			return
		}
		said := map[*project.Function]*Report{}
		for _, c := range p.MethodCalls("repeat") {
			counts := countsOfRepeat(c.Node)
			if !p.mayStep(c) || !p.repeatsOnes(c, counts) || !p.onlyBroadcast(c) || p.OnDevice(c.Receiver()) < probable {
				continue
			}
			way, ok := p.EachStep(c)
			if !ok {
				continue
			}
			edits := p.expandInstead(c, counts)
			if r := said[c.Func]; r != nil {
				r.Because(p.At(c, "and here"))
				r.finding.Fixes[0].Edits = append(r.finding.Fixes[0].Edits, edits...)
				continue
			}
			said[c.Func] = p.Report(c, likely*way.Sure).Because(way).
				Small("one copy takes little beside most steps").
				Fix(Safe, "expand it, which copies nothing", edits...)
		}
	},
}

// countsOfRepeat are how often x.repeat(1, n) and x.repeat([1, n]) repeat each axis.
func countsOfRepeat(c *pysrc.Call) []pysrc.Expr {
	if len(c.Keywords) > 0 {
		return nil
	}
	if len(c.Args) == 1 {
		switch list := c.Args[0].(type) {
		case *pysrc.List:
			return list.Elts
		case *pysrc.Tuple:
			return list.Elts
		}
	}
	return c.Args
}

// repeatsOnes reports a call that repeats only axes of one element.
func (p *SourcePass) repeatsOnes(c Call, counts []pysrc.Expr) bool {
	ones := p.axesOfOne(c.Receiver(), len(counts), 0)
	repeated := false
	for axis, count := range counts {
		if _, star := count.(*pysrc.Starred); star {
			return false
		}
		if n, known := pysrc.IntValue(count); known && n == 1 {
			continue
		}
		if !ones[axis] {
			return false
		}
		repeated = true
	}
	return repeated
}

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

// onlyBroadcast reports a tensor that only goes into arithmetic and torch.cat, itself or by the variable that holds it.
func (p *SourcePass) onlyBroadcast(c Call) bool {
	fn := c.Func.Def
	if fn == nil {
		return false
	}
	var holder string
	fine, uses := true, 0
	pysrc.InspectPath(fn, func(n pysrc.Node, path []pysrc.Node) bool {
		switch {
		case n == pysrc.Node(c.Node):
			if a, ok := path[len(path)-1].(*pysrc.Assign); ok && len(a.Targets) == 1 {
				if name, ok := a.Targets[0].(*pysrc.Name); ok {
					holder = name.ID
					return true
				}
			}
			fine, uses = fine && broadcasts(path), uses+1
		case holder != "":
			name, ok := n.(*pysrc.Name)
			if !ok || name.ID != holder || name.Start < c.Node.End {
				return true
			}
			if name.Ctx == pysrc.Store {
				_, again := path[len(path)-1].(*pysrc.AugAssign)
				fine = fine && !again
				return true
			}
			switch said := p.Module.SaidLast(name); {
			case said == pysrc.Expr(c.Node) && !asksSize(path[len(path)-1]):
				fine, uses = fine && broadcasts(path), uses+1
			case said == nil:
				fine = false
			}
		}
		return fine
	})
	return fine && uses > 0
}

// broadcasts reports what stands in arithmetic, or in a list that torch.cat joins; path are the nodes around it.
func broadcasts(path []pysrc.Node) bool {
	switch around := path[len(path)-1].(type) {
	case *pysrc.BinOp:
		return around.Op != pysrc.MatMult
	case *pysrc.List, *pysrc.Tuple:
		if len(path) < 2 {
			return false
		}
		c, ok := path[len(path)-2].(*pysrc.Call)
		return ok && (lastName(c.Func) == "cat" || lastName(c.Func) == "concat")
	}
	return false
}

// expandInstead are the edits that make x.expand(-1, n) of x.repeat(1, n).
func (p *SourcePass) expandInstead(c Call, counts []pysrc.Expr) []patch.Edit {
	method := c.Node.Func.(*pysrc.Attribute)
	edits := []patch.Edit{p.Module.Edit(pysrc.Span{Start: method.End - int32(len(method.Attr)), End: method.End}, "expand")}
	for _, count := range counts {
		if n, known := pysrc.IntValue(count); known && n == 1 {
			edits = append(edits, p.Module.Edit(count.Bounds(), "-1"))
		}
	}
	return edits
}
