package analyze

import (
	"fmt"
	"math"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// The host waits, is too slow, or does something else.
var (
	scalarReads = Rule{
		Rule: finding.Rule{
			Code: "TRC108", Name: "scalar-read-each-step", Severity: finding.Warning, Subject: finding.Waits,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "a value is read back from the GPU in every step",
			Why:    "Reading one number makes the host wait until the GPU has finished everything. Then the GPU waits until the host launches again.",
			Advice: "Keep sums on the GPU (detach) and read them every N steps; do not print tensors or branch on them in the loop.",
			WhatIf: []string{"sync=scalar"},
			Cures: []string{
				"item-in-hot-loop", "print-tensor-in-loop", "tqdm-postfix-sync", "tensor-bool-branch",
				"gradient-norm-sync", "mask-made-in-forward", "slice-by-gpu-value",
			},
		},
		check: func(p *pass) { p.waits(0.5, func(s Sync) bool { return s.scalar }) },
	}
	copiesToHost = Rule{
		Rule: finding.Rule{
			Code: "TRC109", Name: "copy-to-host-each-step", Severity: finding.Warning, Subject: finding.Waits,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "tensors are copied to the host in every step",
			Why:    "A copy to the host waits for the GPU, as reading a single value does, and moves more data.",
			Advice: "Accumulate on the GPU and copy the result once.",
			WhatIf: []string{"sync=result"},
			Cures:  []string{"cpu-numpy-in-loop", "host-read-each-step"},
		},
		check: func(p *pass) {
			found := len(p.found)
			p.waits(0.5, func(s Sync) bool {
				return !s.scalar && !s.shape && !s.device && (s.copyOut || s.Call == "np.asarray(jax.Array)")
			})
			if len(p.found) == found {
				p.blockingResults()
			}
		},
	}
	shapeReads = Rule{
		Rule: finding.Rule{
			Code: "TRC110", Name: "shape-depends-on-values", Severity: finding.Warning, Subject: finding.Waits,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "the shape of an operator's result depends on values",
			Why:    "nonzero, unique and boolean masks must tell the host how large their result is, so the host waits.",
			Advice: "Use torch.where or padded masks, which keep their shape.",
			WhatIf: []string{"sync=shape"},
			Cures:  []string{"dynamic-shape-op"},
		},
		check: func(p *pass) { p.waits(0.5, func(s Sync) bool { return s.shape && !s.scalar }) },
	}
	deviceWaits = Rule{
		Rule: finding.Rule{
			Code: "TRC111", Name: "device-synchronize", Severity: finding.Warning, Subject: finding.Waits,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "the program waits for the whole GPU in every step",
			Why:    "torch.cuda.synchronize waits until all launched work is done; the GPU is idle until new work is launched.",
			Advice: "Remove the call, or measure with CUDA events.",
			WhatIf: []string{"sync=device"},
			Cures:  []string{"cuda-synchronize"},
		},
		check: func(p *pass) { p.waits(0.5, func(s Sync) bool { return s.device }) },
	}
	launchBound = Rule{
		Rule: finding.Rule{
			Code: "TRC112", Name: "launch-bound", Severity: finding.Warning, Subject: finding.Kernels,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "kernels are shorter than the time it takes to launch them",
			Why:    "Launching an operator takes the host tens of microseconds. Kernels shorter than that leave the GPU idle.",
			Advice: "Fuse operators with torch.compile, replay them as CUDA graphs (torch.compile(mode=\"reduce-overhead\")), or give each kernel more work with larger batches. The profiler slows launching: confirm with a run without it.",
			WhatIf: []string{"launch=graphs", "launch=compile"},
			Cures: []string{
				"no-torch-compile", "batch-size-one", "python-loop-over-tensor", "recurrent-python-loop",
				"step-not-jitted",
			},
		},
		check: func(p *pass) {
			ns, when, places := p.idleIn(byCause(LaunchCause))
			l, gpu := p.a.Launch, p.gpu.busy.span // the launches are of all GPUs, the waits of one
			if p.part(ns) < 0.05 || float64(gpu.Kernels) < 10*p.stepCount() {
				return
			}
			evidence := append([]string{fmt.Sprintf("%s of %s take longer on the host than their work on the GPU",
				human.Percent(share(int64(l.Short), int64(l.Calls))), human.Plural(l.Calls, "launching call"))}, places...)
			f := p.report(ns, "GPU idle time measured in this trace, recording included; an upper bound", when, evidence,
				"The GPU waits %s for the next launch: %s kernels%s, %s each", p.cost(ns),
				human.Count(int64(float64(gpu.Kernels)/p.stepCount())), p.aStep(), human.Nanoseconds(gpu.KernelSumNS/int64(gpu.Kernels)))
			const confirm = " The profiler slows launching: confirm with a run without it."
			switch c := p.a.Compiled; {
			case p.isJAX():
				f.Advice = "Put the whole step, or several steps (lax.scan), under one jax.jit, or give each kernel more work with larger batches." + confirm
			case c != nil && c.Regions > 0 && c.KernelShare > 0.1: // else next to nothing is compiled
				f.Advice = "The program is already compiled. Let CUDA graphs launch many kernels at once (torch.compile(mode=\"reduce-overhead\")), " +
					"compile larger regions (now: " + human.Plural(c.Graphs, "graph") + "), or use larger batches." + confirm
			}
		},
	}
	unfusedOptimizer = Rule{
		Rule: finding.Rule{
			Code: "TRC113", Name: "unfused-optimizer", Severity: finding.Warning, Subject: finding.Optimizer,
			Areas: []finding.Area{finding.OptimizerArea}, NeedsGPU: true,
			Title:  "the optimizer updates one tensor at a time",
			Why:    "It launches about ten kernels for every parameter tensor; a fused optimizer launches a few for all of them.",
			Advice: "Use fused=True (or foreach=True).",
			WhatIf: []string{"optimizer=fused", "optimizer=foreach"},
			Cures:  []string{"unfused-optimizer", "foreach-disabled"},
		},
		check: checkOptimizer,
	}
	hostCode = Rule{
		Rule: finding.Rule{
			Code: "TRC114", Name: "host-code-between-launches", Severity: finding.Warning, Subject: finding.HostCode,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "Python code runs while the GPU waits",
			Why:    "The GPU only runs what the host launches. Host code that launches nothing leaves the GPU idle.",
			Advice: "Move the code out of the step, run it every N steps, or run it in another thread.",
			Cures:  []string{"log-every-step", "anomaly-or-profiler-on", "hoistable-constant"},
		},
		check: func(p *pass) {
			ns, when, places := p.idleIn(byCause(HostPython))
			if p.part(ns) < 0.03 {
				return
			}
			f := p.report(ns, "GPU idle time measured in this trace", when, places,
				"The GPU waits %s while the host runs code that launches nothing", p.cost(ns))
			if !p.hasStacks() && !p.isJAX() {
				f.Advice += " Record with_stack=True to see the lines."
			}
		},
	}
	driverAllocations = Rule{
		Rule: finding.Rule{
			Code: "TRC115", Name: "driver-allocations", Severity: finding.Warning, Subject: finding.Memory,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "GPU memory is allocated from the driver during training",
			Why:    "cudaMalloc and cudaFree wait for the GPU; the framework caches memory to avoid them.",
			Advice: "Do not call torch.cuda.empty_cache in the loop; if shapes vary, set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
			Cures:  []string{"empty-cache-in-loop"},
		},
		check: func(p *pass) {
			ns, when, places := p.idleIn(byCause(MemoryAllocation))
			m := p.a.Memory
			if p.part(ns) < 0.01 && float64(m.DriverCalls) < 2*p.stepCount() {
				return
			}
			p.report(max(ns, 0), "GPU idle time measured in this trace", when, places,
				"%s to the driver's allocator %s %s on the host and %s the GPU idle for %s", human.Plural(m.DriverCalls, "call"),
				human.Choose(m.DriverCalls, "takes", "take"), p.perStep(m.DriverNS), human.Choose(m.DriverCalls, "leaves", "leave"), p.perStep(ns))
		},
	}
	compilingInSteps = Rule{
		Rule: finding.Rule{
			Code: "TRC116", Name: "compiling-in-steps", Severity: finding.Warning, Subject: finding.Compiling,
			Areas:  []finding.Area{finding.ComputeArea, finding.HostArea},
			Title:  "code is compiled during the recorded steps",
			Why:    "A new shape or a new function object is compiled again, which takes seconds.",
			Advice: "Record after a few warm-up steps: compilers and the driver compile at first use. If it happens again, pad to few shapes, mark dimensions dynamic, and create compiled functions once, outside the loop.",
			Cures:  []string{"compile-in-loop", "jit-in-loop", "varying-shapes", "static-arg-churn"},
		},
		check: func(p *pass) {
			ns, when, places := p.idleIn(byCause(Compilation))
			if p.part(ns) < 0.01 {
				return
			}
			p.report(ns, "GPU idle time measured in this trace", when, places,
				"The GPU waits %s while code is compiled or loaded", p.cost(ns))
		},
	}
	checkpointInSteps = Rule{
		Rule: finding.Rule{
			Code: "TRC117", Name: "checkpoint-in-steps", Severity: finding.Advice, Subject: finding.Checkpoints,
			Areas:  []finding.Area{finding.HostArea},
			Title:  "a checkpoint is written while the GPU waits",
			Why:    "Saving copies the whole state to the host and writes it before training continues.",
			Advice: "Save less often, or asynchronously (torch.distributed.checkpoint.async_save).",
			Cures:  []string{"checkpoint-too-often"},
		},
		check: func(p *pass) {
			ns, when, places := p.idleIn(byCause(Checkpoint))
			if p.part(ns) < 0.01 {
				return
			}
			p.report(ns, "GPU idle time measured in this trace", when, places,
				"The GPU waits %s while a checkpoint is written", p.cost(ns))
		},
	}
)

// waits reports the host's waits of one sort that come at least so often a step.
func (p *pass) waits(often float64, meant func(Sync) bool) {
	var count int
	var host int64
	var when trace.Interval
	var evidence []string
	at := map[place]bool{}
	for _, s := range p.a.Syncs {
		if !meant(s) {
			continue
		}
		count += s.Count
		host += s.HostNS
		at[s.placement] = true
		if s.first.Length() > when.Length() {
			when = s.first
		}
		if len(evidence) < 3 {
			evidence = append(evidence, fmt.Sprintf("%s × %s, %s on the host", human.Count(s.Count), s.Place, human.Nanoseconds(s.HostNS)))
		}
	}
	idle, _, _ := p.idleIn(func(x place) bool { return x.cause == Synchronization && at[x] })
	if count == 0 || float64(count) < often*p.stepCount() {
		return
	}
	p.report(idle, "GPU idle time right after these waits in this trace; work that could run ahead may save more", when, evidence,
		"The host waits for the GPU %s%s; the GPU is then idle for %s", timesText(float64(count)/p.stepCount()), p.aStep(), p.perStep(idle))
}

// blockingResults reports copies to the host that make it wait in the copying call itself, at least one every other
// step.
func (p *pass) blockingResults() {
	count, when := 0, trace.Interval{}
	var bytes, host int64
	for _, id := range p.gpu.work {
		call, ok := p.t.Launch(id)
		if !ok || p.classOf(id) != copyOut || p.outsideSteps(call) || p.t.End(call) < p.t.End(id) || p.readOf(call, whatif.ResultWait) != whatif.ResultWait {
			continue // it does not wait, or reads a single value
		}
		n, _ := p.t.Int(id, trace.Bytes)
		count++
		bytes += n
		host += p.t.Duration(call)
		if i := p.t.Interval(call); i.Length() > when.Length() {
			when = i
		}
	}
	if count == 0 || 2*float64(count) < p.stepCount() {
		return
	}
	p.report(host, "host time in these copies in this trace", when, []string{human.Bytes(bytes) + " in total"},
		"Results are copied to the host %s%s; the host is blocked for %s", timesText(float64(count)/p.stepCount()), p.aStep(), p.perStep(host))
}

// timesText writes how often: "once", "12 times", "2.5 times".
func timesText(n float64) string {
	switch {
	case n == 1:
		return "once"
	case n == math.Trunc(n) || n >= 100:
		return human.Count(int64(math.Round(n))) + " times"
	}
	return fmt.Sprintf("%.1f times", n)
}

// checkOptimizer counts what is launched inside the optimizer's step.
func checkOptimizer(p *pass) {
	kernels, small := 0, int64(0)
	fused := false
	for _, id := range p.gpu.work {
		call, ok := p.t.Launch(id)
		if !ok || !p.inside(call, isOptimizer) {
			continue
		}
		kernels++
		small += p.t.Duration(id)
		fused = fused || containsAny(p.t.Name(id), []string{"multi_tensor_apply", "FusedOptimizer"})
	}
	perStep := float64(kernels) / p.stepCount()
	if perStep < 50 || fused {
		return
	}
	ns, when, _ := p.idleIn(func(at place) bool {
		return (at.cause == LaunchCause || at.cause == KernelWait) && p.meanings[at.a]&isOptimizer != 0
	})
	var host int64
	for id := range p.t.OfKind(trace.Annotation) {
		if p.means(id, isOptimizer) && p.window.Contains(p.t.Start(id)) {
			host += p.t.Duration(id)
		}
	}
	p.report(ns, "GPU idle time inside the optimizer's step in this trace", when,
		[]string{fmt.Sprintf("the optimizer's step takes %s on the host and %s on the GPU", p.perStep(host), p.perStep(small))},
		"The optimizer launches %s kernels%s, one tensor at a time", human.Count(int64(perStep)), p.aStep())
}

// inside reports whether an event lies in one of that meaning.
func (v *view) inside(id trace.EventID, m meaning) bool {
	for a := range v.t.Ancestors(id) {
		if v.means(a, m) {
			return true
		}
	}
	return false
}
