package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// trainingRunAgain reports evaluations of the data that training has just run, once in each epoch: their accuracy costs
// another forward pass over all of it.
func (p *SourcePass) trainingRunAgain() {
	if !p.runsOnGPU() || p.Module.Role == project.Test {
		return
	}
	said := map[pysrc.Stmt]bool{} // one finding for a loop
	for _, s := range p.besideTraining() {
		fn := s.Calls.Func
		loop := p.LoopAround(s)
		if fn == nil || fn.Def == nil || loop == nil || said[loop] || s.Calls.Kind != project.Callable || p.underTestWithin(s, loop) || p.isTrainingLoop(loop) || p.endsAfter(s) {
			continue
		}
		for _, a := range fn.Params().All() {
			data := s.Given(fn, a.Name)
			if pysrc.DottedName(data) == "" || !p.trainsOver(s, loop, data) || p.stopsEarly(s, fn, a.Name) {
				continue
			}
			way := p.In(fn.Module).evaluatesOver(fn, a.Name, 2)
			if way == nil {
				continue
			}
			said[loop] = true
			p.Report(s.Node.Func, likely*p.GPU()).At(Advice).Because(way...).
				Saying("%s runs the training data once more in each epoch", p.Short(s.Node.Func)).
				Advising("Add up the metric during training, from the outputs of its own steps; or evaluate a part of the training data.")
			break
		}
	}
}

// stopsEarly reports a call that gives a function how many samples or batches to look at, where its loop over the data ends:
// if limit is not None and seen > limit: break.
func (p *SourcePass) stopsEarly(s *project.Site, fn *project.Function, data string) bool {
	loop := p.In(fn.Module).goesOver(fn, data)
	if loop == nil {
		return false
	}
	found := false
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			test, ok := n.(*pysrc.If)
			if !ok || len(test.Body) == 0 {
				return !found
			}
			if _, ends := test.Body[len(test.Body)-1].(*pysrc.Break); ends {
				found = found || p.givesLimit(s, fn, test.Test)
			}
			return !found
		})
	}
	return found
}

// givesLimit reports a test of a parameter for which a call gives a number.
func (p *SourcePass) givesLimit(s *project.Site, fn *project.Function, test pysrc.Expr) bool {
	return slices.ContainsFunc(fn.Params().All(), func(a *pysrc.Arg) bool {
		given := s.Given(fn, a.Name)
		if given == nil || !mentionsName(test, a.Name) {
			return false
		}
		n, known := p.Eval(given).Float()
		return known && n > 0
	})
}

// endsAfter reports a call that its loop makes at most once: right before a break or return.
func (p *SourcePass) endsAfter(s *project.Site) bool {
	stmt := p.Module.StatementAt(s.Node.Start)
	for _, next := range following(p.siblingsOf(stmt), stmt) {
		switch next.(type) {
		case *pysrc.Break, *pysrc.Return:
			return true
		}
	}
	return false
}

// trainsOver reports data that the same loop trains on: there, or in a function that is given the same variable, or that sees
// it in its module.
func (p *SourcePass) trainsOver(s *project.Site, loop pysrc.Stmt, data pysrc.Expr) bool {
	for _, inner := range p.TrainingLoops() {
		over, ok := inner.Stmt.(*pysrc.For)
		if ok && inner.Func == s.Func && loop.Bounds().Contains(int(over.Start)) && iterates(over.Iter, pysrc.DottedName(data)) {
			return true
		}
	}
	for _, t := range s.Func.Sites {
		fn := t.Calls.Func
		if fn == nil || fn.Def == nil || !loop.Bounds().Contains(int(t.Node.Start)) || !p.Project.Leads(fn) {
			continue
		}
		if fn.Module == p.Module && !fn.HasParameter(pysrc.DottedName(data)) && p.goesOver(fn, pysrc.DottedName(data)) != nil {
			return true
		}
		for _, a := range fn.Params().All() {
			if given := t.Given(fn, a.Name); given != nil && pysrc.DottedName(given) == pysrc.DottedName(data) &&
				p.In(fn.Module).goesOver(fn, a.Name) != nil {
				return true
			}
		}
	}
	return false
}

// evaluatesOver is the loop of a function, or of one that it calls, that goes over a parameter with a model in evaluation; nil
// where there is none.
func (p *SourcePass) evaluatesOver(fn *project.Function, parameter string, depth int) (way []any) {
	if p.Project.Leads(fn) {
		return nil
	}
	if loop := p.goesOver(fn, parameter); loop != nil && p.switchesToEvaluation(fn) && (p.modelIn(loop.Body) || p.modelInLoop(fn) != nil || p.ownMethodIn(loop.Body)) {
		return []any{p.At(header(loop), "goes over all of it")}
	}
	if depth == 0 {
		return nil
	}
	for _, s := range fn.Sites {
		next := s.Calls.Func
		if next == nil || next.Def == nil || s.Calls.Kind != project.Callable {
			continue
		}
		for _, a := range next.Params().All() {
			if given := s.Given(next, a.Name); given != nil && isNamed(given, parameter) {
				if way := p.In(next.Module).evaluatesOver(next, a.Name, depth-1); way != nil {
					return append([]any{p.At(s.Node, "passes it on")}, way...)
				}
			}
		}
	}
	return nil
}

// ownMethodIn reports statements that call a method of a model, which the project writes, without gradients: model.beam_search(images).
func (p *SourcePass) ownMethodIn(body []pysrc.Stmt) bool {
	return len(body) > 0 && slices.ContainsFunc(p.Function(body[0]).Sites, func(s *project.Site) bool {
		fn, on := s.Calls.Func, (Call{s, p}).Receiver()
		return fn != nil && fn.Method() && fn.Class.Derives("torch.nn.Module") && on != nil && !project.IsSelf(on) &&
			len(s.Node.Args) > 0 && inBody(body, s.Node) && p.withoutGradients(s)
	})
}

func (p *SourcePass) switchesToEvaluation(fn *project.Function) bool {
	for _, s := range fn.Sites {
		if s.Method() == "eval" && len(s.Node.Args) == 0 || s.Calls.Name == "torch.no_grad" || s.Calls.Name == "torch.inference_mode" {
			return true
		}
	}
	return false
}

// goesOver is the loop of a function that goes over all of a parameter: for batch in data, or range(0, len(data), n) and data[i].
func (p *SourcePass) goesOver(fn *project.Function, parameter string) *pysrc.For {
	for _, loop := range p.outerLoops(fn) {
		if isRange(loop.Iter) && indexes(loop.Body, parameter) || !isRange(loop.Iter) && iterates(loop.Iter, parameter) {
			return loop
		}
		name, ok := loop.Iter.(*pysrc.Name)
		if !ok {
			continue
		}
		said := p.saidIn(fn, name.ID) // bar = tqdm(loader)
		if said != nil && (iterates(said, parameter) || callsNamed(said, "range") && indexes(loop.Body, parameter)) {
			return loop
		}
	}
	return nil
}

// saidIn is what a function assigns to a variable, if it does once.
func (p *SourcePass) saidIn(fn *project.Function, name string) pysrc.Expr {
	if values := p.assignments(name, fn); len(values) == 1 {
		return values[0]
	}
	return nil
}

// iterates reports data, enumerate(data), tqdm(data, …).
func iterates(e pysrc.Expr, name string) bool {
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) > 0 {
		switch lastName(c.Func) {
		case "enumerate", "tqdm", "trange", "iter", "list", "track":
			return iterates(c.Args[0], name)
		}
		return false
	}
	return pysrc.DottedName(e) == name
}

// indexes reports statements that take parts of a variable by what changes: data[i].
func indexes(body []pysrc.Stmt, name string) bool {
	found := false
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			part, ok := n.(*pysrc.Subscript)
			if ok && isNamed(part.Value, name) {
				_, constant := part.Slice.(*pysrc.Constant)
				found = found || !constant
			}
			return !found
		})
	}
	return found
}
