package rule

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// stepsBetween returns how often a place in the body of a training loop runs, in steps: 1 without a test around it, n
// behind `if step % n == 0`. It is unknown if another test, an inner loop or an unknown number decides.
func (p *SourcePass) stepsBetween(n Node) (every int64, known bool) {
	loop := p.loopHolding(n)
	if loop == nil || p.LoopAround(n) != loop.Stmt {
		return 0, false
	}
	every, known = 1, true
	fn := p.Function(n)
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		b := p.Module.Block(id)
		if b.Owner == pysrc.Node(loop.Stmt) {
			return every, known
		}
		switch owner := b.Owner.(type) {
		case *pysrc.If:
			more, ok := p.stepsOf(owner.Test, loop)
			if !ok && p.ofOneRank(owner.Test) {
				more, ok = 1, true
			}
			if b.Arm != project.Body || !ok {
				return 0, false
			}
			every *= more
		case *pysrc.With:
		default:
			return 0, false
		}
	}
	return 0, false
}

// loopHolding is the training loop of this module that holds a place in its own function, or nil.
func (p *SourcePass) loopHolding(n Node) *project.Loop {
	loops := p.TrainingLoops()
	at := slices.IndexFunc(loops, func(l *project.Loop) bool {
		return l.Func == p.Function(n) && l.Bounds().Contains(int(n.Bounds().Start))
	})
	if at < 0 {
		return nil
	}
	return loops[at]
}

// stepsOf is the n of `step % n == 0`, alone or with a test that lets one rank or all steps but the first through.
func (p *SourcePass) stepsOf(test pysrc.Expr, loop *project.Loop) (every int64, ok bool) {
	switch t := test.(type) {
	case *pysrc.BoolOp:
		if t.Op != pysrc.And {
			return 0, false
		}
		for _, part := range t.Values {
			if n, found := p.stepsOf(part, loop); found {
				every = max(every, n)
			} else if counter, plain := part.(*pysrc.Name); plain && countedIn(counter, loop) || p.ofOneRank(part) {
				continue // it and it % n == 0
			} else if c, compares := part.(*pysrc.Compare); !compares || !countedIn(c.Left, loop) && !project.HasWord(lastName(c.Left), "rank") {
				return 0, false
			}
		}
		return every, every > 0
	case *pysrc.UnaryOp: // not step % n
		if mod, is := t.Operand.(*pysrc.BinOp); is && t.Op == pysrc.Not {
			return p.stepsOfModulo(mod, loop)
		}
	case *pysrc.Compare:
		if mod, is := t.Left.(*pysrc.BinOp); is && len(t.Ops) == 1 && t.Ops[0] == pysrc.Eq {
			return p.stepsOfModulo(mod, loop)
		}
	}
	return 0, false
}

func (p *SourcePass) stepsOfModulo(mod *pysrc.BinOp, loop *project.Loop) (int64, bool) {
	if mod.Op != pysrc.Mod || !countedIn(mod.Left, loop) {
		return 0, false
	}
	n, ok := p.Eval(mod.Right).Int()
	return n, ok && n > 0
}

// becauseIntervals is intervals as evidence.
func (p *SourcePass) becauseIntervals(n Node) (list []any) {
	if loop := p.loopHolding(n); loop != nil {
		for _, v := range p.intervals(n, loop) {
			list = append(list, v)
		}
	}
	return list
}

// intervals are the n of the tests step % n == 0 around a place of a training loop, where the source says them elsewhere.
func (p *SourcePass) intervals(n Node, loop *project.Loop) (list []Value) {
	p.testsAround(n, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			if mod, ok := n.(*pysrc.BinOp); ok && mod.Op == pysrc.Mod && countedIn(mod.Left, loop) {
				if v := p.Eval(mod.Right); v.Given() {
					list = append(list, v)
				}
			}
			return true
		})
	})
	return list
}

// countedIn reports an expression whose variable the loop itself changes in each iteration, as a step and not an epoch does.
func countedIn(e pysrc.Expr, loop *project.Loop) bool {
	if sum, ok := e.(*pysrc.BinOp); ok { // step + 1
		return countedIn(sum.Left, loop) || countedIn(sum.Right, loop)
	}
	name := pysrc.DottedName(e)
	if name == "" {
		return false
	}
	found := false
	look := func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok && pysrc.DottedName(x) == name {
			switch x := x.(type) {
			case *pysrc.Name:
				found = found || x.Ctx == pysrc.Store
			case *pysrc.Attribute:
				found = found || x.Ctx == pysrc.Store
			}
		}
		return !found
	}
	if f, ok := loop.Stmt.(*pysrc.For); ok {
		pysrc.Inspect(f.Target, look)
	}
	for _, s := range loop.Body() {
		pysrc.Inspect(s, look)
	}
	return found
}

// evaluates reports a function of the project that switches a model to evaluation and runs it in a loop without
// gradients.
func (p *SourcePass) evaluates(fn *project.Function) bool {
	q := p.In(fn.Module)
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return q.LoopAround(s) != nil && q.runsSwitched(fn, s)
	})
}

// runsSwitched reports a call without gradients of a model that its function switches to evaluation before.
func (p *SourcePass) runsSwitched(fn *project.Function, s *project.Site) bool {
	model := pysrc.DottedName(s.Node.Func)
	return model != "" && p.Under(s, "torch.no_grad", "torch.inference_mode") && slices.ContainsFunc(fn.Sites, func(eval *project.Site) bool {
		return eval.Method() == "eval" && eval.Node.Start < s.Node.Start && (pysrc.DottedName(eval.Node.Func) == model+".eval" || p.switchedAs(eval, model))
	})
}

// switchedAs reports a model that is switched to evaluation as it gets the name, or the object of which a part, that a call runs:
// net = self.model.eval(); net.encoder(x).
func (p *SourcePass) switchedAs(eval *project.Site, model string) bool {
	if whole, ok := strings.CutSuffix(pysrc.DottedName(eval.Node.Func), ".eval"); ok && strings.HasPrefix(model, whole+".") && whole != "self" {
		return true // self.model.eval(); self.model.module(x)
	}
	a, ok := p.Module.StatementAt(eval.Node.Start).(*pysrc.Assign)
	if !ok || a.Value != pysrc.Expr(eval.Node) || len(a.Targets) != 1 {
		return false
	}
	name := pysrc.DottedName(a.Targets[0])
	return name != "" && (model == name || strings.HasPrefix(model, name+"."))
}

// fewTurns reports a loop over a range that ends after a few evaluations.
func (p *SourcePass) fewTurns(loop *project.Loop, every int64) bool {
	over, ok := loop.Stmt.(*pysrc.For)
	if !ok {
		return false
	}
	steps, ok := over.Iter.(*pysrc.Call)
	if !ok || lastName(steps.Func) != "range" || len(steps.Args) == 0 {
		return false
	}
	last, known := p.Eval(steps.Args[min(1, len(steps.Args)-1)]).Int()
	return known && last <= 10*every
}

// manyEvaluations reports a loop of at least a hundred evaluations, by the number of steps that it, or a loop around it, counts to.
func (p *SourcePass) manyEvaluations(loop *project.Loop, every int64) bool {
	for at := loop.Stmt; at != nil; at = p.LoopAround(at) {
		var most pysrc.Expr
		switch s := at.(type) {
		case *pysrc.For:
			if steps, ok := s.Iter.(*pysrc.Call); ok && lastName(steps.Func) == "range" && len(steps.Args) > 0 {
				most = steps.Args[min(1, len(steps.Args)-1)]
			}
		case *pysrc.While: // while step < steps
			if c, ok := s.Test.(*pysrc.Compare); ok && len(c.Ops) == 1 && (c.Ops[0] == pysrc.Lt || c.Ops[0] == pysrc.LtE) && countedIn(c.Left, loop) {
				most = c.Comparators[0]
			}
		}
		if most != nil {
			if n, known := p.Eval(most).Int(); known && n >= 100*every {
				return true
			}
		}
	}
	return false
}

// fewEvaluations reports a run that is so short that it evaluates a few times only.
func (p *SourcePass) fewEvaluations(c Call, every int64) bool {
	steps, ok := c.Arg("max_steps").Int()
	return ok && steps > 0 && steps <= 10*every
}

func everySteps(n int64) string {
	if n == 1 {
		return "every step"
	}
	return fmt.Sprintf("every %d steps", n)
}
