package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// emptyCacheInLoop finds allocator and garbage collector calls in every step.
var emptyCacheInLoop = Rule{
	Code: "SAT308", Name: "empty-cache-in-loop", Severity: Warning, Subject: AboutMemory,
	Areas: []Area{HostArea}, NeedsGPU: true,
	Title: "the memory cache is emptied in every step",
	What: "torch.cuda.empty_cache() or gc.collect() in a training step and not behind a condition. torch_empty_cache_steps of at " +
		"most 10 for a trainer of transformers. An allocator that keeps nothing: XLA_PYTHON_CLIENT_ALLOCATOR=platform, " +
		"PYTORCH_NO_CUDA_MEMORY_CACHING=1.",
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
		p.emptiedByTrainer()
		p.cachesNothing()
	},
	Settings: func(p *SettingsPass) {
		if p.EvaluationOnly() {
			return
		}
		for _, s := range p.TrainerSettings("torch_empty_cache_steps") {
			if n, ok := s.Value().Int(); !p.UsedByPython(s) && ok && n > 0 && n <= cacheSteps {
				p.Report(s, likely).Saying("the memory cache is emptied %s", everySteps(n))
			}
		}
	},
}

// A trainer that empties the cache every so many steps does so often.
const cacheSteps = 10

// emptiedByTrainer reports trainers of transformers that empty the cache every few steps.
func (p *SourcePass) emptiedByTrainer() {
	report := func(at Node, steps Value) {
		if n, ok := steps.Int(); ok && n > 0 && n <= cacheSteps {
			p.Report(at, likely*steps.Confidence()).Because(steps).Saying("the memory cache is emptied %s", everySteps(n)).
				Fix(Unsafe, "keep the cache", steps.SetTo("None"))
		}
	}
	for _, args := range p.HFArguments() {
		report(args.Callee(), args.Arg("torch_empty_cache_steps"))
	}
	if parser, _ := p.CommandLineArguments(); parser != nil {
		report(parser.Callee(), p.eval.Started(p.Module, "torch_empty_cache_steps"))
	}
}

// cachesNothing reports allocators that return memory to the driver at once, in a program that trains.
func (p *SourcePass) cachesNothing() {
	if !p.trained() && p.trainingPlace() == nil || p.Module.Role == project.Test {
		return
	}
	for _, e := range p.environment("XLA_PYTHON_CLIENT_ALLOCATOR") {
		if e.value.Equals("platform") && !p.aidIsFine(e.at) {
			p.Report(e.at, likely*e.value.Confidence()).Because(e.because()).
				Saying("JAX allocates device memory again for each use").
				Advising("Leave the allocator at its default. To use less memory from the start, set XLA_PYTHON_CLIENT_PREALLOCATE=false.")
		}
	}
	for _, e := range p.environment("PYTORCH_NO_CUDA_MEMORY_CACHING") {
		if isSet(e.value) && !p.aidIsFine(e.at) {
			p.Report(e.at, likely*e.value.Confidence()).Because(e.because()).Saying("torch allocates device memory again for each tensor")
		}
	}
}
