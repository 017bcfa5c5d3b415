package rule

import (
	"slices"

	"saturate/internal/project"
)

// updatesOpByOp reports updates of the weights that Python sends to the device tensor by tensor, where only the gradient is
// compiled.
func (p *SourcePass) updatesOpByOp(said map[*project.Function]bool) {
	for _, c := range p.CallsTo("optax.apply_updates", "equinox.apply_updates") {
		if said[c.Func] || p.Module.Role == project.Test || p.Jitted(c.Func) || p.compiledSomewhere(c.Func, 0) || p.insideJit(c.Site) ||
			p.NearSays("disable_jit") {
			continue
		}
		way, hot := p.Hot(c)
		if !hot || len(way.Calls) > 0 || // who else calls it, is not seen
			p.EvaluationOnly(c) {
			continue
		}
		said[c.Func] = true
		p.Report(c, likely*way.Sure).Because(way).Saying("the optimizer's update is not compiled: each operation is sent to the device by Python").
			Advising("Compute the gradient and the update in one function under jax.jit (eqx.filter_jit), with donate_argnums for weights and state.")
	}
}

// besideSteps reports a node in a loop that trains, or around one: an evaluation between two epochs.
func (p *SourcePass) besideSteps(n Node) bool {
	loops := p.TrainingLoops()
	for loop := p.LoopAround(n); loop != nil; loop = p.LoopAround(loop) {
		if slices.ContainsFunc(loops, func(l *project.Loop) bool { return loop.Bounds().Contains(int(l.Bounds().Start)) }) {
			return true
		}
	}
	return false
}
