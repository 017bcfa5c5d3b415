package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// rowTurns takes apart a loop or a comprehension, also while len(rows) < n.
func (p *SourcePass) rowTurns(n pysrc.Node) (t turns, ok bool) {
	if loop, gathers := n.(*pysrc.While); gathers {
		if count := gatheredCount(loop); count != nil {
			return turns{whole: loop, at: header(loop), loop: loop, iter: []pysrc.Expr{count}, body: statements(loop.Body)}, true
		}
		return t, false
	}
	return turnsOf(n)
}

// drawnRows reports a loop over as many rows as a batch has: over drawn indices or samples, a slice of all of them, or a range up to a
// number that is not known to be small.
func (p *SourcePass) drawnRows(t *turns) bool {
	if _, gathers := t.loop.(*pysrc.While); gathers {
		return p.countsRows(t.iter[0])
	}
	return p.rowsDrawn(t.iter[0], 0) || p.fillsAlike(t) || p.fillsRows(t) != nil
}

// fillsRows is the array x whose rows x[i] or x[i, …] a loop writes, and which the function has made with as many rows as something has: in each turn
// the next of all rows; nil when there is none.
func (p *SourcePass) fillsRows(t *turns) (found *pysrc.Call) {
	target := t.target[0]
	if callsNamed(t.iter[0], "enumerate") {
		target = firstOf(target)
	}
	index, ok := target.(*pysrc.Name)
	if t.loop == nil || !ok || !isRange(t.iter[0]) && !callsNamed(t.iter[0], "enumerate") {
		return nil
	}
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			part, ok := n.(*pysrc.Subscript)
			if !ok || part.Ctx != pysrc.Store || found != nil || !isNamed(firstIndex(part), index.ID) {
				return found == nil
			}
			if name, ok := part.Value.(*pysrc.Name); ok {
				for _, e := range assignedIn(p.Function(part), name.ID) {
					if made := madeToFill(e); made != nil && p.hasRowsOf(made) {
						found = made
					}
				}
			}
			return found == nil
		})
	}
	return found
}

// hasRowsOf reports np.zeros((len(x), n)) and np.zeros(x.shape[0]): an array that is made with the rows of something.
func (p *SourcePass) hasRowsOf(made *pysrc.Call) bool {
	if _, name, _ := cutLast(p.NameOf(made.Func)); !fillable[name] {
		return false
	}
	shape := firstArg(made)
	if parts := elementsOf(shape); len(parts) > 0 {
		shape = parts[0]
	}
	if shape == nil {
		return false
	}
	length, ok := p.onceSaid(shape).(*pysrc.Call)
	return p.sizeOf(shape, 0) != nil || ok && lastName(length.Func) == "len"
}

// fillsAlike reports a loop over all rows of an array that fills another of the same shape row by row: out = np.empty_like(images).
func (p *SourcePass) fillsAlike(t *turns) bool {
	for _, over := range iterablesOf(t.iter[0]) {
		name, ok := over.(*pysrc.Name)
		if ok && t.loop != nil && p.likened(name) && p.valueOnGPU(name, 0) < likely {
			return true
		}
	}
	return false
}

// countsRows reports a number that may be that of a batch's rows: it is not written out, and not known to be small.
func (p *SourcePass) countsRows(n pysrc.Expr) bool {
	if _, written := pysrc.IntValue(n); written {
		return false
	}
	known, ok := p.Eval(n).Int()
	return !ok || known >= manyDraws
}

// rowsDrawn reports what gives the rows of one batch, or their indices.
func (p *SourcePass) rowsDrawn(e pysrc.Expr, depth int) bool {
	if depth > deepestTurns {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Call:
		return p.rowsFrom(x, depth)
	case *pysrc.Subscript:
		cut, ok := x.Slice.(*pysrc.Slice)
		if !ok {
			return p.valueOnGPU(x.Value, 0) < likely && p.indexesRows(x.Slice, depth+1)
		}
		return ok && cut.Upper != nil && cut.Lower != nil && p.countsRows(cut.Upper) && p.valueOnGPU(x, 0) < likely
	case *pysrc.ListComp:
		return p.rowsDrawn(x.Generators[0].Iter, depth+1)
	case *pysrc.Name:
		return p.rowsNamed(x, depth)
	}
	return false
}

// rowsFrom is rowsDrawn of what a call gives.
func (p *SourcePass) rowsFrom(c *pysrc.Call, depth int) bool {
	switch lastName(c.Func) {
	case "enumerate", "list", "tuple", "reversed", "sorted", "iter", "tqdm":
		return len(c.Args) > 0 && p.rowsDrawn(c.Args[0], depth+1)
	case "zip":
		return slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { return p.rowsDrawn(e, depth+1) })
	case "range":
		if len(c.Args) == 3 {
			return false // pieces of several
		}
		return len(c.Args) > 0 && p.countsRows(c.Args[len(c.Args)-1])
	case "tolist", "numpy", "cpu":
		a, ok := c.Func.(*pysrc.Attribute)
		return ok && p.rowsDrawn(a.Value, depth+1)
	}
	return p.drawsRows(c)
}

// drawsRows reports a call that draws many at once: random.sample(memory, n), np.random.choice(n, size), torch.randperm(n).
func (p *SourcePass) drawsRows(c *pysrc.Call) bool {
	name := p.NameOf(c.Func)
	switch name {
	case "random.sample", "random.choices", "torch.randint", "torch.randperm", "torch.multinomial":
		return true
	}
	if !strings.HasPrefix(name, "numpy.random.") || len(c.Args)+len(c.Keywords) == 0 {
		return false
	}
	switch lastName(c.Func) {
	case "permutation":
		return true
	case "choice":
		return len(c.Args) > 1 || c.Keyword("size") != nil
	case "randint", "integers", "random_integers":
		return len(c.Args) > 2 || c.Keyword("size") != nil
	}
	return false
}

// rowsNamed is rowsDrawn of a variable: by what sets it, what callers pass, or what the training loop takes from the project's own code.
func (p *SourcePass) rowsNamed(name *pysrc.Name, depth int) bool {
	list, given := p.Module.SaidOrGiven(name)
	if len(list) > 0 && !given {
		return !slices.ContainsFunc(list, func(s project.Said) bool { return s.Value == nil || !p.saidRows(s, depth) })
	}
	if p.batchOfProject(name) {
		return true
	}
	fn := p.Function(name)
	if !given || len(list) > 0 || fn.Def == nil {
		return false
	}
	return slices.ContainsFunc(p.Project.Givers(fn), func(s *project.Site) bool {
		arg := s.Given(fn, name.ID)
		return arg != nil && p.In(s.Module()).rowsDrawn(arg, depth+1)
	})
}

// saidRows is rowsDrawn of what sets a variable: all of a value, or a part of the batch that the training loop takes.
func (p *SourcePass) saidRows(s project.Said, depth int) bool {
	if s.Place < 0 {
		return p.rowsDrawn(s.Value, depth+1)
	}
	whole, ok := s.Value.(*pysrc.Name)
	return ok && p.batchOfProject(whole)
}

// indexesRows reports drawn indices, or a slice of them: data[order[i : i + n]].
func (p *SourcePass) indexesRows(index pysrc.Expr, depth int) bool {
	switch index.(type) {
	case *pysrc.Name, *pysrc.Subscript, *pysrc.Call:
		return p.rowsDrawn(index, depth)
	}
	return false
}

// batchOfProject reports a variable that the training loop sets from what is no DataLoader, or a part of it: a list of samples that a
// generator of the project gives.
func (p *SourcePass) batchOfProject(name *pysrc.Name) bool {
	training := p.loopHolding(name)
	if training == nil {
		return false
	}
	outer, ok := training.Stmt.(*pysrc.For)
	if !ok || !namesStored(outer.Target)[name.ID] {
		return false
	}
	over := outer.Iter
	for c, ok := over.(*pysrc.Call); ok && len(c.Args) > 0 && (lastName(c.Func) == "enumerate" || lastName(c.Func) == "tqdm"); c, ok = over.(*pysrc.Call) {
		over = c.Args[0]
	}
	v := p.Eval(over)
	return slices.ContainsFunc(append([]Value{v}, v.Either...), func(v Value) bool { return v.TakenBy() != nil })
}
