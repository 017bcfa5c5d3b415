package rule

import "saturate/internal/pysrc"

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
	},
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
