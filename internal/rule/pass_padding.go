package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// paddedByHand reports datasets that fill up the tokens of each sample to a length of their own: [pad] * (self.length - len(ids)).
func (p *SourcePass) paddedByHand(said map[*project.Function]bool, fixed func() bool) {
	p.paddedBlocks(said, fixed)
	p.paddedSamples(said, fixed)
	for _, c := range p.CallsTo("len") {
		fn := c.Func
		if said[fn] || fn.Def == nil || len(c.Node.Args) != 1 {
			continue
		}
		length := p.missingOf(c)
		if length == nil || !p.fillsUp(fn, length) {
			continue
		}
		if n, known := p.Eval(leftmost(length)).Int(); known && n < 128 {
			continue
		}
		if fixed() {
			return
		}
		path, ok := p.EverySample(c)
		if !ok {
			path, ok = p.fetchedInStep(c)
		}
		if !ok {
			path, ok = p.mappedSample(c)
		}
		if !ok || path.Kind != project.DataSet && path.Kind != project.TrainingLoop && path.Kind != project.Mapped {
			continue
		}
		said[fn] = true
		p.Report(length, likely*path.Sure).Because(path).Saying("each sample is padded to a fixed length: %s", p.Short(length)).
			Advising("Return the tokens unpadded and pad each batch to its longest sample in collate_fn, with " +
				"torch.nn.utils.rnn.pad_sequence.")
	}
}

// paddedBlocks reports batches that are made as wide as the longest sample may be: torch.full((len(texts), self.limit), pad)
// and then filled row by row.
func (p *SourcePass) paddedBlocks(said map[*project.Function]bool, fixed func() bool) {
	for _, c := range p.CallsTo("torch.full", "torch.zeros", "torch.ones", "numpy.full", "numpy.zeros", "numpy.ones") {
		rows, width := blockSides(c.Node)
		if said[c.Func] || rows == nil || !p.isLenOf(rows) || !p.filledByRow(c) {
			continue
		}
		limit := p.Eval(width)
		n, known := limit.Int()
		if known && n < 128 || !known && project.FieldOfSelf(width) == "" {
			continue
		}
		if fixed() {
			return
		}
		path, ok := p.EverySample(c)
		if !ok || path.Kind != project.Collate || p.EvaluationOnly(c) {
			continue
		}
		said[c.Func] = true
		p.Report(c, likely*path.Sure).Because(path, limit).Saying("each batch is padded to a fixed length: %s", p.Short(width)).
			Advising("Make it as wide as the longest sample of the batch.")
	}
}

// blockSides are the sides of a call that makes a matrix: (rows, width) in one argument, or in two.
func blockSides(c *pysrc.Call) (rows, width pysrc.Expr) {
	sides := c.Args
	if shape := firstArg(c); shape != nil && len(elementsOf(shape)) > 0 {
		sides = elementsOf(shape)
	}
	if len(sides) != 2 {
		return nil, nil
	}
	return sides[0], sides[1]
}

// isLenOf reports len(x), or a variable that holds one.
func (p *SourcePass) isLenOf(e pysrc.Expr) bool {
	c, ok := p.onceSaid(e).(*pysrc.Call)
	return ok && pysrc.DottedName(c.Func) == "len"
}

// filledByRow reports a matrix whose rows a loop of its function sets in part: block[i, :len(ids)] = ids, block[i, k] = v.
func (p *SourcePass) filledByRow(c Call) bool {
	name := p.variableOf(c)
	if name == "" || c.Func.Def == nil {
		return false
	}
	found := false
	pysrc.Inspect(c.Func.Def, func(n pysrc.Node) bool {
		if part, ok := n.(*pysrc.Subscript); ok && part.Ctx == pysrc.Store && isNamed(part.Value, name) && p.InLoop(part) {
			found = found || len(elementsOf(part.Slice)) == 2
		}
		return !found
	})
	return found
}

// missingOf is the difference of a fixed length and a len(…), perhaps less the tokens around it: self.length -
// len(ids) - 2; or nil.
func (p *SourcePass) missingOf(c Call) (whole *pysrc.BinOp) {
	for {
		around := p.parentOf(c.Func, whole, c.Node)
		if around == nil || around.Op != pysrc.Sub && (around.Op != pysrc.Add || whole == nil || !isNumber(around.Right)) {
			break
		}
		whole = around
	}
	if whole == nil {
		return nil
	}
	switch first := p.onceSaid(leftmost(whole)).(type) {
	case *pysrc.Attribute:
		if root, ok := first.Value.(*pysrc.Name); ok && root.ID == "self" {
			return whole
		}
	case *pysrc.Name:
		if _, known := p.Eval(first).Int(); known {
			return whole
		}
	case *pysrc.Constant:
		return whole
	}
	return nil
}

// parentOf is the binary operation that has an expression as its operand, or nil.
func (p *SourcePass) parentOf(fn *project.Function, of *pysrc.BinOp, call *pysrc.Call) (around *pysrc.BinOp) {
	operand := pysrc.Expr(call)
	if of != nil {
		operand = of
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && (b.Left == operand || b.Right == operand) {
			around = b
		}
		return around == nil && (n == pysrc.Node(fn.Def) || n.Bounds().Contains(int(call.Start)))
	})
	return around
}

func leftmost(e pysrc.Expr) pysrc.Expr {
	for {
		b, ok := e.(*pysrc.BinOp)
		if !ok {
			return e
		}
		e = b.Left
	}
}

// fillsUp reports whether a function repeats something as often as a number says: [0] * n, [0 for _ in range(n)].
func (p *SourcePass) fillsUp(fn *project.Function, n *pysrc.BinOp) bool {
	is := func(e pysrc.Expr) bool {
		if name, ok := e.(*pysrc.Name); ok {
			return p.Module.SaidLast(name) == pysrc.Expr(n)
		}
		return e == pysrc.Expr(n)
	}
	found := false
	pysrc.Inspect(fn.Def, func(node pysrc.Node) bool {
		switch x := node.(type) {
		case *pysrc.BinOp:
			_, left := x.Left.(*pysrc.List)
			_, right := x.Right.(*pysrc.List)
			found = found || x.Op == pysrc.Mult && (left && is(x.Right) || right && is(x.Left))
		case *pysrc.ListComp:
			for _, g := range x.Generators {
				if r, ok := g.Iter.(*pysrc.Call); ok && pysrc.DottedName(r.Func) == "range" && len(r.Args) == 1 && is(r.Args[0]) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}
