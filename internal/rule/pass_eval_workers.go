package rule

import "saturate/internal/project"

// evaluationWorkers reports loaders for validation that decode or compute in the training process, in programs whose
// training has workers: training waits for all of it in each evaluation. num_workers=0 may be a choice.
func (p *SourcePass) evaluationWorkers() {
	loaders := p.Constructions("torch.utils.data.DataLoader")
	if len(loaders) < 2 || !p.runsOnGPU() || !p.trains() || !p.trained() || p.Module.Role == project.Evaluation || p.Module.Role == project.Test {
		return
	}
	var trains *Value
	for _, c := range loaders {
		if workers := c.Arg("num_workers"); p.Project.LoaderUse(c.Site)&project.Trains != 0 && workers.Given() && !noWorkers(workers) {
			trains = &workers
		}
	}
	if trains == nil {
		return
	}
	for _, c := range loaders {
		workers := c.Arg("num_workers")
		if !workers.Missing() || p.Project.LoaderUse(c.Site) != project.LooksAt || p.inMemory(c) || hides(c, "num_workers") ||
			p.isStream(c) || p.usesGPUWhileLoading(c) || c.Func == p.Module.Main && len(p.Module.ImportedBy) > 0 || p.calledByHand(c.Func) {
			continue
		}
		if sure, heavy := p.heavyLoading(c); sure > 0 {
			p.Report(c.Callee(), sure*workers.Confidence()*p.GPU()).At(Advice).Because(workers).Because(heavy...).Because(*trains).
				Saying("validation loads its batches in the training process").
				Advising("Give this loader workers, too.")
		}
	}
}
