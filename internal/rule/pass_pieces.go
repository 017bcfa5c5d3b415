package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// itemLoops reports the loops of this module that take a batch apart in every step: over the rows of a tensor of the
// GPU, or with a model that is called once for each item.
func (p *SourcePass) itemLoops() {
	for _, loop := range p.stepLoops() {
		if p.takesSteps(loop) || overConstant(loop.Iter) || carries(loop) {
			continue
		}
		items := iterablesOf(loop.Iter)
		if len(items) == 0 || slices.ContainsFunc(items, p.isList) {
			continue
		}
		names := map[string]bool{}
		addStored(loop.Target, names)
		model := p.modelCalledOn(loop, names)
		tensor := slices.ContainsFunc(items, func(e pysrc.Expr) bool {
			return p.valueOnGPU(e, 0) >= likely && (!p.isContainer(e) && p.hasShape(e) || p.isOneTensor(e, 0))
		})
		if model == nil && !(tensor && computesOn(loop, names)) || model != nil && !tensor && !p.fromBatch(items, loop) {
			continue
		}
		way, ok := p.EachStep(header(loop))
		if !ok {
			continue
		}
		r := p.Report(header(loop), way.Sure*likely).Because(way)
		if model != nil {
			r.Because(p.At(model, "called once for each item")).
				Saying("Python calls %s on one item of the batch at a time in every step", p.Short(model.Func)).
				Advising("Call it once, on all items in a batch: pad them and pass their lengths, or stack those of equal length.")
		} else {
			r.Saying("Python computes on %s one part at a time in every step", p.Short(items[0]))
		}
	}
}

// takesSteps reports a loop that trains, or in which one does.
func (p *SourcePass) takesSteps(loop *pysrc.For) bool {
	return p.isTrainingLoop(loop) || slices.ContainsFunc(p.Function(loop).Sites, func(s *project.Site) bool {
		return s.Method() == "backward" && inBody(loop.Body, s.Node)
	})
}

// stepLoops are the for loops of a module that stand in functions a training step reaches.
func (p *SourcePass) stepLoops() []*pysrc.For {
	if p.shared.loops == nil {
		p.shared.loops = p.findStepLoops()
	}
	return p.shared.loops
}

func (p *SourcePass) findStepLoops() []*pysrc.For {
	list := []*pysrc.For{}
	if !p.runsOnGPU() || !p.trained() && len(p.TrainingLoops()) == 0 {
		return list
	}
	p.Module.EachOwner(func(n pysrc.Node) {
		if loop, ok := n.(*pysrc.For); ok {
			if _, hot := p.Hot(header(loop)); hot || p.stepsAfter(loop) != nil || p.calledAround(p.Function(loop), 0) != nil {
				list = append(list, loop)
			}
		}
	})
	return list
}

// iterablesOf are the variables that a loop goes over: x, x and y of zip(x, y), behind enumerate. It is empty for a
// range and for what a call makes.
func iterablesOf(iter pysrc.Expr) []pysrc.Expr {
	switch x := iter.(type) {
	case *pysrc.Name:
		return []pysrc.Expr{x}
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "enumerate":
			if len(x.Args) > 0 {
				return iterablesOf(x.Args[0])
			}
		case "zip":
			var list []pysrc.Expr
			for _, a := range x.Args {
				list = append(list, iterablesOf(a)...)
			}
			return list
		}
	}
	return nil
}

// hasShape reports a variable whose shape its function asks for, or that it subscripts in several dimensions: a tensor, and
// no list of them.
func (p *SourcePass) hasShape(e pysrc.Expr) bool {
	fn, found, name := p.Function(e), false, pysrc.DottedName(e)
	if fn.Def == nil || name == "" {
		return false
	}
	plain, _ := e.(*pysrc.Name)
	is := func(x pysrc.Expr) bool {
		if plain != nil {
			return isNamed(x, name)
		}
		return pysrc.DottedName(x) == name
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Attribute:
			found = found || asksSize(x) && is(x.Value)
		case *pysrc.Subscript:
			_, several := x.Slice.(*pysrc.Tuple)
			found = found || several && is(x.Value)
		}
		return !found
	})
	return found
}

// isContainer reports a variable that holds a list, tuple or dict, of tensors perhaps.
func (p *SourcePass) isContainer(e pysrc.Expr) bool {
	v := p.Eval(e)
	return v.Kind == project.Display || v.IsInstance("torch.nn.Module") || v.Name == "list" || v.Name == "dict" || p.eval.HoldsMoved(p.Module, e)
}

// modelCalledOn is the call of a model in a loop that is given the loop's item; nil when there is none. What the loop
// itself chooses, one of several layers, is not meant.
func (p *SourcePass) modelCalledOn(loop *pysrc.For, names map[string]bool) *pysrc.Call {
	given := flowInto(loop, names)
	for _, s := range p.Function(loop).Sites {
		if !inBody(loop.Body, s.Node) || len(s.Node.Args) == 0 || mentionsAny(s.Node.Func, given) || !mentionsAny(s.Node.Args[0], given) || asksSize(s.Node.Args[0]) {
			continue
		}
		if s.Calls.IsInstance("torch.nn.Module") && s.Calls.Class != nil {
			return s.Node
		}
	}
	return nil
}

// flowInto are names and what a loop's body makes of them.
func flowInto(loop *pysrc.For, names map[string]bool) map[string]bool {
	all := map[string]bool{}
	for name := range names {
		all[name] = true
	}
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Assign); ok && mentionsAny(a.Value, all) {
				for _, t := range a.Targets {
					addStored(t, all)
				}
			}
			return true
		})
	}
	return all
}

func inBody(body []pysrc.Stmt, n pysrc.Node) bool {
	return slices.ContainsFunc(body, func(s pysrc.Stmt) bool { return s.Bounds().Contains(int(n.Bounds().Start)) })
}

// fromBatch reports variables that the training loop around gets from its loader.
func (p *SourcePass) fromBatch(items []pysrc.Expr, loop *pysrc.For) bool {
	training := p.loopHolding(header(loop))
	if training == nil {
		return false
	}
	outer, ok := training.Stmt.(*pysrc.For)
	if !ok {
		return false
	}
	batch := map[string]bool{}
	addStored(outer.Target, batch)
	return slices.ContainsFunc(items, func(e pysrc.Expr) bool { return mentionsAny(e, batch) })
}

// computesOn reports a loop that makes kernels of its items, and does not merely collect or read them.
func computesOn(loop *pysrc.For, names map[string]bool) bool {
	found := false
	for _, s := range loop.Body {
		pysrc.InspectPath(s, func(n pysrc.Node, path []pysrc.Node) bool {
			name, ok := n.(*pysrc.Name)
			found = found || ok && name.Ctx == pysrc.Load && names[name.ID] && len(path) > 0 && computes(path[len(path)-1], name)
			return !found
		})
	}
	return found
}

// recurrences reports the loops of this module that step through a GPU tensor with a little arithmetic in each
// iteration, which depends on the previous one: returns, advantages, filters.
func (p *SourcePass) recurrences() {
	for _, loop := range p.stepLoops() {
		index, ok := loop.Target.(*pysrc.Name)
		if !ok || p.isTrainingLoop(loop) || !p.overSize(loop.Iter) && !p.fromTheLast(loop.Iter) || !carries(loop) && !looksAhead(loop, index.ID) {
			continue
		}
		part, operations := p.arithmeticOn(loop, index.ID)
		if part == nil || operations < 3 {
			continue
		}
		way, hot := p.EachStep(header(loop))
		sure, why := way.Sure*likely, any(way)
		if from := p.calledAround(p.Function(loop), 0); !hot && from != nil && !p.EvaluationOnly(loop) && p.runsOnGPU() {
			hot, sure, why = true, probable*p.GPU(), p.In(from.Module()).At(from, "training calls it again and again")
		}
		if steps := p.stepsAfter(loop); !hot && steps != nil {
			hot, sure, why = true, probable*p.GPU(), p.At(header(steps.Stmt), "before each round of these steps")
		}
		if hot {
			p.Report(header(loop), sure).At(Advice).Because(why, p.At(part, "one part of the tensor")).
				Saying("Python steps through %s with %d small operations per iteration", p.Short(part.Value), operations).
				Advising("Compile the function (torch.compile), compute it on the CPU with numpy at once, or write it as a " +
					"cumulative sum.")
		}
	}
}

// stepsAfter is a training loop that stands beside a loop within an outer one: returns and advantages are computed, and then trained on.
func (p *SourcePass) stepsAfter(loop pysrc.Stmt) *project.Loop {
	outer := p.LoopAround(loop)
	if outer == nil || p.Rare(header(loop)) != nil {
		return nil
	}
	for _, l := range p.TrainingLoops() {
		if at := l.Bounds(); outer.Bounds().Contains(int(at.Start)) && at.Start > loop.Bounds().End {
			return l
		}
	}
	return nil
}

// calledAround is a call, in a loop around training, that leads to a function: that which collects what an agent saw; or nil.
func (p *SourcePass) calledAround(fn *project.Function, depth int) *project.Site {
	for _, s := range p.Project.Callers(fn) {
		in := p.In(s.Module())
		if in.Project.Leads(s.Func) && in.LoopAround(s) != nil {
			return s
		}
		if depth < 2 {
			if from := in.calledAround(s.Func, depth+1); from != nil {
				return from
			}
		}
	}
	return nil
}

// overSize reports range(x.size(0)) or range(x.shape[0]), reversed perhaps, less one or so.
func (p *SourcePass) overSize(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch lastName(c.Func) {
	case "reversed":
		return p.overSize(c.Args[0])
	case "range":
		return slices.ContainsFunc(c.Args, func(a pysrc.Expr) bool {
			if b, ok := a.(*pysrc.BinOp); ok {
				a = b.Left
			}
			call, ok := a.(*pysrc.Call) // the len of the list that the tensor was made of
			return p.sizeOf(a, 0) != nil || ok && pysrc.DottedName(call.Func) == "len"
		})
	}
	return false
}

// fromTheLast reports reversed(range(n)) of many, or of a number that is not known: from the last time step to the first.
func (p *SourcePass) fromTheLast(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 || p.knownFew(iter) {
		return false
	}
	if isNamed(c.Func, "reversed") {
		return isRange(c.Args[0])
	}
	by, known := int64(0), false
	if isRange(c) && len(c.Args) == 3 { // range(n - 1, -1, -1)
		by, known = p.Eval(c.Args[2]).Int()
	}
	return known && by == -1
}

// looksAhead reports x[i + 1] beside an assignment to x[i].
func looksAhead(loop *pysrc.For, index string) bool {
	ahead, stored := map[string]bool{}, map[string]bool{}
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if x, ok := n.(*pysrc.Subscript); ok && mentionsName(x.Slice, index) {
				if _, shifted := x.Slice.(*pysrc.BinOp); shifted && x.Ctx == pysrc.Load {
					ahead[pysrc.DottedName(x.Value)] = true
				} else if x.Ctx == pysrc.Store {
					stored[pysrc.DottedName(x.Value)] = true
				}
			}
			return true
		})
	}
	for name := range stored {
		if name != "" && ahead[name] {
			return true
		}
	}
	return false
}

// arithmeticOn counts the operations of a loop on parts of tensors of the GPU, and gives the first such part; nothing
// where the loop calls a model.
func (p *SourcePass) arithmeticOn(loop *pysrc.For, index string) (part *pysrc.Subscript, operations int) {
	for _, s := range p.Function(loop).Sites {
		if inBody(loop.Body, s.Node) && (s.Calls.IsInstance("torch.nn.Module") || s.Calls.Func != nil) {
			return nil, 0
		}
	}
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Subscript:
				if part == nil && x.Ctx == pysrc.Load && mentionsName(x.Slice, index) && p.valueOnGPU(x.Value, 0) >= probable {
					part = x
				}
				return false
			case *pysrc.BinOp:
				operations++
			}
			return true
		})
	}
	return part, operations
}

// builtByNumber reports tensors that Python fills number by number, in nested comprehensions, in every step.
func (p *SourcePass) builtByNumber() {
	for _, c := range p.CallsTo("torch.tensor", "torch.FloatTensor", "torch.LongTensor", "torch.Tensor", "torch.as_tensor") {
		comp, ok := firstArg(c.Node).(*pysrc.ListComp)
		if !ok || !nestedList(comp) || !isRange(comp.Generators[0].Iter) {
			continue
		}
		if way, ok := p.EachStep(c); ok {
			p.Report(c, way.Sure*likely).Because(way).
				Saying("Python fills a tensor number by number in every step, and copies it to the GPU").
				Advising("Make it on the GPU with torch.eye, torch.arange, comparisons or scatter; or once, if it is always the same.")
		}
	}
}

func isRange(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	return ok && lastName(c.Func) == "range"
}

// nestedList reports a comprehension whose elements are lists that grow with something: a comprehension or [0.0] * n.
func nestedList(comp *pysrc.ListComp) bool {
	found := false
	pysrc.Inspect(comp.Elt, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.ListComp:
			found = true
		case *pysrc.BinOp:
			_, list := x.Left.(*pysrc.List)
			_, number := x.Right.(*pysrc.Constant)
			found = found || list && x.Op == pysrc.Mult && !number
		}
		return !found
	})
	return found
}
