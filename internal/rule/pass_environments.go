package rule

import "saturate/internal/pysrc"

// manyInTurn is from how many environments on stepping through them one after another takes longer than processes do.
const manyInTurn = 16

// environmentsInTurn reports environments that the training process steps through one after another, where there are many.
func (p *SourcePass) environmentsInTurn() {
	if p.GPU() == 0 {
		return
	}
	for _, c := range p.CallsTo("gymnasium.vector.SyncVectorEnv", "gym.vector.SyncVectorEnv", "stable_baselines3.common.vec_env.DummyVecEnv") {
		n := p.countMade(firstArg(c.Node))
		if n < manyInTurn || p.EvaluationOnly(c) || p.Rare(c) != nil {
			continue
		}
		p.Report(c.Callee(), likely*p.GPU()).
			Saying("%d environments step one after another in the training process, while the GPU waits", n).
			Advising("Step them in processes, AsyncVectorEnv or SubprocVecEnv, or use envpool, which steps them in threads of C++.")
	}
}

// countMade is how many objects a comprehension over a range makes, here or in the variable that holds it; 0 where that is not known.
func (p *SourcePass) countMade(e pysrc.Expr) int64 {
	if name, ok := e.(*pysrc.Name); ok {
		e = p.Module.SaidLast(name)
	}
	comp, ok := e.(*pysrc.ListComp)
	if !ok || len(comp.Generators) != 1 {
		return 0
	}
	over, ok := comp.Generators[0].Iter.(*pysrc.Call)
	if !ok || lastName(over.Func) != "range" || len(over.Args) != 1 {
		return 0
	}
	n, _ := p.Eval(over.Args[0]).Int()
	return n
}
