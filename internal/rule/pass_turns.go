package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// turns are a loop, a comprehension or a generator, with what its iterations get and do.
type turns struct {
	whole  pysrc.Node
	at     Node
	loop   pysrc.Stmt // nil for a comprehension
	target []pysrc.Expr
	iter   []pysrc.Expr
	body   []pysrc.Node
	// varying are the variables that differ from turn to turn.
	varying map[string]bool
}

// turnsOf takes a loop or a comprehension apart; nothing for other nodes.
func turnsOf(n pysrc.Node) (t turns, ok bool) {
	switch x := n.(type) {
	case *pysrc.For:
		return turns{x, header(x), x, []pysrc.Expr{x.Target}, []pysrc.Expr{x.Iter}, statements(x.Body), nil}, true
	case *pysrc.ListComp:
		return comprehended(x, x.Elt, x.Generators), true
	case *pysrc.GeneratorExp:
		return comprehended(x, x.Elt, x.Generators), true
	}
	return turns{}, false
}

func comprehended(whole pysrc.Expr, each pysrc.Expr, of []*pysrc.Comprehension) turns {
	t := turns{whole: whole, at: whole, body: []pysrc.Node{each}}
	for _, g := range of {
		t.target, t.iter = append(t.target, g.Target), append(t.iter, g.Iter)
		for _, test := range g.Ifs {
			t.body = append(t.body, test)
		}
	}
	return t
}

// deepestTurns is how far the question is followed how often a loop turns.
const deepestTurns = 6

// turnsOften reports what a loop goes over that is as many as a batch has samples, a sequence steps, or a tensor rows.
func (p *SourcePass) turnsOften(iter pysrc.Expr, depth int) bool {
	if depth > deepestTurns || overConstant(iter) {
		return false
	}
	switch x := iter.(type) {
	case *pysrc.Name:
		return !p.isList(x) && p.oneOnGPU(x) || p.manyIn(x, depth)
	case *pysrc.Subscript:
		return p.oneOnGPU(x) || p.partOfBatch(x)
	case *pysrc.ListComp:
		return p.turnsOften(x.Generators[0].Iter, depth+1)
	case *pysrc.GeneratorExp:
		return p.turnsOften(x.Generators[0].Iter, depth+1)
	case *pysrc.BinOp, *pysrc.Attribute:
		return p.oneOnGPU(x)
	case *pysrc.Call:
		return p.manyFrom(x, depth)
	}
	return false
}

// manyFrom is turnsOften for what a call gives.
func (p *SourcePass) manyFrom(c *pysrc.Call, depth int) bool {
	name, of := lastName(c.Func), firstArg(c)
	if method, ok := c.Func.(*pysrc.Attribute); ok && p.NameOf(c.Func) != "torch."+name {
		of = method.Value
	}
	if of == nil {
		return false
	}
	switch name {
	case "enumerate", "reversed", "list", "tuple", "tqdm", "sorted", "iter":
		return p.turnsOften(of, depth+1)
	case "zip":
		return !slices.ContainsFunc(c.Args, overConstant) && slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return p.turnsOften(e, depth+1) })
	case "range":
		return p.manyCounted(c, depth)
	case "tolist":
		return true
	case "unbind", "unique", "nonzero", "numpy", "cpu":
		return p.oneOnGPU(of) || p.turnsOften(of, depth+1)
	case "split", "split_with_sizes", "tensor_split": // into parts of given lengths
		at := 0
		if of == firstArg(c) {
			at = 1
		}
		return len(c.Args) > at && p.valueOnGPU(of, 0) >= likely && !p.fewSizes(c.Args[at])
	}
	return p.oneOnGPU(c)
}

// fewSizes reports the sizes of a split that are written out, or that are one number.
func (p *SourcePass) fewSizes(sizes pysrc.Expr) bool {
	n, number := p.Eval(sizes).Int()
	if number {
		return n != 1
	}
	return !p.turnsOften(p.onceSaid(sizes), 2)
}

// manyCounted is turnsOften for a range.
func (p *SourcePass) manyCounted(c *pysrc.Call, depth int) bool {
	if len(c.Args) == 0 {
		return false
	}
	bound := c.Args[min(1, len(c.Args)-1)]
	if len(c.Args) > 2 {
		by, known := p.Eval(c.Args[2]).Int()
		switch {
		case known && by == -1:
			bound = c.Args[0]
		case !known || by != 1:
			return false // pieces of several
		}
	}
	for b, ok := p.onceSaid(bound).(*pysrc.BinOp); ok; b, ok = p.onceSaid(bound).(*pysrc.BinOp) {
		if b.Op != pysrc.Add && b.Op != pysrc.Sub {
			return false // pieces of several
		}
		bound = b.Left
	}
	if p.isSize(bound, 0) {
		return !isLastSize(bound)
	}
	if length, ok := p.onceSaid(bound).(*pysrc.Call); ok && lastName(length.Func) == "len" && len(length.Args) == 1 {
		return p.turnsOften(length.Args[0], depth+1)
	}
	n, known := p.Eval(bound).Int()
	return known && n >= fewParts
}

// manyIn is turnsOften for a variable: for the list that a loop of many turns fills, and for what callers pass.
func (p *SourcePass) manyIn(name *pysrc.Name, depth int) bool {
	list, given := p.Module.SaidOrGiven(name)
	if len(list) == 1 && !given {
		if list[0].Place >= 0 {
			return false
		}
		if empty, ok := list[0].Value.(*pysrc.List); ok && len(empty.Elts) == 0 {
			return p.manyAppended(name, depth)
		}
		return p.turnsOften(list[0].Value, depth+1)
	}
	if p.partOfBatch(name) {
		return true
	}
	fn := p.Function(name)
	if !given || len(list) > 0 || fn.Def == nil {
		return false
	}
	givers := p.Project.Givers(fn)
	if len(givers) == 0 || len(givers) > 4 {
		return false
	}
	for _, s := range givers {
		arg := s.Given(fn, name.ID)
		if arg == nil || !p.In(s.Module()).turnsOften(arg, depth+1) {
			return false
		}
	}
	return true
}

// manyAppended is what a loop goes over that appends to a list in each of many turns.
func (p *SourcePass) manyAppended(name *pysrc.Name, depth int) bool {
	for _, s := range p.Function(name).Sites {
		if s.Method() != "append" || !isNamed(s.Node.Func.(*pysrc.Attribute).Value, name.ID) || s.Node.Start > name.Start {
			continue
		}
		if loop, ok := p.LoopAround(s).(*pysrc.For); ok && !p.isTrainingLoop(loop) {
			return p.turnsOften(loop.Iter, depth+1)
		}
	}
	return false
}

// partOfBatch reports a part of what a training loop gets from its loader, which has one entry for each sample.
func (p *SourcePass) partOfBatch(e pysrc.Expr) bool {
	root := rootName(e)
	if root == "" {
		return false
	}
	training := p.loopHolding(e)
	if training == nil {
		return false
	}
	outer, ok := training.Stmt.(*pysrc.For)
	if !ok {
		return false
	}
	target := outer.Target
	if c, ok := outer.Iter.(*pysrc.Call); ok && lastName(c.Func) == "enumerate" {
		if parts := elementsOf(target); len(parts) == 2 {
			target = parts[1]
		}
	}
	if parts := elementsOf(target); len(parts) > 1 {
		return slices.ContainsFunc(parts, func(part pysrc.Expr) bool { return isNamed(part, root) })
	}
	_, plain := e.(*pysrc.Name)
	return !plain && isNamed(target, root)
}
