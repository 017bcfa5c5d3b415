package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// countedPairs reports tables that a loop counts up pair by pair, with tensors of the GPU: a confusion matrix of an evaluation.
func (p *SourcePass) countedPairs() {
	if !p.runsOnGPU() || p.Module.Role == project.Test {
		return
	}
	for _, c := range p.CallsTo("zip") {
		loop, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.For)
		if !ok || loop.Iter != pysrc.Expr(c.Node) || len(c.Node.Args) != 2 || len(loop.Body) != 1 {
			continue
		}
		count, ok := loop.Body[0].(*pysrc.AugAssign)
		if !ok || !isOneMore(count) {
			continue
		}
		cell, ok := count.Target.(*pysrc.Subscript)
		if !ok || !mentionsAny(cell.Slice, targetsOf(loop)) || p.OnDevice(c.Node.Args[0]) < likely && p.OnDevice(c.Node.Args[1]) < likely {
			continue
		}
		if p.LoopAround(loop) == nil || !p.Project.Leads(c.Func) && !p.evaluatesInTraining(c.Func) {
			continue
		}
		p.Report(header(loop), likely*p.GPU()).
			Saying("%s is counted up one sample at a time, with a few kernels for each", p.Short(cell.Value)).
			Advising("Count all at once: torch.bincount(target * classes + guess, minlength=classes ** 2).view(classes, classes).")
	}
}

// isOneMore reports x += 1.
func isOneMore(a *pysrc.AugAssign) bool {
	n, ok := pysrc.IntValue(a.Value)
	return ok && n == 1 && a.Op == pysrc.Add
}

// evaluatesInTraining reports a function without gradients that a function which trains calls.
func (p *SourcePass) evaluatesInTraining(fn *project.Function) bool {
	for _, s := range p.Project.Callers(fn) {
		if p.Project.Leads(s.Func) && s.Module().Role != project.Test {
			return true
		}
	}
	return false
}
