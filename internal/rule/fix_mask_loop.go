package rule

import (
	"slices"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

// fillAtOnce repairs a loop that fills the rows of a mask from or up to the length of each sample:
//
//	mask = torch.zeros(b, t, dtype=torch.bool, device=x.device)
//	for i in range(b):
//	    mask[i, lengths[i]:] = True
//
// One comparison of positions with lengths says the same.
func (p *SourcePass) fillAtOnce(r *Report, loop *pysrc.For) {
	if r == nil || loop == nil {
		return
	}
	if edits := p.filledAtOnce(loop); len(edits) > 0 {
		r.Fix(Safe, "fill the mask in one operation", edits...)
	}
}

// fillAlso adds another loop of the function to the fix, or takes the fix away where that loop would stay.
func (p *SourcePass) fillAlso(r *Report, loop *pysrc.For) {
	var edits []patch.Edit
	if loop != nil {
		edits = p.filledAtOnce(loop)
	}
	if len(edits) == 0 {
		r.finding.Fixes = nil
		return
	}
	fix := &r.finding.Fixes[0]
	for _, e := range edits {
		if !slices.Contains(fix.Edits, e) {
			fix.Edits = append(fix.Edits, e)
		}
	}
}

func (p *SourcePass) filledAtOnce(loop *pysrc.For) []patch.Edit {
	if len(loop.Body) != 1 || len(loop.Orelse) > 0 {
		return nil
	}
	mask, index, cut, value := rowFill(loop.Body[0])
	if mask == nil || !isWrittenNumber(value) {
		return nil
	}
	rows := p.rowsOfMask(mask)
	if rows == nil {
		return nil
	}
	bound, compare := cut.Lower, ">="
	if bound == nil {
		bound, compare = cut.Upper, "<"
	}
	lengths := p.lengthsOfLoop(loop, index, bound, rows)
	if lengths == nil || !p.isOneTensor(lengths, 0) || p.OnDevice(lengths) < probable {
		return nil
	}
	name := p.Text(mask)
	arange, edits := p.Import("torch.arange")
	text := name + ".masked_fill_(" + arange + "(" + name + ".size(1), device=" + name + ".device) " + compare + " " +
		p.Text(lengths) + "[:, None].to(" + name + ".device), " + p.Text(value) + ")"
	return append(edits, p.Replace(loop, text))
}

// rowFill reads mask[i, n:] = value and mask[i, :n] = value, also as mask[i][n:].
func rowFill(s pysrc.Stmt) (mask *pysrc.Name, index string, cut *pysrc.Slice, value pysrc.Expr) {
	a, ok := s.(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 {
		return nil, "", nil, nil
	}
	part, ok := a.Targets[0].(*pysrc.Subscript)
	if !ok {
		return nil, "", nil, nil
	}
	of, row, along := part.Value, pysrc.Expr(nil), part.Slice
	if both, ok := part.Slice.(*pysrc.Tuple); ok && len(both.Elts) == 2 {
		row, along = both.Elts[0], both.Elts[1]
	} else if inner, ok := of.(*pysrc.Subscript); ok {
		of, row = inner.Value, inner.Slice
	}
	i, named := row.(*pysrc.Name)
	mask, known := of.(*pysrc.Name)
	cut, sliced := along.(*pysrc.Slice)
	if !named || !known || !sliced || cut.Step != nil || (cut.Lower == nil) == (cut.Upper == nil) {
		return nil, "", nil, nil
	}
	return mask, i.ID, cut, a.Value
}

// isWrittenNumber reports True, 1, -1e9 and float("-inf").
func isWrittenNumber(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Constant:
		return x.Kind == pysrc.True || x.Kind == pysrc.False || x.Kind == pysrc.Int || x.Kind == pysrc.Float
	case *pysrc.UnaryOp:
		return isWrittenNumber(x.Operand)
	case *pysrc.Call:
		_, text := pysrc.StringValue(firstArg(x))
		return text && isNamed(x.Func, "float") && len(x.Args) == 1
	}
	return false
}

// rowsOfMask is the first of the two sizes that one call of torch makes a tensor with; nil for other tensors.
func (p *SourcePass) rowsOfMask(mask *pysrc.Name) pysrc.Expr {
	made, ok := p.Module.SaidOnce(mask).(*pysrc.Call)
	if !ok {
		return nil
	}
	sizes := made.Args
	switch p.NameOf(made.Func) {
	case "torch.zeros", "torch.ones":
	case "torch.full":
		sizes = sizes[:min(1, len(sizes))]
	default:
		return nil
	}
	if len(sizes) == 1 {
		sizes = elementsOf(sizes[0])
	}
	if len(sizes) != 2 {
		return nil
	}
	return sizes[0]
}

// lengthsOfLoop is the tensor whose element for each row a bound is: lengths of lengths[i], and of n where the loop is over
// enumerate(lengths). It is nil where the loop goes over other rows than the mask has.
func (p *SourcePass) lengthsOfLoop(loop *pysrc.For, index string, bound, rows pysrc.Expr) pysrc.Expr {
	for {
		c, ok := bound.(*pysrc.Call)
		if !ok {
			break
		}
		if a, ok := c.Func.(*pysrc.Attribute); ok && a.Attr == "item" && len(c.Args) == 0 {
			bound = a.Value
		} else if isNamed(c.Func, "int") && len(c.Args) == 1 {
			bound = c.Args[0]
		} else {
			return nil
		}
	}
	over, ok := loop.Iter.(*pysrc.Call)
	if !ok || len(over.Args) != 1 || len(over.Keywords) > 0 {
		return nil
	}
	switch {
	case isNamed(over.Func, "range") && isNamed(loop.Target, index):
		part, ok := bound.(*pysrc.Subscript)
		if !ok || !isNamed(part.Slice, index) || !isName(part.Value) {
			return nil
		}
		of := p.sizeOf(over.Args[0], 0)
		if p.Text(over.Args[0]) != p.Text(rows) && (of == nil || p.Text(of) != p.Text(part.Value)) {
			return nil
		}
		return part.Value
	case isNamed(over.Func, "enumerate") && isName(over.Args[0]):
		pair := elementsOf(loop.Target)
		if len(pair) != 2 || !isNamed(pair[0], index) {
			return nil
		}
		n, ok := pair[1].(*pysrc.Name)
		if !ok || !isNamed(bound, n.ID) {
			return nil
		}
		return over.Args[0]
	}
	return nil
}
