package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// isStepOfParts reports a function that takes one training step for all turns of a loop in it, which only adds up gradients: the
// optimizer steps behind the loop, or a library does that calls the method. What stands beside the loop runs in each step, too.
func (p *Project) isStepOfParts(m *Module, loop BlockID, fn *Function) bool {
	b := m.Block(loop)
	if fn.Def == nil || isEpochLoop(b.Owner) || stepsOptimizer(bodyOf(b)) {
		return false
	}
	if behind := stepsBehind(m, b); !behind && !(p.isLoneStep(fn) && fn.Class != nil && fn.Class.LibraryBase() != "" && !fn.Class.Derives("torch.nn.Module")) {
		return false
	} else if behind && !p.calledInLoop(fn) {
		return false
	}
	over, ok := b.Owner.(*pysrc.For)
	if !ok {
		return true
	}
	e := p.NewEval()
	defer e.Release()
	iter := over.Iter
	for c, ok := iter.(*pysrc.Call); ok && len(c.Args) > 0 && (lastName(c.Func) == "enumerate" || lastName(c.Func) == "tqdm"); c, ok = iter.(*pysrc.Call) {
		iter = c.Args[0]
	}
	return !e.Of(m, iter).IsInstance(loaderClass) // the gradients of a whole epoch
}

// stepsBehind reports whether an optimizer steps in the statements that follow a loop in its block.
func stepsBehind(m *Module, loop *Block) bool {
	list := bodyOf(m.Block(loop.Parent))
	at := slices.IndexFunc(list, func(s pysrc.Stmt) bool { return pysrc.Node(s) == loop.Owner })
	return at >= 0 && slices.ContainsFunc(list[at+1:], func(s pysrc.Stmt) bool {
		switch s.(type) {
		case *pysrc.For, *pysrc.While:
			return false
		}
		return takesStep(s)
	})
}

// takesStep reports optimizer.step() and scaler.step(optimizer), and not the step of an environment, which takes an action.
func takesStep(s pysrc.Stmt) (found bool) {
	pysrc.Inspect(s, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok {
			a, ok := c.Func.(*pysrc.Attribute)
			found = found || ok && a.Attr == "step" && !HasWord(lastName(a.Value), "profiler", "prof", "scheduler", "sched", "env", "envs") &&
				(len(c.Args) == 0 || HasWord(lastName(a.Value), "scaler"))
		}
		return !found
	})
	return found
}

// calledInLoop reports a function that another calls in a loop which does not count epochs.
func (p *Project) calledInLoop(fn *Function) bool {
	users := fn.callers()
	return len(users) <= mostCallers && slices.ContainsFunc(users, func(s *Site) bool {
		if s.Func == fn || p.evaluates(s.Func) {
			return false
		}
		m := s.Module()
		for id := s.Block; id >= 0 && m.blocks[id].Func == s.Func; id = m.blocks[id].Parent {
			if b := &m.blocks[id]; b.isLoop() && b.Arm == Body && !isEpochLoop(b.Owner) {
				return true
			}
		}
		return false
	})
}
