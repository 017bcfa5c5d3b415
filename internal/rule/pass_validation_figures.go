package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// validationFigures reports figures that an evaluation draws for each batch of the validation set, each time that training runs it.
func (p *SourcePass) validationFigures() {
	if !p.runsOnGPU() || p.Module.Role == project.Test {
		return
	}
	said := map[*project.Function]bool{}
	for _, c := range append(p.MethodCalls("add_figure", "savefig"), p.CallsTo("matplotlib.pyplot.savefig")...) {
		loop, ok := p.LoopAround(c).(*pysrc.For)
		if !ok || said[c.Func] || c.Func.Def == nil || p.isTrainingLoop(loop) || p.testedWithin(c, loop) || endsEarly(loop) || !p.evaluates(c.Func) ||
			!p.overLoader(loop) {
			continue
		}
		if outer := p.LoopAround(loop); outer != nil && p.leadsTraining(outer) {
			said[c.Func] = true
			p.figureEachBatch(c)
			continue
		}
		for _, s := range p.Project.Callers(c.Func) {
			if in := p.In(s.Module()); in.LoopAround(s) != nil && in.Project.Leads(s.Func) {
				said[c.Func] = true
				p.figureEachBatch(c).Because(in.At(s, "training runs the evaluation here"))
				break
			}
		}
	}
}

func (p *SourcePass) figureEachBatch(drawn Call) *Report {
	return p.Report(drawn.Callee(), likely*p.GPU()).Saying("a figure is drawn for every batch of the validation set").
		Advising("Draw the first few: if i < 4. A figure of matplotlib takes about as long as a step.")
}

// testedWithin reports a test around a place inside a loop, other than one that lets one process of several through.
func (p *SourcePass) testedWithin(n Node, loop *pysrc.For) bool {
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0; id = p.Module.Block(id).Parent {
		switch owner := p.Module.Block(id).Owner.(type) {
		case *pysrc.If:
			if !p.ofOneRank(owner.Test) {
				return true
			}
		case *pysrc.For:
			if owner == loop {
				return false
			}
		}
	}
	return false
}

// endsEarly reports a loop that breaks off.
func endsEarly(loop *pysrc.For) bool {
	found := false
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n.(type) {
			case *pysrc.Break, *pysrc.Return:
				found = true
			case *pysrc.FunctionDef:
				return false
			}
			return !found
		})
	}
	return found
}

// overLoader reports a loop over a loader, as far as it can be followed, with a counter or a progress bar around it perhaps.
func (p *SourcePass) overLoader(loop *pysrc.For) bool {
	e := loop.Iter
	for {
		c, ok := e.(*pysrc.Call)
		if !ok || len(c.Args) == 0 {
			break
		}
		e = c.Args[0]
	}
	return p.Eval(e).IsInstance("torch.utils.data.DataLoader")
}
