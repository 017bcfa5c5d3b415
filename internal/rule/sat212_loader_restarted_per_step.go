package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// loaderRestarted finds loops that start the loader anew for every batch.
var loaderRestarted = Rule{
	Code: "SAT212", Name: "loader-restarted-per-step", Severity: Error, Subject: AboutLoading,
	Areas: []Area{DataArea}, Regroups: true,
	Title: "the loader is restarted for every batch",
	What:  "next(iter(loader)) in a training step.",
	Why: "Each iter() shuffles the whole dataset, starts the workers and prefetches batches. One batch is used, " +
		"the others are thrown away.",
	Fine: "An iterator over something in memory. A single batch outside the loop, for inspection.",
	Advice: "Create the iterator once before the loop (batches = iter(loader)), call next(batches) in the loop, " +
		"and restart it on StopIteration.",
	Bad:  "for step in range(steps):\n    batch = next(iter(loader))",
	Good: "batches = iter(loader)\nfor step in range(steps):\n    batch = next(batches)",
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo("next") {
			if len(call.Node.Args) == 0 {
				continue
			}
			start, ok := call.Node.Args[0].(*pysrc.Call)
			if !ok || p.NameOf(start.Func) != "iter" || len(start.Args) != 1 {
				continue
			}
			loader := start.Args[0]
			sure := 0.0
			if p.Eval(loader).IsInstance("torch.utils.data.DataLoader") {
				sure = 1
			} else if project.HasWord(lastName(loader), "loader", "dataloader", "dl") {
				sure = likely
			}
			path, hot := p.Hot(call)
			if sure > 0 && hot && (steps(path.Root) || steps(call.Func)) && !p.EvaluationOnly(call) {
				p.Report(call, sure*path.Sure).Because(path)
			}
		}
	},
}

// steps reports whether a function steps an optimizer: a loop that only looks at
// gradients does not.
func steps(fn *project.Function) bool {
	for _, s := range fn.Sites {
		if s.Method() == "step" {
			return true
		}
	}
	return false
}
