package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// launchingTurns reports the loops and comprehensions of a step in each of whose many turns Python launches kernels, and that nothing has
// reported yet.
func (p *SourcePass) launchingTurns() {
	if !p.runsOnGPU() || p.jaxOnly() || !p.trained() && len(p.TrainingLoops()) == 0 {
		return
	}
	var last pysrc.Span
	for _, n := range p.roundsIn() {
		t, ok := turnsOf(n)
		if !ok || n.Bounds().Start < last.End || !p.isHot(t.at) || p.pointedAt(n.Bounds()) || t.loop != nil && p.trainsIn(t.loop) {
			continue
		}
		if overConstant(t.iter[0]) || p.goesOverLayers(&t) || t.loop != nil && (inTurn(&axis{loop: t.loop}) || p.keepsTurns(&t)) {
			continue
		}
		t.vary()
		first := p.launchesIn(&t)
		if first == nil {
			continue
		}
		little := ""
		if !p.manyOf(&t) {
			if !p.overClasses(&t) {
				continue
			}
			little = "an iteration for each class or channel is not many"
		}
		way, ok := p.EachStep(t.at)
		if !ok || p.decodes(t.at) || generatesBeside(p.Function(t.at)) {
			continue
		}
		last = n.Bounds()
		p.Report(t.at, way.Sure*likely).Because(way, p.At(first, "launched in each iteration")).beingLittle(little).
			Saying("a loop over %s launches kernels in each iteration, in every step", p.Short(t.iter[0]))
	}
}

// manyOf is what shows that a loop has many turns: what it goes over, or what its body does with an item.
func (p *SourcePass) manyOf(t *turns) bool {
	return slices.ContainsFunc(t.iter, func(iter pysrc.Expr) bool { return p.turnsOften(iter, 0) }) ||
		!p.knownFew(t.iter[0]) && p.manyInBody(t)
}

// knownFew reports range(n) of a small number.
func (p *SourcePass) knownFew(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch lastName(c.Func) {
	case "reversed", "enumerate", "list", "tqdm":
		return p.knownFew(c.Args[0])
	case "range":
		n, known := p.Eval(c.Args[min(1, len(c.Args)-1)]).Int()
		return known && n < fewParts
	}
	return false
}

// manyInBody is what a body does with an item or its number that is done for each of many: it compares the number with a tensor of classes
// or owners, takes or writes a row of a tensor by it, cuts an item to a length of its own, reads its numbers, or makes a batch of it alone.
func (p *SourcePass) manyInBody(t *turns) bool {
	found := false
	items := map[string]bool{}
	for _, target := range t.target {
		addStored(target, items)
	}
	isItem := func(e pysrc.Expr) bool {
		name, ok := e.(*pysrc.Name)
		return ok && items[name.ID]
	}
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Compare:
				if len(x.Ops) == 1 && x.Ops[0] == pysrc.Eq && (isItem(x.Left) && p.valueOnGPU(x.Comparators[0], 0) >= likely ||
					isItem(x.Comparators[0]) && p.valueOnGPU(x.Left, 0) >= likely) {
					found = true
				}
			case *pysrc.Subscript:
				if isItem(firstIndex(x)) && p.oneOnGPU(x.Value) {
					found = true
				}
				if x.Ctx == pysrc.Store && isEnumerated(t.iter[0]) && slices.ContainsFunc(elementsOf(x.Slice), isItem) && p.oneOnGPU(x.Value) {
					found = true // out[:, :, i] = …, for each of a list
				}
				if cut, ok := firstIndex(x).(*pysrc.Slice); ok && cut.Lower == nil && cut.Upper != nil && isItem(x.Value) && mentionsAny(cut.Upper, t.varying) {
					found = true
				}
			case *pysrc.Call:
				a, ok := x.Func.(*pysrc.Attribute)
				found = found || ok && a.Attr == "tolist" && isItem(a.Value)
			}
			if singles(n, t.varying) {
				found = true
			}
			return !found
		})
	}
	return found
}

// isEnumerated reports enumerate(x) of a variable or field.
func isEnumerated(iter pysrc.Expr) bool {
	c, ok := iter.(*pysrc.Call)
	return ok && isNamed(c.Func, "enumerate") && len(c.Args) > 0 && pysrc.DottedName(c.Args[0]) != ""
}

// goesOverLayers reports a loop whose items, or what its number chooses, are called: layers, experts, losses. A method of the project
// that gets the number as it is chooses by it.
func (p *SourcePass) goesOverLayers(t *turns) bool {
	items := map[string]bool{}
	for _, target := range t.target {
		addStored(target, items)
	}
	found := false
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok {
				switch f := c.Func.(type) {
				case *pysrc.Name:
					found = found || items[f.ID]
				case *pysrc.Subscript:
					found = found || mentionsAny(f.Slice, items)
				case *pysrc.Attribute:
					s := p.Module.SiteAt(c)
					found = found || s != nil && s.Calls.Func != nil && project.IsSelf(f.Value) && isRange(t.iter[0]) &&
						slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { name, ok := e.(*pysrc.Name); return ok && items[name.ID] })
				}
			}
			return !found
		})
	}
	return found
}

// keepsTurns reports a body that leaves something for the next turn: see keepsState.
func (p *SourcePass) keepsTurns(t *turns) bool {
	a := axis{whole: t.whole, body: t.body, index: map[string]bool{}}
	for _, target := range t.target {
		addStored(target, a.index)
	}
	return p.keepsState(&a)
}

// vary notes the variables that differ from turn to turn.
func (t *turns) vary() {
	t.varying = map[string]bool{}
	for _, target := range t.target {
		addStored(target, t.varying)
	}
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Assign); ok && mentionsAny(a.Value, t.varying) {
				for _, target := range a.Targets {
					if _, part := target.(*pysrc.Subscript); !part {
						addStored(target, t.varying)
					}
				}
			}
			return true
		})
	}
}

// launchesIn is the first expression of a loop's body that kernels compute from what differs from turn to turn.
func (p *SourcePass) launchesIn(t *turns) (first pysrc.Expr) {
	for _, b := range t.body {
		pysrc.Inspect(b, func(n pysrc.Node) bool {
			if _, def := n.(*pysrc.FunctionDef); def {
				return false
			}
			e, ok := n.(pysrc.Expr)
			if first == nil && ok && mentionsAny(e, t.varying) && (p.launches(e) || runsSingle(e, t.varying)) {
				first = e
			}
			return first == nil
		})
	}
	return first
}

// singles reports x.unsqueeze(0) and the like of what differs from turn to turn.
func singles(n pysrc.Node, varying map[string]bool) bool {
	if c, ok := n.(*pysrc.Call); ok && (lastName(c.Func) == "view" || lastName(c.Func) == "reshape") {
		return false // a scalar as a vector
	}
	of := batchOfOne(n)
	return of != nil && mentionsAny(of, varying)
}

// runsSingle reports a call that computes on a batch of one, as it makes one for it.
func runsSingle(e pysrc.Expr, varying map[string]bool) bool {
	c, ok := e.(*pysrc.Call)
	return ok && lastName(c.Func) != "append" && slices.ContainsFunc(c.Args, func(arg pysrc.Expr) bool {
		return singles(arg, varying)
	})
}

// launches reports an expression that a kernel on the GPU computes.
func (p *SourcePass) launches(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.BinOp:
		return p.valueOnGPU(x.Left, 0) >= likely || p.valueOnGPU(x.Right, 0) >= likely
	case *pysrc.Compare:
		switch x.Ops[0] {
		case pysrc.Is, pysrc.IsNot, pysrc.In, pysrc.NotIn:
			return false
		}
		return p.valueOnGPU(x.Left, 0) >= likely || len(x.Comparators) == 1 && p.valueOnGPU(x.Comparators[0], 0) >= likely
	case *pysrc.UnaryOp:
		return (x.Op == pysrc.USub || x.Op == pysrc.Invert) && p.valueOnGPU(x.Operand, 0) >= likely
	case *pysrc.Subscript:
		return x.Ctx == pysrc.Store && p.oneOnGPU(x.Value)
	case *pysrc.Call:
		if viewed(x) != nil {
			return lastName(x.Func) == "clone" || lastName(x.Func) == "repeat"
		}
		if a, ok := x.Func.(*pysrc.Attribute); ok && !project.AnswersOnHost(a.Attr) && p.oneOnGPU(a.Value) {
			return true
		}
		return p.computesWith(x) && slices.ContainsFunc(x.Args, func(arg pysrc.Expr) bool { return p.valueOnGPU(arg, 0) >= likely })
	}
	return false
}
