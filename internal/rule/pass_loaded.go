package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fromLoader reports a move of what the loader gave: the loop's own variable,
// a part of it, or what next() returned.
func (p *SourcePass) fromLoader(move hostMove) bool {
	e := move.tensor
	for { // x[0].a is a part of x; f(x) is not
		switch x := e.(type) {
		case *pysrc.Attribute:
			e = x.Value
			continue
		case *pysrc.Subscript:
			e = x.Value
			continue
		case *pysrc.Call:
			if a, ok := x.Func.(*pysrc.Attribute); ok && keepsHost[a.Attr] {
				e = a.Value
				continue
			}
			if of := p.wrapped(x); of != nil {
				e = of
				continue
			}
			return pysrc.DottedName(x.Func) == "next" && p.givesBatches(firstArg(x))
		}
		break
	}
	name, ok := e.(*pysrc.Name)
	return ok && (p.loaded(name.ID, p.Function(move), 0) || p.givenBatch(name, 0))
}

// wrapped is x of Variable(x), which is x itself since torch 0.4, nil for other calls.
func (p *SourcePass) wrapped(c *pysrc.Call) pysrc.Expr {
	if lastName(c.Func) != "Variable" || p.NameOf(c.Func) != "torch.autograd.Variable" {
		return nil
	}
	return firstArg(c)
}

// givesBatches reports a loader, an iterator over one, or a generator that hands on what one gives: cycle(loader).
func (p *SourcePass) givesBatches(e pysrc.Expr) bool {
	if e == nil {
		return false
	}
	v := p.Eval(e)
	if name, ok := e.(*pysrc.Name); ok && v.Func == nil {
		if said := p.Module.SaidLast(name); said != nil {
			e = said
		}
	}
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) == 1 {
		switch p.NameOf(c.Func) {
		case "itertools.cycle", "itertools.chain.from_iterable", "itertools.repeat":
			return p.givesBatches(c.Args[0])
		}
	}
	return v.IsInstance("torch.utils.data.DataLoader") || v.Kind == project.Instance && v.Func != nil && v.Func.IsGenerator() && !p.handsToDevice(v.Func)
}

// handsToDevice reports a generator that puts what it gives on a device itself.
func (p *SourcePass) handsToDevice(fn *project.Function) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Method() == "cuda" || s.Method() == "to" })
}

// givenBatch reports a parameter that the training loop gives what its loader
// gave: def train_step(batch), directly or over a few functions.
func (p *SourcePass) givenBatch(name *pysrc.Name, depth int) bool {
	if fn := p.Function(name); fn.Lambda != nil {
		return p.givenElement(name, fn, depth)
	}
	site, given := p.Project.StepGives(p.Module, name)
	if given == nil || p.eval.OnDevice(site.Module(), given) > perhaps {
		return false
	}
	q := p.In(site.Module())
	if loop, ok := q.LoopAround(site).(*pysrc.For); ok && q.prepared(loop.Iter) {
		return false
	}
	if q.loadedRoot(given, "", site.Func, depth) {
		return true
	}
	above := project.RootName(given)
	return above != nil && depth < 3 && q.givenBatch(above, depth+1)
}

// keepsHost are methods that give a tensor where it was.
var keepsHost = setOfNames("float", "long", "int", "half", "bool", "squeeze", "unsqueeze", "view", "reshape",
	"transpose", "permute", "contiguous", "type", "flatten", "pop", "get")

// loaded reports a name that a training loop's target binds, or an assignment from such a name or from next().
func (p *SourcePass) loaded(name string, fn *project.Function, depth int) bool {
	if depth > 3 {
		return false
	}
	found := false
	binds := func(target pysrc.Node) bool {
		hit := false
		pysrc.Inspect(target, func(n pysrc.Node) bool {
			if id, ok := n.(*pysrc.Name); ok && id.ID == name && id.Ctx == pysrc.Store {
				hit = true
			}
			return !hit
		})
		return hit
	}
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	p.Inspect(body, func(n pysrc.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *pysrc.For:
			found = binds(n.Target) && (p.isTrainingLoop(n) || p.loadedRoot(n.Iter, name, fn, depth))
		case *pysrc.Comprehension:
			found = binds(n.Target) && p.loadedRoot(n.Iter, name, fn, depth)
		case *pysrc.Assign:
			for _, t := range n.Targets {
				if !binds(t) {
					continue
				}
				if c, ok := n.Value.(*pysrc.Call); ok && (lastName(c.Func) == "next" || p.takesNext(c) || p.givesHostTensors(c)) {
					found = true
				} else {
					found = found || p.loadedRoot(n.Value, name, fn, depth)
				}
			}
		}
		return !found
	})
	return found
}

// loadedRoot reports an expression that is a part of what a loader gave: batch, batch["x"], batch.items().
func (p *SourcePass) loadedRoot(e pysrc.Expr, but string, fn *project.Function, depth int) bool {
	switch x := e.(type) {
	case *pysrc.Call:
		switch lastName(x.Func) {
		case "items", "values", "pop", "get", "enumerate", "zip", "iter", "list", "tuple", "cycle", "tqdm":
		case "next":
			return p.givesBatches(firstArg(x))
		default:
			if of := p.wrapped(x); of != nil {
				return p.loadedRoot(of, but, fn, depth)
			}
			if !p.holdsArguments(x) {
				return false
			}
			for _, k := range x.Keywords { // dict(x=x, y=y)
				if p.loadedRoot(k.Value, but, fn, depth) {
					return true
				}
			}
		}
		for _, a := range x.Args {
			if p.loadedRoot(a, but, fn, depth) {
				return true
			}
		}
	case *pysrc.Tuple:
		return slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return p.loadedRoot(part, but, fn, depth) })
	case *pysrc.List:
		return slices.ContainsFunc(x.Elts, func(part pysrc.Expr) bool { return p.loadedRoot(part, but, fn, depth) })
	case *pysrc.Dict:
		return slices.ContainsFunc(x.Values, func(part pysrc.Expr) bool { return p.loadedRoot(part, but, fn, depth) })
	}
	name := project.RootName(e)
	return name != nil && name.ID != but && (p.loaded(name.ID, fn, depth+1) || depth < 2 && p.givenBatch(name, depth+1))
}

// holdsArguments reports a call that makes a container of its arguments: dict(x=x), a dict of a library whose keys are
// attributes.
func (p *SourcePass) holdsArguments(c *pysrc.Call) bool {
	v := p.Eval(c.Func)
	return v.Kind == project.Type && v.Class == nil && (v.Name == "dict" || strings.HasSuffix(strings.ToLower(v.Name), "dict"))
}

// takesNext reports a call of a function of the project that takes a batch from a loader by hand: next(self.batches).
func (p *SourcePass) takesNext(c *pysrc.Call) bool {
	site := p.Module.SiteAt(c)
	if site == nil || site.Calls.Func == nil || site.Calls.Func.Def == nil || p.OnDevice(c) > perhaps {
		return false
	}
	_, found := p.Reaches(site.Calls.Func, func(s *project.Site) bool {
		switch s.Method() {
		case "next", "__next__":
			return len(s.Node.Args) == 0
		}
		return s.Calls.Name == "next"
	}, 2)
	return found
}

// givesHostTensors reports a call of a function of the project that returns tensors which it has made on the host of lists
// or arrays: buffer.sample(64).
func (p *SourcePass) givesHostTensors(c *pysrc.Call) bool {
	site := p.Module.SiteAt(c)
	return site != nil && slices.ContainsFunc(p.Project.Runs(site), func(fn *project.Function) bool {
		in := p.In(fn.Module)
		return slices.ContainsFunc(fn.Returns(), func(e pysrc.Expr) bool { return in.makesHostTensors(e) })
	})
}

// makesHostTensors reports a tensor that is made on the host of lists or arrays, or several.
func (p *SourcePass) makesHostTensors(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Tuple:
		return slices.ContainsFunc(x.Elts, p.makesHostTensors)
	case *pysrc.Dict:
		return slices.ContainsFunc(x.Values, p.makesHostTensors)
	case *pysrc.DictComp:
		return p.makesHostTensors(x.Value)
	case *pysrc.ListComp:
		return p.makesHostTensors(x.Elt)
	case *pysrc.Name:
		value := p.Module.SaidLast(x)
		_, again := value.(*pysrc.Name)
		return value != nil && !again && p.makesHostTensors(value)
	case *pysrc.Call:
		if p.hostData(x) != nil {
			return true
		}
		return lastName(x.Func) == "tensor" && p.NameOf(x.Func) == "torch.tensor" && x.Keyword("device") == nil
	}
	return false
}

// givenElement reports the parameter of a lambda that is handed on together with what the loader gave: what gets both
// calls the one with parts of the other, as in tree_map(lambda x: x.to(device), batch).
func (p *SourcePass) givenElement(name *pysrc.Name, fn *project.Function, depth int) bool {
	if fn.Outer == nil || !slices.ContainsFunc(fn.Lambda.Args.All(), func(a *pysrc.Arg) bool { return a.Name == name.ID }) {
		return false
	}
	for _, s := range fn.Outer.Sites {
		if !slices.Contains(s.Node.Args, pysrc.Expr(fn.Lambda)) {
			continue
		}
		for _, a := range s.Node.Args {
			if a != pysrc.Expr(fn.Lambda) && p.loadedRoot(a, "", fn.Outer, depth) {
				return true
			}
		}
	}
	return false
}

// loopTarget reports a name that is the whole of what a for gives: for batch in loader.
func (p *SourcePass) loopTarget(e pysrc.Expr) bool {
	loop, ok := p.LoopAround(e).(*pysrc.For)
	if !ok {
		return false
	}
	return pysrc.DottedName(itemOf(loop)) == pysrc.DottedName(e)
}

// itemOf is what a for sets to each item, without the count of enumerate.
func itemOf(loop *pysrc.For) pysrc.Expr {
	if t, ok := loop.Target.(*pysrc.Tuple); ok && len(t.Elts) == 2 && lastName(loop.Iter) == "enumerate" {
		return t.Elts[1]
	}
	return loop.Target
}

// outermost gives the training loop for a loop inside it, such as one over the parts of a batch.
func (p *SourcePass) outermost(loop pysrc.Stmt) pysrc.Stmt {
	for _, l := range p.TrainingLoops() {
		if loop != nil && l.Bounds().Start <= loop.Bounds().Start && loop.Bounds().End <= l.Bounds().End {
			return l.Stmt
		}
	}
	return loop
}

// preparedBatch reports a move to accelerator.device, or of what a loader that
// Accelerate prepared gave: it has put the batch there already.
func (p *SourcePass) preparedBatch(move hostMove) bool {
	if loop, ok := p.outermost(p.LoopAround(move)).(*pysrc.For); ok && p.prepared(loop.Iter) {
		return true
	}
	if p.nextPrepared(move.tensor) {
		return true
	}
	a, ok := move.device.(*pysrc.Attribute)
	if !ok {
		return false
	}
	return project.HasWord(lastName(a.Value), "accelerator", "fabric", "accelerate") ||
		p.Eval(a.Value).IsInstance("accelerate.Accelerator")
}

// nextPrepared reports next(batches) of such a loader, or a part of what it gave: images, labels = next(batches).
func (p *SourcePass) nextPrepared(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Call:
		return pysrc.DottedName(x.Func) == "next" && len(x.Args) > 0 && p.iteratesPrepared(x.Args[0])
	case *pysrc.Name:
		list, given := p.Module.SaidOrGiven(x)
		return !given && len(list) > 0 && !slices.ContainsFunc(list, func(s project.Said) bool {
			return !p.nextPrepared(s.Value)
		})
	}
	return false
}

// iteratesPrepared reports an iterator over such a loader: self.batches, set to cycle(loader) in __init__.
func (p *SourcePass) iteratesPrepared(iter pysrc.Expr) bool {
	if p.prepared(iter) {
		return true
	}
	name := pysrc.DottedName(iter)
	return name != "" && slices.ContainsFunc(p.Module.Assignments, func(a *project.Assignment) bool {
		return a.Value != nil && pysrc.DottedName(a.Target) == name && a.Func.Class == p.Function(iter).Class && p.prepared(a.Value)
	})
}

// prepared reports a loop over a loader that accelerator.prepare gave back under that name.
func (p *SourcePass) prepared(iter pysrc.Expr) bool {
	for _, c := range p.MethodCalls("prepare", "prepare_data_loader", "setup_dataloaders") {
		s, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
		if !ok {
			continue
		}
		for _, t := range s.Targets {
			names := []pysrc.Expr{t}
			if several, ok := t.(*pysrc.Tuple); ok {
				names = several.Elts
			}
			for _, name := range names {
				if d := pysrc.DottedName(name); d != "" && mentionsDotted(iter, d) {
					return true
				}
			}
		}
	}
	return false
}

// mentionsDotted reports a dotted name in an expression.
func mentionsDotted(e pysrc.Expr, name string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok && pysrc.DottedName(x) == name {
			found = true
		}
		return !found
	})
	return found
}

// movesItself reports whether a class of the project has its own to or cuda: a
// batch of that class may not take what a tensor takes.
func (p *SourcePass) movesItself(method string) bool {
	for _, m := range p.Project.Modules {
		for _, c := range m.Classes {
			if c.Methods[method] != nil && m.Role != project.Test {
				return true
			}
		}
	}
	return false
}
