package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// A turn is one round of a for loop or comprehension: what it sets anew, and what it goes over.
type turn struct {
	node  pysrc.Node
	iter  pysrc.Expr
	names map[string]bool
}

// singleSteps reports training steps that run the model on one sample after the other: in a loop over a dataset that makes
// a batch of each sample, or over the rows of a batch.
func (p *SourcePass) singleSteps() {
	said := map[pysrc.Node]bool{}
	for _, s := range p.Module.Sites {
		if !p.mayStep(s) {
			continue
		}
		t, ok := p.turnAround(s)
		if !ok || said[t.node] || overConstant(t.iter) || fixedRange(t.iter) || !p.isHot(s) || !p.takesOneRow(s, t) {
			continue
		}
		way, hot := p.stepsThrough(s)
		if !hot || p.givesBatches(without(t.iter, "enumerate", "tqdm")) || takesItsResult(s, t) || p.learnsByActing() {
			continue
		}
		said[t.node] = true
		r := p.Report(s.Node.Func, probable*way.Sure).Because(way).Saying("%s runs on one sample at a time", p.Short(s.Node.Func))
		if p.isTrainingLoop(t.node) {
			r.Advising("Load the samples in batches with a DataLoader: `saturate batch` finds a good size.")
		} else {
			r.Advising("Call it once with all samples of the batch, padded if they differ in length.")
		}
	}
	p.singleJAXSteps()
}

// singleJAXSteps reports JAX steps that are given a slice of one: step(params, x[i:i+1]).
func (p *SourcePass) singleJAXSteps() {
	for _, l := range p.JAXLoops() {
		over, ok := l.Stmt.(*pysrc.For)
		if !ok || fixedRange(over.Iter) {
			continue
		}
		t := turn{over, over.Iter, targetsOf(over)}
		for _, s := range l.Func.Sites {
			if p.LoopAround(s) == pysrc.Stmt(over) && (s == l.step || p.stepsWith(s.Node, l)) && p.takesOneRow(s, t) {
				p.Report(s.Node.Func, probable).Saying("%s runs on one sample at a time", p.Short(s.Node.Func))
				break
			}
		}
	}
}

// stepsThrough reports a call of a model in each training step: with gradients, or of generate, whose output a step may
// well train with.
func (p *SourcePass) stepsThrough(s *project.Site) (project.Path, bool) {
	if s.Method() == "generate" && p.runsOnGPU() && p.Rare(s) == nil {
		way, hot := p.Hot(s)
		return way, hot && !p.rareOnTheWay(way)
	}
	if !p.callsModel(s) || p.withoutGradients(s) {
		return project.Path{}, false
	}
	return p.EachStep(s)
}

// without takes the calls of those names from around an iterable: enumerate(loader).
func without(e pysrc.Expr, names ...string) pysrc.Expr {
	for {
		c, ok := e.(*pysrc.Call)
		if !ok || len(c.Args) == 0 || !slices.Contains(names, lastName(c.Func)) {
			return e
		}
		e = c.Args[0]
	}
}

// turnAround is the innermost comprehension or for loop around a call in its function.
func (p *SourcePass) turnAround(s *project.Site) (turn, bool) {
	for id := p.Module.BlockAt(s.Node.Start); id >= 0 && p.Module.Block(id).Func == p.Function(s.Node); id = p.Module.Block(id).Parent {
		owner := p.Module.Block(id).Owner
		switch n := owner.(type) {
		case *pysrc.While:
			return turn{}, false
		case *pysrc.For:
			return turn{n, n.Iter, targetsOf(n)}, p.Module.LoopAround(s) == pysrc.Stmt(n)
		}
		if first := firstIterable(owner); first != nil && !first.Bounds().Contains(int(s.Node.Start)) {
			return turn{owner, first, storedIn(owner)}, true
		}
	}
	return turn{}, false
}

// storedIn are the names that a comprehension sets.
func storedIn(n pysrc.Node) map[string]bool {
	names := map[string]bool{}
	pysrc.Inspect(n, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Store {
			names[name.ID] = true
		}
		return true
	})
	return names
}

// takesItsResult reports a call whose arguments hold what it gave in an earlier round: a state, or its own output.
func takesItsResult(s *project.Site, t turn) bool {
	own := resultsOf(s, t)
	return slices.ContainsFunc(argumentsOf(s.Node), func(a pysrc.Expr) bool { return mentionsAny(a, own) })
}

// resultsOf are the variables that hold what a call gave in an earlier round.
func resultsOf(s *project.Site, t turn) map[string]bool {
	loop, ok := t.node.(*pysrc.For)
	if !ok {
		return nil
	}
	return carriedBy(s.Node, loop, flowsFrom(s.Node, loop))
}

// takesOneRow reports a call that is given one row, directly or by a variable which this round of the loop sets. The first
// argument that depends on the round decides: a mask of one row behind it suits all rows of a batch.
func (p *SourcePass) takesOneRow(s *project.Site, t turn) bool {
	for _, a := range argumentsOf(s.Node) {
		if p.isOneRow(a, t) {
			return true
		}
		if name, ok := a.(*pysrc.Name); ok && t.names[name.ID] && !resultsOf(s, t)[name.ID] {
			return p.setToOneRow(name, s, t)
		}
	}
	return false
}

// setToOneRow reports a variable that the round of a loop around a call sets to one row.
func (p *SourcePass) setToOneRow(name *pysrc.Name, s *project.Site, t turn) (found bool) {
	pysrc.Inspect(t.node, func(n pysrc.Node) bool {
		targets, value := assigned(n)
		if made, ok := value.(pysrc.Expr); ok && len(targets) == 1 && storesName(targets[0], name.ID) &&
			p.LoopAround(made) == p.LoopAround(s) && p.isOneRow(made, t) {
			found = true
		}
		return !found
	})
	return found
}

// isOneRow reports an expression that makes a batch of one of what the loop goes over: x.unsqueeze(0), x[i:i+1], an
// element of x.split(1), or tokenizer(text, return_tensors="pt").
func (p *SourcePass) isOneRow(e pysrc.Expr, t turn) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Subscript:
			found = found || p.isSliceOfOne(firstIndex(n)) && mentionsAny(firstIndex(n), t.names)
		case *pysrc.Name:
			found = found || t.names[n.ID] && splitsInOnes(t.iter) && p.setByLoop(n.ID, t)
		case *pysrc.Call:
			found = found || n.Keyword("return_tensors") != nil && p.oneText(firstArg(n), t)
		}
		if of := batchOfOne(n); of != nil && mentionsAny(of, t.names) {
			found = true
		}
		return !found
	})
	return found
}

// oneText reports the text that a loop goes over, or one that is made of what it goes over: f"Question: {row}",
// PROMPT.format(row["question"]).
func (p *SourcePass) oneText(e pysrc.Expr, t turn) bool {
	switch e := e.(type) {
	case *pysrc.Name:
		return p.setByLoop(e.ID, t)
	case *pysrc.JoinedStr:
		return mentionsAny(e, t.names)
	case *pysrc.Call:
		return lastName(e.Func) == "format" && mentionsAny(e, t.names)
	}
	return false
}

// setByLoop reports a name that a loop sets itself: its target, and nothing made of it.
func (p *SourcePass) setByLoop(name string, t turn) bool {
	switch n := t.node.(type) {
	case *pysrc.For:
		return storesName(n.Target, name)
	default:
		return t.names[name]
	}
}

// isSliceOfOne reports i:i+1.
func (p *SourcePass) isSliceOfOne(e pysrc.Expr) bool {
	s, ok := e.(*pysrc.Slice)
	if !ok || s.Lower == nil || s.Upper == nil || s.Step != nil {
		return false
	}
	sum, ok := s.Upper.(*pysrc.BinOp)
	if !ok || sum.Op != pysrc.Add || p.Text(sum.Left) != p.Text(s.Lower) {
		return false
	}
	n, ok := pysrc.IntValue(sum.Right)
	return ok && n == 1
}

// splitsInOnes reports x.split(1), torch.split(x, 1) and zip of such.
func splitsInOnes(iter pysrc.Expr) bool {
	found := false
	pysrc.Inspect(iter, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && lastName(c.Func) == "split" && len(c.Args) > 0 {
			size, known := pysrc.IntValue(c.Args[len(c.Args)-1])
			if on, ok := c.Func.(*pysrc.Attribute); ok && known && size == 1 && (len(c.Args) == 1 || rootName(on.Value) == "torch") {
				found = true
			}
		}
		return !found
	})
	return found
}
