package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// evaluation is a call in an epoch of a function that runs the model over all of the data it is given.
type evaluation struct {
	call *project.Site
	data pysrc.Expr
	way  []any
}

// secondEvaluations reports evaluations after each epoch of one more data set, whose result is only shown: the test set beside the
// validation set.
func (p *SourcePass) secondEvaluations() {
	if !p.runsOnGPU() || p.Module.Role == project.Test {
		return
	}
	type group struct {
		loop pysrc.Stmt
		fn   *project.Function
	}
	var order []group
	all := map[group][]evaluation{}
	for _, s := range p.besideTraining() {
		fn, loop := s.Calls.Func, p.LoopAround(s)
		if fn == nil || fn.Def == nil || loop == nil || s.Calls.Kind != project.Callable || p.underTestWithin(s, loop) || p.isTrainingLoop(loop) || p.endsAfter(s) {
			continue
		}
		if e, ok := p.evaluationOf(s, fn); ok {
			g := group{loop, fn}
			if all[g] == nil {
				order = append(order, g)
			}
			all[g] = append(all[g], e)
		}
	}
	for _, g := range order {
		list := all[g]
		for i, e := range slices.Backward(list) {
			other := slices.ContainsFunc(list, func(o evaluation) bool {
				return o.call != e.call && pysrc.DottedName(o.data) != pysrc.DottedName(e.data) && (o.call.Node.Start < e.call.Node.Start || p.decidesSomething(o.call, g.loop))
			})
			if !other || p.decidesSomething(e.call, g.loop) || slices.ContainsFunc(list[i+1:], func(o evaluation) bool { return pysrc.DottedName(o.data) == pysrc.DottedName(e.data) }) {
				continue
			}
			p.Report(e.call.Node.Func, probable*p.GPU()).At(Advice).Because(e.way...).
				Saying("%s is evaluated in every epoch, too, but nothing depends on the result", p.Short(e.data)).
				Advising("Evaluate it once, at the end, with the weights that the validation set has chosen; or every ten epochs.").
				Small("how much it takes depends on the size of that set")
			break
		}
	}
}

// evaluationOf is a call of a function that evaluates what it is given, if it does.
func (p *SourcePass) evaluationOf(s *project.Site, fn *project.Function) (evaluation, bool) {
	params := fn.Params()
	if params == nil {
		return evaluation{}, false
	}
	for _, a := range params.All() {
		data := s.Given(fn, a.Name)
		if pysrc.DottedName(data) == "" || p.stopsEarly(s, fn, a.Name) {
			continue
		}
		if way := p.In(fn.Module).evaluatesOver(fn, a.Name, 2); way != nil {
			return evaluation{s, data, way}, true
		}
	}
	return evaluation{}, false
}

// shows are functions and methods that tell people what they are given, or keep it for them.
var shows = setOfNames("print", "info", "debug", "warning", "write", "writelines", "append", "format", "add_scalar", "add_scalars", "log", "log_metric",
	"log_metrics", "log_dict", "set_postfix", "set_description", "update", "note", "round", "float", "str", "join", "item", "save", "dump", "report")

// decidesSomething reports a call in an epoch whose result is tested, returned, or given to what may act on it: early stopping, a scheduler.
func (p *SourcePass) decidesSomething(s *project.Site, loop pysrc.Stmt) bool {
	a, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign)
	if !ok {
		_, alone := p.Module.StatementAt(s.Node.Start).(*pysrc.ExprStmt)
		return !alone
	}
	names := map[string]bool{}
	for _, t := range a.Targets {
		addStored(t, names)
	}
	if len(names) == 0 {
		return true
	}
	decides := false
	until := p.setAgain(a, names)
	pysrc.InspectPath(loop, func(n pysrc.Node, path []pysrc.Node) bool {
		name, ok := n.(*pysrc.Name)
		if ok && name.Ctx == pysrc.Load && names[name.ID] && !a.Contains(int(name.Start)) && until.reaches(name.Start) {
			decides = decides || !onlyShown(path)
		}
		return !decides
	})
	return decides
}

// A reach is where the value that a statement sets may be read: what stands behind another that sets the same is not reached.
type reach struct{ from, until, first int32 }

func (r reach) reaches(at int32) bool {
	return at >= r.from && (r.until == 0 || at <= r.until) || at < r.from && (r.first == 0 || at < r.first)
}

// setAgain says how far the names that an assignment sets are its own: up to the next statement beside it that sets them all, and
// in the next turn of a loop up to the first one.
func (p *SourcePass) setAgain(a *pysrc.Assign, names map[string]bool) reach {
	r := reach{from: a.Start}
	for _, s := range p.siblingsOf(a) {
		other, ok := s.(*pysrc.Assign)
		if !ok || other == a || !setsAll(other, names) {
			continue
		}
		switch {
		case other.Start > a.Start && r.until == 0:
			r.until = other.End
		case other.Start < a.Start && r.first == 0:
			r.first = other.Start
		}
	}
	return r
}

// setsAll reports an assignment of plain variables that sets all of these.
func setsAll(a *pysrc.Assign, names map[string]bool) bool {
	if len(a.Targets) != 1 {
		return false
	}
	for name := range names {
		if !storesName(a.Targets[0], name) {
			return false
		}
	}
	return true
}

// onlyShown reports a value that its statement prints, logs or stores.
func onlyShown(path []pysrc.Node) bool {
	for i, parent := range slices.Backward(path) {
		switch x := parent.(type) {
		case *pysrc.Compare, *pysrc.BoolOp, *pysrc.IfExp, *pysrc.Return, *pysrc.Yield:
			return false
		case *pysrc.If:
			return i+1 < len(path) && !x.Test.Bounds().Contains(int(path[i+1].Bounds().Start))
		case *pysrc.While:
			return false
		case *pysrc.Call:
			if !shows[lastName(x.Func)] && !isNamedIn(x.Func, path, i) {
				return false
			}
		case pysrc.Stmt:
			return true
		}
	}
	return true
}

// isNamedIn reports that the path goes through what is called, and not through what it is given: result.mean().
func isNamedIn(f pysrc.Expr, path []pysrc.Node, at int) bool {
	return at+1 < len(path) && path[at+1] == pysrc.Node(f)
}
