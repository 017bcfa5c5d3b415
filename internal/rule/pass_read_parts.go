package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// A partRead is a place that makes the host wait for a value of a tensor: a call, or a test.
type partRead struct {
	at     Node
	tensor pysrc.Expr
	test   bool
}

// partReadsOf are the reads and the tests of a module that may take a tensor apart, in the order of their places.
func (p *SourcePass) partReadsOf() (list []partRead) {
	for _, c := range p.partReads() {
		if !p.readBefore(c) {
			list = append(list, partRead{c, c.tensor, false})
		}
	}
	for _, test := range p.Module.Tests {
		if !p.runsBesideTraining(p.Function(test)) {
			continue
		}
		if loop, ok := p.LoopAround(test).(*pysrc.For); ok && inBody(loop.Body, test) && p.overTensor(loop) {
			if value := p.branchOn(test); value != nil {
				list = append(list, partRead{value, tensorOf(value), true})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b partRead) int { return int(a.at.Bounds().Start - b.at.Bounds().Start) })
	return list
}

// overTensor reports a loop that may go over the rows of a tensor: its sizes, or what is one.
func (p *SourcePass) overTensor(loop *pysrc.For) bool {
	return isRange(loop.Iter) || slices.ContainsFunc(iterablesOf(loop.Iter), p.isWholeTensor)
}

// madeInTurn are an expression and what the variables in it are set to in the body of a loop: in order = x[i].argsort(), a read
// of order is one of x[i]. A variable that a turn makes of its own old value is not followed.
func madeInTurn(e pysrc.Expr, body []pysrc.Stmt) []pysrc.Expr {
	list, seen := []pysrc.Expr{e}, map[string]bool{}
	for at := 0; at < len(list) && len(list) < 16; at++ {
		pysrc.Inspect(list[at], func(n pysrc.Node) bool {
			name, ok := n.(*pysrc.Name)
			if !ok || name.Ctx != pysrc.Load || seen[name.ID] {
				return true
			}
			seen[name.ID] = true
			if value := setInTurn(name.ID, body); value != nil {
				list = append(list, value)
			}
			return true
		})
	}
	return list
}

// setInTurn is what a loop's body sets a variable to, where it does so once and not from the variable's old value; or nil.
func setInTurn(name string, body []pysrc.Stmt) (value pysrc.Expr) {
	times := 0
	for _, stmt := range body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Assign:
				if len(x.Targets) == 1 && storesName(x.Targets[0], name) {
					value = partFor(name, x)
					times++
				}
			case *pysrc.AugAssign:
				if storesName(x.Target, name) {
					times += 2
				}
			}
			return true
		})
	}
	if times != 1 || mentions(value, name) {
		return nil
	}
	return value
}

// madeOfPart reports a read of something that a turn of a loop computes from one part of a tensor: from x[i], or from the row that the
// loop takes from x. What might be a list is not meant.
func (p *SourcePass) madeOfPart(r partRead, loop *pysrc.For) bool {
	made := madeInTurn(r.tensor, loop.Body)
	if slices.ContainsFunc(made, p.mayRunModel) || p.learnsByActing() {
		return false // of each part on purpose, perhaps: an agent that acts, chunks of a long input
	}
	items := map[string]bool{}
	if slices.ContainsFunc(iterablesOf(loop.Iter), p.isWholeTensor) {
		addStored(loop.Target, items)
	}
	index, _ := loop.Target.(*pysrc.Name)
	if index != nil && isRange(loop.Iter) && !fixedRange(loop.Iter) {
		return slices.ContainsFunc(made, func(e pysrc.Expr) bool { return p.cutsRow(e, index.ID) })
	}
	return len(items) > 0 && slices.ContainsFunc(made, func(e pysrc.Expr) bool { return mentionsAny(e, items) })
}

// mayRunModel reports an expression that calls a model, or a method or function of the project that may.
func (p *SourcePass) mayRunModel(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok {
			if s := p.Module.SiteAt(c); s != nil {
				found = found || s.Calls.Func != nil || s.Calls.IsInstance("torch.nn.Module") || p.callsModel(s)
			}
		}
		return !found
	})
	return found
}

// cutsRow reports x[i] in an expression, for one tensor x of the GPU and a name i.
func (p *SourcePass) cutsRow(e pysrc.Expr, index string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok && isNamed(firstIndex(s), index) && p.isWholeTensor(s.Value) {
			found = true
		}
		return !found
	})
	return found
}

func (p *SourcePass) isWholeTensor(e pysrc.Expr) bool {
	return p.isWhole(e) && p.isOneTensor(e, 0)
}

// runsForEvaluation reports a place that runs beside the steps of training, for each batch of an evaluation or once in a while.
func (p *SourcePass) runsForEvaluation(n Node) bool {
	if !p.runsBesideTraining(p.Function(n)) {
		return false
	}
	if _, step := p.EachStep(n); step {
		return false // another rule's
	}
	g := p.Rare(n)
	return (g == nil || g.Kind == project.InEval) && !p.onceInManySteps(n)
}
