package rule

import (
	"bytes"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// evaluationReads reports what evaluations that training repeats read or copy to the host after each batch. It costs little, and one
// finding tells of all the reads of a function; said has those of which each part is read. An environment that waits for an action
// cannot wait for less, and one copy of a batch is little where Python then makes texts of it.
func (p *SourcePass) evaluationReads(said map[*project.Function]*Report) {
	found := map[*project.Function]*Report{}
	for _, read := range inOrderReads(p.partReads()) {
		if p.readBefore(read) || said[read.Func] != nil || p.sureFetched(read) < likely {
			continue
		}
		if _, step := p.EachStep(read); step {
			continue
		}
		because, evaluates := p.eachEvaluated(read)
		if !evaluates || p.acts(read) {
			continue
		}
		if sort := p.sortedOnHost(read); sort != nil {
			p.sortsOnHost(sort, read, because)
		}
		if p.workedOnHost(read) {
			continue
		}
		if first := found[read.Func]; first != nil {
			first.Too(p.At(read, "and here"))
			continue
		}
		found[read.Func] = p.Report(read, likely*p.GPU()).Because(because...).
			Saying("%s waits for the GPU after each batch, beside the training steps", p.Short(read)).
			Advising("Keep sums, counts and predictions on the GPU, and copy them once after the loop.").
			Small("evaluation is a small part of most trainings")
	}
}

// sureFetched is how surely a call waits for the GPU: nobody fetches what is not there, but what a loader gives.
func (p *SourcePass) sureFetched(read readBack) float64 {
	sure := p.OnDevice(read.tensor)
	if read.Method() == "cpu" && sure < likely && (bytes.HasPrefix(p.Module.Text[read.Node.End:], []byte(".")) || p.isTensor(read.tensor)) && !p.asLoaded(read.tensor) {
		return likely
	}
	return sure
}

// eachEvaluated reports a call that the loop of an evaluation makes for each batch, in the loop itself or in what it calls, and what
// shows it.
func (p *SourcePass) eachEvaluated(read readBack) (because []any, is bool) {
	if loop := p.loopBesideTraining(read); loop != nil {
		return nil, p.isEvaluation(loop, read) && p.madeEachTurn(read) && p.trainingRepeats(read, mostRepeatCalls)
	}
	if _, hot := p.Hot(read); hot || p.LoopAround(read) != nil || p.Rare(read) != nil {
		return nil, false
	}
	for _, s := range p.Project.Callers(read.Func) {
		in := p.In(s.Module())
		loop := in.loopBesideTraining(s)
		if loop != nil && (in.isEvaluation(loop, s) || p.EvaluationOnly(read)) && in.trainingRepeats(s, mostRepeatCalls) {
			because = append(because, in.At(s, "the evaluation calls it here"))
		}
	}
	return because, len(because) > 0
}

// loopBesideTraining is the outermost loop around a place that holds no training; or the training loop around it, of which an arm
// evaluates: if phase == "valid". It is nil where there is none, and for what runs only in some of its turns.
func (p *SourcePass) loopBesideTraining(n Node) (found pysrc.Stmt) {
	if p.Module.Role == project.Test {
		return nil
	}
	guard := p.Rare(n)
	evaluates := guard != nil && guard.Kind == project.InEval
	for loop := p.LoopAround(n); loop != nil; loop = p.LoopAround(loop) {
		if p.leadsTraining(loop) {
			if found == nil && evaluates && p.isTrainingLoop(loop) {
				return loop
			}
			break
		}
		found = loop
	}
	if found != nil && guard != nil && !evaluates {
		if around := p.Rare(header(found)); around == nil || around.Span != guard.Span {
			return nil
		}
	}
	return found
}

// isEvaluation reports a place in a loop that evaluates: by what is around it, or because the model is switched before the loop.
func (p *SourcePass) isEvaluation(loop pysrc.Stmt, n Node) bool {
	return p.isTrainingLoop(loop) || p.EvaluationOnly(n) || p.switchedBefore(loop)
}

// madeEachTurn reports a tensor that each turn of a loop around its read computes: not a weight of a model, the sum that a loop over
// batches inside has made, nor the number that counts the turns.
func (p *SourcePass) madeEachTurn(read readBack) bool {
	root := project.RootName(read.tensor)
	_, computed := read.tensor.(*pysrc.Call)
	for loop := p.LoopAround(read); loop != nil; loop = p.LoopAround(loop) {
		of, ok := loop.(*pysrc.For)
		if ok && slices.ContainsFunc(waysToWeights, func(method string) bool { return callsNamed(of.Iter, method) }) {
			return false
		}
		made, inner := madeByTurn(loop, read.Node)
		if ok && isRange(of.Iter) {
			made = namesBut(made, of.Target)
		} else if ok && callsNamed(of.Iter, "enumerate") {
			made = namesBut(made, firstOf(of.Target))
		}
		if root != nil && made[root.ID] || computed && mentionsAny(read.tensor, made) {
			return !inner || ok && !overConstant(of.Iter) && !callsNamed(of.Iter, "items") // for split in ("train", "val")
		}
	}
	return false
}

// madeByTurn are the variables that a turn of a loop sets, and whether a loop within it has ended before a place.
func madeByTurn(loop pysrc.Stmt, at pysrc.Node) (made map[string]bool, inner bool) {
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		switch n.(type) {
		case *pysrc.For, *pysrc.While:
			inner = inner || n != pysrc.Node(loop) && n.Bounds().End < at.Bounds().Start
		}
		return true
	})
	return storedIn(loop), inner
}

// namesBut are the names but those that an expression stores.
func namesBut(names map[string]bool, e pysrc.Expr) map[string]bool {
	if e != nil {
		for name := range storedIn(e) {
			delete(names, name)
		}
	}
	return names
}

// waysToWeights are the methods of a model and its parts through which a loop goes over weights.
var waysToWeights = []string{"parameters", "named_parameters", "state_dict", "buffers", "named_buffers", "modules", "named_modules"}

// workedOnHost reports a copy of which Python goes through the rows, itself or in a function of the project that makes something of
// it: words += decode(scores.cpu()). A number, and what a metric takes, is not that.
func (p *SourcePass) workedOnHost(read readBack) bool {
	if read.Method() == "item" {
		return false
	}
	rows := func(e pysrc.Expr) bool {
		return slices.ContainsFunc(goneOver(e), func(of pysrc.Expr) bool { return endsChain(of, read.Node) })
	}
	stmt := p.Module.StatementAt(read.Node.Start)
	worked := false
	name := ""
	switch s := stmt.(type) {
	case *pysrc.For:
		worked = rows(s.Iter)
	case *pysrc.Assign:
		if plain, ok := s.Targets[0].(*pysrc.Name); ok && endsChain(s.Value, read.Node) {
			name = plain.ID
		}
	}
	pysrc.Inspect(stmt, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Comprehension:
			worked = worked || rows(n.Iter)
		case *pysrc.Call:
			site := p.Module.SiteAt(n)
			inside := slices.ContainsFunc(n.Args, func(a pysrc.Expr) bool { return endsChain(a, read.Node) })
			told, alone := stmt.(*pysrc.ExprStmt)
			worked = worked || inside && site != nil && site.Calls.Func != nil && site.Calls.Func != read.Func && !(alone && told.Value == pysrc.Expr(n))
		}
		return !worked
	})
	return worked || name != "" && p.goneThroughAfter(read.Func, name, read.Node.End)
}

// goneOver are what a loop goes over together: a and b of enumerate(zip(a, b)).
func goneOver(iter pysrc.Expr) []pysrc.Expr {
	c, ok := iter.(*pysrc.Call)
	if !ok || len(c.Args) == 0 {
		return []pysrc.Expr{iter}
	}
	switch lastName(c.Func) {
	case "enumerate":
		return goneOver(c.Args[0])
	case "zip":
		return c.Args
	}
	return []pysrc.Expr{iter}
}

// endsChain reports an expression that is a call and what its methods make of the result: x.cpu() of x.cpu().numpy().
func endsChain(e pysrc.Expr, call *pysrc.Call) bool {
	for e != nil {
		switch x := e.(type) {
		case *pysrc.Call:
			if x == call {
				return true
			}
			e = x.Func
		case *pysrc.Attribute:
			e = x.Value
		case *pysrc.Subscript:
			e = x.Value
		default:
			return false
		}
	}
	return false
}

// goneThroughAfter reports a variable of which a loop or a comprehension of a function goes through the parts, behind an offset.
func (p *SourcePass) goneThroughAfter(fn *project.Function, name string, from int32) bool {
	if fn.Def == nil {
		return false
	}
	found := false
	over := func(e pysrc.Expr) bool {
		return e.Bounds().Start > from && slices.ContainsFunc(goneOver(e), func(of pysrc.Expr) bool { return rootName(of) == name })
	}
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.For:
			found = found || over(n.Iter)
		case *pysrc.Comprehension:
			found = found || over(n.Iter)
		}
		return !found
	})
	return found
}

// leadsTraining reports a loop that trains, or around one that does or a call of what does.
func (p *SourcePass) leadsTraining(loop pysrc.Stmt) bool {
	return p.holdsTraining(loop) || slices.ContainsFunc(p.Function(loop).Sites, func(s *project.Site) bool {
		return loop.Bounds().Contains(int(s.Node.Start)) && s.Calls.Func != nil && p.Project.Leads(s.Calls.Func)
	})
}

// mostRepeatCalls is how many calls lie between a training loop and the evaluations that it repeats.
const mostRepeatCalls = 4

// trainingRepeats reports a place of an evaluation that training runs again and again: in a loop around training, or in what such a
// loop calls, over a few calls.
func (p *SourcePass) trainingRepeats(n Node, calls int) bool {
	for loop := p.LoopAround(n); loop != nil; loop = p.LoopAround(loop) {
		if p.leadsTraining(loop) {
			return true
		}
	}
	fn := p.Function(n)
	return calls > 0 && !p.trainsWhole(fn) && slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		return s.Func != fn && p.In(s.Module()).trainingRepeats(s, calls-1)
	})
}

// switchedBefore reports a loop behind model.eval(), and before model.train() of the same model, that takes no gradients.
func (p *SourcePass) switchedBefore(loop pysrc.Stmt) bool {
	fn := p.Function(loop)
	for _, eval := range fn.Sites {
		on, ok := eval.Node.Func.(*pysrc.Attribute)
		if !ok || on.Attr != "eval" || len(eval.Node.Args) > 0 || eval.Node.End > loop.Bounds().Start || !p.mayBeModel(on.Value) {
			continue
		}
		var within []*project.Site
		for _, s := range p.until(pysrc.DottedName(on.Value)+".train", fn, p.Module.StatementsAfter(eval.Node.Start)) {
			if loop.Bounds().Contains(int(s.Node.Start)) {
				within = append(within, s)
			}
		}
		if len(within) > 0 && !slices.ContainsFunc(within, differentiates) {
			return true
		}
	}
	return false
}

// trainsWhole reports a function that trains over epochs: what it does besides happens once in a training, however often that is run.
func (p *SourcePass) trainsWhole(fn *project.Function) bool {
	return slices.ContainsFunc(p.TrainingLoops(), func(l *project.Loop) bool { return l.Func == fn && p.LoopAround(l.Stmt) != nil }) ||
		slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
			return s.Calls.Func != nil && p.Project.Leads(s.Calls.Func) && p.LoopAround(s) != nil
		})
}
