package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// histogramsOfAll reports histograms of every parameter that are made in each epoch, in a loop over the parameters: each
// copies all weights of a layer to the host and sorts them into bins there.
func (p *SourcePass) histogramsOfAll() {
	for _, c := range p.MethodCalls("add_histogram") {
		loop, ok := p.LoopAround(c).(*pysrc.For)
		if !ok || !p.overParameters(loop.Iter, 0) || p.GPU() == 0 || p.EvaluationOnly(c) || p.Project.Unused(p.Module, c.Node.Start) ||
			p.behindSwitch(c.Site) || p.testedRarely(c.Site) {
			continue
		}
		if _, each := p.EachStep(c); each || !p.betweenEpochs(c.Func, loop) {
			continue
		}
		p.Report(c.Callee(), likely*p.GPU()).At(Advice).
			Saying("a histogram of every parameter is made on the host in each epoch").
			Advising("Make them every ten epochs or so, or of a few layers.")
	}
}

// testedRarely reports a call under a remainder, which lets it run now and then.
func (p *SourcePass) testedRarely(s *project.Site) bool {
	found := false
	p.testsAround(s, func(test pysrc.Expr) { found = found || takesRemainder(test) })
	return found
}

// betweenEpochs reports a statement that runs once in each epoch: in the loop over the epochs, or beside the training loop in a
// function that is called for each epoch, or in a hook of a trainer.
func (p *SourcePass) betweenEpochs(fn *project.Function, stmt pysrc.Stmt) bool {
	if class := p.Class(stmt); class != nil && class.Derives("lightning.pytorch.LightningModule", "lightning.pytorch.Callback") {
		switch fn.BaseName() {
		case "on_train_epoch_end", "training_epoch_end", "on_train_epoch_start":
			return true
		}
	}
	for _, loop := range p.TrainingLoops() {
		if loop.Func != fn || loop.Bounds().Contains(int(stmt.Bounds().Start)) {
			continue
		}
		if loop.Epoch != nil {
			return loop.Epoch.Bounds().Contains(int(stmt.Bounds().Start))
		}
		for _, s := range p.Project.Callers(fn) {
			if s.Module().LoopAround(s) != nil {
				return true
			}
		}
	}
	return false
}
