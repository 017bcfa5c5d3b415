package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// loaderInEpochLoop finds loaders and datasets that are made anew in every epoch.
var loaderInEpochLoop = Rule{
	Code: "SAT207", Name: "loader-in-epoch-loop", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea},
	Title: "the data loader is created in every epoch",
	What: "DataLoader(…) or load_dataset(…) inside a loop over epochs, with arguments that the loop does not " +
		"change.",
	Why: "Workers are restarted and an empty queue is filled while the GPU waits. A DataLoader already " +
		"reshuffles each time it is iterated.",
	Fine:   "A curriculum: data, batch size or sampler that change with the epoch.",
	Advice: "Create it once before the loop. With a DistributedSampler, call sampler.set_epoch(epoch) in the loop.",
	Gain:   Range{1, 1.2, "as for workers that are kept: an epoch starts after 35 s instead of 7 min in mmhuman3d"},
	Bad:    "for epoch in range(epochs):\n    loader = DataLoader(data, shuffle=True)",
	Good:   "loader = DataLoader(data, shuffle=True)\nfor epoch in range(epochs):",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, call := range append(p.TrainingLoaders(), p.CallsTo("datasets.load_dataset", "datasets.load_from_disk")...) {
			loop := p.EpochLoop(call)
			if loop == nil || !p.countsEpochs(loop) || p.EvaluationOnly(call) || p.changesIn(call.Node, loop) ||
				p.decidedIn(call, loop) {
				continue
			}
			r := p.Report(call, nearlyCertain).Because(header(loop))
			if s, ok := p.Module.StatementAt(call.Node.Start).(*pysrc.Assign); ok && s.Value == pysrc.Expr(call.Node) &&
				p.LoopAround(s) == loop && directlyIn(s, loop) && !p.dependsOn(call.Node, loop) {
				r.Fix(Unsafe, "create it once before the loop", p.LineBefore(loop, p.Text(s)), p.RemoveStatement(s))
			}
		}
		p.loadersByHelper()
	},
}

// loadersByHelper reports calls of functions of the project that make a loader for training in every epoch.
func (p *SourcePass) loadersByHelper() {
	for _, s := range p.Module.Sites {
		if s.Calls.Func == nil || s.Calls.Kind != project.Callable {
			continue
		}
		loop := p.EpochLoop(s)
		if loop == nil || !p.countsEpochs(loop) || p.EvaluationOnly(s) || p.changesIn(s.Node, loop) || p.decidedIn(s, loop) {
			continue
		}
		loader := p.Eval(s.Node)
		if made := loader.Made; loader.IsInstance("torch.utils.data.DataLoader") && made != nil && made.Func == s.Calls.Func {
			if in := p.In(made.Module()); in.trainsWith(Call{made, in}) && p.usedToTrain(s) {
				p.Report(s, likely).Because(header(loop), in.At(made, "the loader is made here"))
			}
		}
	}
}

// usedToTrain reports a loader that a training loop goes over where it is made, or that is given to a function which
// trains.
func (p *SourcePass) usedToTrain(s *project.Site) bool {
	if over, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.For); ok && over.Iter.Bounds().Contains(int(s.Node.Start)) {
		return p.isTrainingLoop(over)
	}
	return slices.ContainsFunc(s.Func.Sites, func(around *project.Site) bool {
		return around != s && around.Calls.Func != nil && p.Project.Leads(around.Calls.Func) && slices.Contains(argumentsOf(around.Node), pysrc.Expr(s.Node))
	})
}

// decidedIn reports whether a test that changes in a loop decides about a node.
func (p *SourcePass) decidedIn(n Node, loop pysrc.Stmt) bool {
	decided := false
	p.testsAround(n, func(test pysrc.Expr) { decided = decided || p.changesIn(test, loop) })
	return decided
}

// directlyIn reports a statement that a loop's body holds itself.
func directlyIn(s pysrc.Stmt, loop pysrc.Stmt) bool {
	var body []pysrc.Stmt
	switch l := loop.(type) {
	case *pysrc.For:
		body = l.Body
	case *pysrc.While:
		body = l.Body
	}
	for _, x := range body {
		if x == s {
			return true
		}
	}
	return false
}
