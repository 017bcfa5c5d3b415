package rule

import (
	"strings"

	"saturate/internal/project"
)

// poolsOfEpochs reports pools of processes that an iterator starts each time it is begun: once in every epoch.
func (p *SourcePass) poolsOfEpochs() {
	for _, s := range p.Module.Sites {
		if !startsProcesses(s) || p.LoopAround(s) != nil {
			continue
		}
		way, ok := p.PerSample(s)
		if !ok || way.Kind != project.DataSet || s.Func != way.Root || !way.Root.IsGenerator() || p.EvaluationOnly(s) ||
			p.servesEvaluation(way) || !p.Project.RepeatsTraining() {
			continue
		}
		p.Report(p.CallAt(s.Node).Callee(), likely*way.Sure).Because(way).
			Saying("worker processes are started again in every epoch").
			Advising("Start the processes once, when the object is made, and hand them the work of each epoch. New processes import everything again.")
	}
}

// startsProcesses reports a call that makes a pool of processes, perhaps of a class of the project's own.
func startsProcesses(s *project.Site) bool {
	if s.Calls.Kind == project.Type && s.Calls.IsClass("concurrent.futures.ProcessPoolExecutor", "multiprocessing.pool.Pool") {
		return true
	}
	name := strings.TrimPrefix(s.Calls.Name, "torch.")
	return name == "concurrent.futures.ProcessPoolExecutor" ||
		strings.HasPrefix(name, "multiprocessing.") && strings.HasSuffix(name, ".Pool")
}
