package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// readOneByOne finds evaluation that reads the values of a tensor from the GPU one after the other.
var readOneByOne = Rule{
	Code: "SAT325", Name: "read-one-by-one", Severity: Advice, Subject: AboutEvaluation,
	Areas: []Area{ApartArea},
	Title: "evaluation reads from the GPU again and again",
	What: "A loop or comprehension over the parts of a GPU tensor that reads each with item(), tolist(), cpu(), numpy(), " +
		"int() or float(), or asks for its truth, in code that a training program runs for validation or metrics. Also a loop that takes the best of a GPU " +
		"tensor and leaves out what a mask says until nothing is left: non-maximum suppression by hand. And, as a small finding, what " +
		"such an evaluation reads or copies after each batch.",
	Why: "Each read is a copy of a few bytes for which the host waits. A batch of 64 sequences of 100 tokens makes " +
		"thousands of them.",
	Fine:   "A few values. Tensors on the CPU.",
	Advice: "Copy the whole tensor once before the loop: values = x.tolist(), or x.cpu().",
	Bad:    "tokens = [t.item() for t in row]",
	Good:   "tokens = row.tolist()",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || !p.trained() || p.jaxOnly() || p.Module.Role == project.Test {
			return
		}
		said := map[*project.Function]*Report{}
		for _, r := range p.partReadsOf() {
			if !p.runsBesideTraining(p.Function(r.at)) || p.OnDevice(r.tensor) < probable || !p.ofPart(r) || !p.runsForEvaluation(r.at) {
				continue
			}
			fn := p.Function(r.at)
			if first := said[fn]; first != nil {
				first.Too(p.At(r.at, "and here"))
				continue
			}
			said[fn] = p.Report(r.at, probable*p.OnDevice(r.tensor)*p.GPU()).
				Saying("%s waits for the GPU for each part of a tensor", p.Short(r.at)).beingLittle(p.calledSeldom(fn))
		}
		p.greedySearches()
		p.evaluationReads(said)
	},
}

// partReads returns the calls that read a tensor's values, whole copies to the host among them.
func (p *SourcePass) partReads() []readBack {
	list := p.plainReads()
	for _, c := range p.MethodCalls("cpu", "numpy") {
		if len(c.Node.Args) == 0 {
			list = append(list, readBack{Call: c, tensor: c.Receiver()})
		}
	}
	return list
}

func inOrderReads(list []readBack) []readBack {
	slices.SortStableFunc(list, func(a, b readBack) int { return int(a.Node.Start - b.Node.Start) })
	return list
}

// readBefore reports a read of what another call has copied to the host already: x.cpu().numpy().
func (p *SourcePass) readBefore(c readBack) bool {
	inner, ok := c.tensor.(*pysrc.Call)
	for ok {
		switch lastName(inner.Func) {
		case "cpu", "numpy", "item", "tolist":
			return true
		}
		a, method := inner.Func.(*pysrc.Attribute)
		if !method {
			return false
		}
		inner, ok = a.Value.(*pysrc.Call)
	}
	return false
}

// ofPart reports a read of one part of a tensor of the GPU that the loop or comprehension around it takes apart.
func (p *SourcePass) ofPart(r partRead) bool {
	if !r.test && p.ofPartIn(r.tensor, p.comprehensionAround(r.at)) {
		return true
	}
	for loop := p.LoopAround(r.at); loop != nil; loop = p.LoopAround(loop) {
		f, ok := loop.(*pysrc.For)
		if !ok || p.eval.EndsEarly(p.Module, f) {
			continue
		}
		if !r.test && p.ofPartIn(r.tensor, []*pysrc.Comprehension{{Target: f.Target, Iter: f.Iter}}) || p.madeOfPart(r, f) {
			return true
		}
	}
	return false
}

// comprehensionAround returns the clauses of the innermost comprehension around a node in its statement.
func (p *SourcePass) comprehensionAround(of Node) (clauses []*pysrc.Comprehension) {
	at := of.Bounds().Start
	p.Inspect(p.Module.StatementAt(at), func(n pysrc.Node) bool {
		if !n.Bounds().Contains(int(at)) {
			return false
		}
		switch n := n.(type) {
		case *pysrc.ListComp:
			clauses = n.Generators
		case *pysrc.SetComp:
			clauses = n.Generators
		case *pysrc.GeneratorExp:
			clauses = n.Generators
		case *pysrc.DictComp:
			clauses = n.Generators
		}
		return true
	})
	return clauses
}

// ofPartIn reports a tensor that one of the clauses takes from a tensor of the GPU: for row in x, for i in range(len(x)).
func (p *SourcePass) ofPartIn(tensor pysrc.Expr, clauses []*pysrc.Comprehension) bool {
	root := rootName(tensor)
	for _, clause := range clauses {
		targets, iters := []pysrc.Expr{clause.Target}, []pysrc.Expr{clause.Iter}
		if call, ok := clause.Iter.(*pysrc.Call); ok {
			pair, _ := clause.Target.(*pysrc.Tuple)
			switch lastName(call.Func) {
			case "enumerate":
				if pair != nil && len(pair.Elts) == 2 && len(call.Args) > 0 {
					if index, ok := pair.Elts[0].(*pysrc.Name); ok && p.indexedBy(tensor, index.ID) {
						return true
					}
					targets, iters = pair.Elts[1:], call.Args[:1]
				}
			case "zip":
				if pair != nil && len(pair.Elts) == len(call.Args) {
					targets, iters = pair.Elts, call.Args
				}
			case "range":
				if index, ok := clause.Target.(*pysrc.Name); ok && (p.countsTensor(call) || p.countsGiven(call, clause.Target)) && p.indexedBy(tensor, index.ID) {
					return true
				}
				continue
			}
		}
		for i, target := range targets {
			if name, ok := target.(*pysrc.Name); ok && name.ID == root && p.isWhole(iters[i]) {
				return true
			}
		}
	}
	return false
}

// countsTensor reports range(len(x)), range(x.size(0)) and range(n) of a tensor x of the GPU.
func (p *SourcePass) countsTensor(c *pysrc.Call) bool {
	if len(c.Args) != 1 {
		return false
	}
	of := p.sizeOf(c.Args[0], 0)
	if length, ok := p.onceSaid(c.Args[0]).(*pysrc.Call); ok && lastName(length.Func) == "len" {
		of = firstArg(length)
	}
	return of != nil && p.isWhole(of)
}

// countsGiven reports range(n) up to a number that the function must be given: the length of a sequence, say.
func (p *SourcePass) countsGiven(c *pysrc.Call, at Node) bool {
	fn := p.Function(at)
	return len(c.Args) == 1 && isParameter(fn, c.Args[0]) && fn.Params().Default(pysrc.DottedName(c.Args[0])) == nil
}

// isWhole reports a tensor of the GPU, and not a list or tuple of some.
func (p *SourcePass) isWhole(e pysrc.Expr) bool {
	if p.OnDevice(e) < probable {
		return false
	}
	for name, ok := e.(*pysrc.Name); ok; name, ok = e.(*pysrc.Name) {
		if value := p.Module.SaidLast(name); value != nil {
			e = value
			continue
		}
		if isParameter(p.Function(name), name) && p.givenList(p.Function(name), name.ID) {
			return false
		}
		break
	}
	switch x := e.(type) {
	case *pysrc.List, *pysrc.Tuple, *pysrc.ListComp, *pysrc.Dict:
		return false
	case *pysrc.Call:
		v := p.Eval(x.Func)
		return v.Func == nil && v.Class == nil // what a function of the project returns may be a tuple
	}
	return true
}

// givenList reports a parameter for which all callers give a list, or what a function of the project returns.
func (p *SourcePass) givenList(fn *project.Function, name string) bool {
	callers := p.Project.Callers(fn)
	return len(callers) > 0 && len(callers) <= mostHandovers && !slices.ContainsFunc(callers, func(s *project.Site) bool {
		given := s.Given(fn, name)
		return given == nil || isParameter(s.Func, given) || p.In(s.Module()).isWhole(given)
	})
}

// indexedBy reports x[i] in an expression, for a tensor x of the GPU and a name i.
func (p *SourcePass) indexedBy(e pysrc.Expr, name string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok && isNamed(firstIndex(s), name) && p.isWhole(s.Value) {
			found = true
		}
		return !found
	})
	return found
}

// onceInManySteps reports a read in a single loop of a function that training steps call only every now and then, to
// save or show something: an evaluation reads for each batch, in a loop around.
func (p *SourcePass) onceInManySteps(n Node) bool {
	if loop := p.LoopAround(n); loop != nil && p.LoopAround(loop) != nil {
		return false
	}
	callers := p.Project.Callers(p.Function(n))
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(s *project.Site) bool {
		g := p.eval.Rare(s.Module(), s)
		return g == nil || g.Kind != project.EveryN
	})
}
