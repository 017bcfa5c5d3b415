package rule

import "saturate/internal/pysrc"

// sleepInStep finds pauses in training.
var sleepInStep = Rule{
	Code: "SAT326", Name: "sleep-in-step", Severity: Warning, Subject: AboutHostCode,
	Areas: []Area{HostArea, DataArea},
	Title: "training sleeps in every step",
	What:  "time.sleep in each training step, or for each sample of a dataset, outside a retry and outside a loop that waits.",
	Why:   "The GPU runs out of work while the host sleeps.",
	Fine:  "A pause for another program that shares the GPU, or for a server's limit.",
	Advice: "Remove it. Where it lets other threads run, or a progress bar be drawn, do that every few seconds and not in " +
		"every step.",
	Bad:  "for x, y in loader:\n    train_step(x, y)\n    time.sleep(0.01)",
	Good: "for x, y in loader:\n    train_step(x, y)",
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo("time.sleep") {
			if inHandler(p.Module, call) || p.waitsInLoop(call) || call.ArgAt(0).Equals(0) {
				continue
			}
			if way, ok := p.EachStep(call); ok {
				p.Report(call, way.Sure*likely).Because(way)
			} else if path, ok := p.EverySample(call); ok {
				p.Report(call, path.Sure*likely).Because(path).Saying("the dataset sleeps for every sample")
			}
		}
	},
}

// waitsInLoop reports a call in a loop that waits for something: while not ready: time.sleep(1).
func (p *SourcePass) waitsInLoop(n Node) bool {
	loop, ok := p.LoopAround(n).(*pysrc.While)
	return ok && !p.isTrainingLoop(loop)
}
