package rule

import "saturate/internal/pysrc"

// emptyCacheInLoop finds allocator and garbage collector calls in every step.
var emptyCacheInLoop = Rule{
	Code: "SAT308", Name: "empty-cache-in-loop", Severity: Warning, Subject: AboutMemory,
	Areas: []Area{HostArea}, NeedsGPU: true,
	Title: "the memory cache is emptied in every step",
	What:  "torch.cuda.empty_cache() or gc.collect() in a training step and not behind a condition.",
	Why: "empty_cache returns blocks with cudaFree, which waits for the GPU, and the next step allocates them " +
		"again with cudaMalloc. gc.collect visits every Python object.",
	Fine: "In a handler for out-of-memory errors, once per epoch, or every N steps. It does not give this " +
		"process more memory.",
	Advice: "Remove it. Against fragmentation, set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
	Bad:    "for batch in loader:\n    …\n    torch.cuda.empty_cache()",
	Good:   "for batch in loader:\n    …",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo("torch.cuda.empty_cache", "gc.collect", "torch.cuda.ipc_collect", "torch.accelerator.empty_cache") {
			path, ok := p.EachStep(call)
			if !ok {
				continue
			}
			r := p.Report(call, path.Sure).Because(path).Saying("%s runs in every step", p.Short(call))
			if call.Name() == "gc.collect" {
				r.Saying("gc.collect() visits every Python object in every step")
			}
			if _, alone := p.Module.StatementAt(call.Node.Start).(*pysrc.ExprStmt); alone {
				r.Fix(Unsafe, "keep the cache", p.RemoveStatement(call))
			}
		}
	},
}
