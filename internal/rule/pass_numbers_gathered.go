package rule

import "saturate/internal/pysrc"

// gatheredNumbers reports lists that loops of a step fill number by number, and of which the step then makes a tensor:
// for graph in batch: index.extend([[i, j] for j in range(n)]).
func (p *SourcePass) gatheredNumbers() {
	for _, c := range p.CallsTo("torch.tensor", "torch.FloatTensor", "torch.LongTensor", "torch.Tensor", "torch.as_tensor") {
		list, ok := firstArg(c.Node).(*pysrc.Name)
		if !ok || len(c.Node.Args) != 1 || c.Func.Def == nil {
			continue
		}
		loop := p.fillsList(c.Func.Def, list.ID)
		if loop == nil || loop.Start > c.Node.Start {
			continue
		}
		if way, ok := p.EachStep(c); ok {
			p.Report(header(loop), way.Sure*likely).Because(way, p.At(c.Node, "then it becomes a tensor")).
				Saying("Python fills %s number by number in every step", list.ID).
				Advising("Compute it with torch: torch.arange, torch.repeat_interleave, cumsum and comparisons make such indices at once; or " +
					"prepare it in the dataset, in workers.")
		}
	}
}

// fillsList is the loop of a function that extends a list by as many numbers as each of its items has, or that appends to it
// in a loop of its own; nil where there is none.
func (p *SourcePass) fillsList(fn *pysrc.FunctionDef, name string) (found *pysrc.For) {
	pysrc.InspectPath(fn, func(n pysrc.Node, path []pysrc.Node) bool {
		call, ok := n.(*pysrc.Call)
		if !ok || found != nil {
			return found == nil
		}
		method, ok := call.Func.(*pysrc.Attribute)
		if !ok || !isNamed(method.Value, name) || len(call.Args) != 1 {
			return true
		}
		loops := forsOf(path)
		switch {
		case len(loops) == 0 || overConstant(loops[0].Iter):
		case method.Attr == "extend" && growsByNumbers(call.Args[0]):
			found = loops[0]
		case method.Attr == "append" && len(loops) > 1 && isRange(loops[len(loops)-1].Iter) && isNumeric(call.Args[0]):
			found = loops[0]
		}
		return true
	})
	return found
}

// forsOf are the loops of a path, the outermost first.
func forsOf(path []pysrc.Node) (loops []*pysrc.For) {
	for _, n := range path {
		if loop, ok := n.(*pysrc.For); ok {
			loops = append(loops, loop)
		}
	}
	return loops
}

// growsByNumbers reports [[i, j] for j in range(n)]: a number, or a pair of them, for each of many.
func growsByNumbers(e pysrc.Expr) bool {
	comp, ok := e.(*pysrc.ListComp)
	return ok && isRange(comp.Generators[0].Iter) && isNumeric(comp.Elt)
}

// isNumeric reports a variable, sum or pair of such: not what a call gives.
func isNumeric(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		return true
	case *pysrc.Constant:
		_, number := pysrc.FloatValue(x)
		return number
	case *pysrc.BinOp:
		return isNumeric(x.Left) && isNumeric(x.Right)
	case *pysrc.List:
		return allNumeric(x.Elts)
	case *pysrc.Tuple:
		return allNumeric(x.Elts)
	}
	return false
}

func allNumeric(parts []pysrc.Expr) bool {
	for _, part := range parts {
		if !isNumeric(part) {
			return false
		}
	}
	return len(parts) > 0
}

// elementStores reports arrays that nested loops of a step write number by number: align[i][t][j] = 1.
func (p *SourcePass) elementStores() {
	if !p.runsOnGPU() || p.jaxOnly() {
		return // no step is on a GPU
	}
	for _, fn := range p.Module.Functions {
		if fn.Def == nil || !fn.InStep() {
			continue
		}
		for _, loop := range p.outerLoops(fn) {
			if !isRange(loop.Iter) || p.isTrainingLoop(loop) || elementWrites(loop) < 2 || !writesNumbers(loop) {
				continue
			}
			if way, ok := p.EachStep(header(loop)); ok && !p.keptAround(header(loop)) {
				p.Report(header(loop), way.Sure*likely).Because(way).
					Saying("Python writes an array number by number in every step").
					Advising("Write it in one operation: torch.repeat_interleave, a comparison of torch.arange with sums of lengths, scatter.")
				break
			}
		}
	}
}

// writesNumbers reports nested loops over ranges with a store of a number: x[i][j] = 1.
func writesNumbers(loop *pysrc.For) bool {
	found := false
	pysrc.InspectPath(loop, func(n pysrc.Node, path []pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || found {
			return !found
		}
		if _, part := a.Targets[0].(*pysrc.Subscript); part && isNumeric(a.Value) {
			loops := forsOf(path)
			found = len(loops) > 0 && isRange(loops[len(loops)-1].Iter)
		}
		return !found
	})
	return found
}
