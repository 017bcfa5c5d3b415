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
	What: "torch.cuda.synchronize() in a training step and not behind a condition. Also a barrier between all processes in every " +
		"step: torch.distributed.barrier(), accelerator.wait_for_everyone(), fabric.barrier().",
	Why: "It waits until all queued work has run. The GPU then has nothing to do until the host has queued more.",
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
		p.barriers()
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

// barriers reports places where all processes wait for each other in every step. The gradients are exchanged anyway.
func (p *SourcePass) barriers() {
	for _, call := range p.barrierCalls() {
		path, ok := p.EachStep(call)
		if !ok || p.LoopAround(call) != nil && !p.isTrainingLoop(p.LoopAround(call)) {
			continue
		}
		r := p.Report(call, path.Sure).Because(path).Saying("%s makes all processes wait for each other in every step", p.Short(call)).
			Advising("Remove it: the gradients are exchanged in each step anyway. Wait only around files that one process writes.")
		if _, alone := p.Module.StatementAt(call.Node.Start).(*pysrc.ExprStmt); alone {
			r.Fix(Unsafe, "remove the barrier", p.RemoveStatement(call))
		}
	}
}

// barrierCalls are the calls that return when all processes have made them.
func (p *SourcePass) barrierCalls() []Call {
	list := p.CallsTo("torch.distributed.barrier", "torch.distributed.monitored_barrier", "deepspeed.comm.barrier", "horovod.torch.barrier")
	list = append(list, p.MethodCalls("wait_for_everyone")...)
	for _, c := range p.MethodCalls("barrier") {
		if lastName(c.Receiver()) == "strategy" || strings.HasPrefix(p.NameOf(c.Receiver()), "lightning.") {
			list = append(list, c)
		}
	}
	return inOrder(list)
}
