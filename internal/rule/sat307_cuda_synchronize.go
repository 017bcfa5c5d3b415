package rule

import (
	"strings"

	"saturate/internal/pysrc"
)

// cudaSynchronize finds full stops of the GPU in every step.
var cudaSynchronize = Rule{
	Code: "SAT307", Name: "cuda-synchronize", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea}, NeedsGPU: true,
	Asks:  [][]string{{"sync=device"}},
	Title: "the host waits for the GPU in every step",
	What:  "torch.cuda.synchronize() in a training step and not behind a condition.",
	Why:   "It waits until all queued work has run. The GPU then has nothing to do until the host has queued more.",
	Fine: "A benchmark, or steps timed on purpose. Prefer torch.cuda.Event there: it measures without stopping " +
		"the host.",
	Advice: "Remove it. To time steps, record torch.cuda.Event(enable_timing=True) and read it later.",
	Bad:    "for batch in loader:\n    …\n    optimizer.step()\n    torch.cuda.synchronize()",
	Good:   "for batch in loader:\n    …\n    optimizer.step()",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo("torch.cuda.synchronize", "torch.accelerator.synchronize", "torch.cuda.current_stream().synchronize") {
			path, ok := p.EachStep(call)
			if !ok {
				continue
			}
			r := p.Report(call, path.Sure).Because(path).Saying("%s stops the host in every step", p.Short(call))
			if p.timed(call) {
				r.At(Advice).Saying("the host stops in every step to measure time")
				continue
			}
			if _, alone := p.Module.StatementAt(call.Node.Start).(*pysrc.ExprStmt); alone {
				r.Fix(Unsafe, "remove the synchronization", p.RemoveStatement(call))
			}
		}
	},
}

// timed reports a call whose function reads the clock.
func (p *SourcePass) timed(c Call) bool {
	for _, s := range c.Func.Sites {
		if n := s.Name(); strings.HasPrefix(n, "time.") && n != "time.sleep" || strings.HasSuffix(n, "timer") {
			return true
		}
	}
	return false
}
