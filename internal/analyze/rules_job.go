package analyze

import (
	"fmt"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// The job as a whole: other GPUs, memory, the recording itself.
var (
	exposedCommunication = Rule{
		Rule: finding.Rule{
			Code: "TRC124", Name: "exposed-communication", Severity: finding.Warning, Subject: finding.Ranks,
			Areas: []finding.Area{finding.ComputeArea}, NeedsGPU: true,
			Title:  "communication does not overlap compute",
			Why:    "Gradients can be exchanged while the backward pass still computes; every GPU waits for the rest.",
			Advice: "With gradient accumulation use no_sync, drop find_unused_parameters, and try larger buckets.",
			WhatIf: []string{"collectives=overlapped"},
			Cures:  []string{"accumulate-without-no-sync", "find-unused-params", "gloo-on-gpu", "offload-without-need"},
		},
		check: func(p *pass) {
			_, talking, _, _ := p.gpu.busy.shares()
			exposed := p.counted(talking)
			ns := exposed.length()
			if ns == 0 || p.part(ns) < 0.05 {
				return
			}
			var when trace.Interval
			for _, i := range exposed {
				if i.Length() > when.Length() {
					when = i
				}
			}
			c := p.a.Communication
			p.report(ns, "communication in this trace that does not overlap compute", when, []string{fmt.Sprintf("%s of %s overlaps compute", human.Percent(c.Overlap), human.Nanoseconds(c.TotalNS))},
				"Communication that does not overlap compute takes %s", p.cost(ns))
		},
	}
	collectivePerTensor = Rule{
		Rule: finding.Rule{
			Code: "TRC129", Name: "collective-per-tensor", Severity: finding.Warning, Subject: finding.Ranks,
			Areas: []finding.Area{finding.ComputeArea, finding.HostArea}, NeedsGPU: true,
			Title:  "gradients are reduced one tensor at a time",
			Why:    "Each all-reduce costs a launch and a round over all ranks, however small it is; buckets share that cost.",
			Advice: "Let DistributedDataParallel reduce the gradients in buckets, or flatten them before all_reduce.",
			WhatIf: []string{"collectives=overlapped"},
			Cures:  []string{"accumulate-without-no-sync"},
		},
		check: func(p *pass) {
			reduces, when, total := 0, trace.Interval{}, int64(0)
			for _, id := range p.gpu.work {
				if p.classOf(id) != communication || !isReduce(p.t.Name(id), p.t.Text(id, trace.CollectiveName)) {
					continue
				}
				reduces++
				total += p.t.Duration(id)
				if i := p.t.Interval(id); i.Length() > when.Length() {
					when = i
				}
			}
			tensors := 0
			for id := range p.t.OfKind(trace.CPUOp) {
				if p.t.Name(id) == "torch::autograd::AccumulateGrad" && p.window.Contains(p.t.Start(id)) {
					tensors++
				}
			}
			perStep, parameters := float64(reduces)/p.stepCount(), float64(tensors)/p.stepCount()
			if perStep < 20 || parameters == 0 || perStep < 0.8*parameters {
				return
			}
			p.report(0, "the number of collectives in this trace", when, []string{p.perStep(total) + " in all-reduces"},
				"%.0f all-reduces%s for %.0f gradient tensors: one for each", perStep, p.aStep(), parameters)
		},
	}
	slowRank = Rule{
		Rule: finding.Rule{
			Code: "TRC125", Name: "slow-rank", Severity: finding.Warning, Subject: finding.Ranks,
			Areas:  []finding.Area{finding.DataArea, finding.HostArea, finding.ComputeArea},
			Title:  "the other ranks wait for one rank",
			Why:    "A collective ends when the last rank arrives, so every rank takes as long as the slowest.",
			Advice: "Check that rank: its data, its host, its GPU clocks.",
			WhatIf: []string{"straggler=none"},
		},
		check: func(p *pass) {
			r := p.a.Ranks
			if r == nil || r.Slowest < 0 {
				return
			}
			p.report(r.SkewNS*int64(p.stepCount()), "difference between the ranks' times in collectives", trace.Interval{}, nil,
				"The other ranks wait for rank %d, up to %s a step", r.Slowest, human.Nanoseconds(r.SkewNS))
		},
	}
	memoryFull = Rule{
		Rule: finding.Rule{
			Code: "TRC126", Name: "memory-nearly-full", Severity: finding.Warning, Subject: finding.Memory,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "GPU memory is nearly full",
			Why:    "When the allocator has to free its cache and ask the driver again, it waits for the GPU each time.",
			Advice: "Use a smaller batch, gradient checkpointing or an 8-bit optimizer.",
			Cures:  []string{"full-precision-optimizer-state", "no-gradient-checkpointing", "graph-retention"},
		},
		check: func(p *pass) {
			m := p.a.Memory
			used := max(m.ReservedBytes, m.PeakBytes)
			if m.TotalBytes == 0 || 10*used < 9*m.TotalBytes {
				return // a free before an allocation proves nothing: cuDNN's search for the best algorithm does that too
			}
			again := ""
			if m.Retries > 0 {
				again = ", and the allocator had to free its cache and try again " + human.Plural(m.Retries, "time")
			}
			p.report(m.DriverNS, "host time in the driver's allocator in this trace", trace.Interval{Start: m.PeakAtNS, End: m.PeakAtNS + 1}, nil,
				"%s of %s are used%s", human.Memory(used), human.Memory(m.TotalBytes), again)
		},
	}
	memoryFragmented = Rule{
		Rule: finding.Rule{
			Code: "TRC127", Name: "memory-fragmented", Severity: finding.Advice, Subject: finding.Memory,
			Areas: []finding.Area{finding.HostArea}, NeedsGPU: true,
			Title:  "much of the reserved memory is unused at the peak",
			Why:    "Blocks of many sizes leave holes that fit no new block.",
			Advice: "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
		},
		check: func(p *pass) {
			m := p.a.Memory
			if m.Fragmentation < 0.3 || m.ReservedBytes < 1<<30 || 2*m.blocks < m.PeakBytes {
				return // without the blocks' sizes nothing says that holes are to blame
			}
			p.report(0, "saves memory, not time", trace.Interval{Start: m.PeakAtNS, End: m.PeakAtNS + 1}, nil,
				"At the peak of %s, %s of the reserved memory is unused", human.Memory(m.PeakBytes), human.Percent(m.Fragmentation))
		},
	}
	profilerCost = Rule{
		Rule: finding.Rule{
			Code: "TRC128", Name: "recording-costs", Severity: finding.Advice, Subject: finding.Recording,
			Areas:  []finding.Area{finding.HostArea},
			Title:  "the profiler itself takes a noticeable part of the time",
			Why:    "Recording shapes, stacks and every operator slows the host; launch-bound programs look worse than they are.",
			Advice: "Record fewer steps, without shapes and stacks, when the times matter; measure step times without a profiler.",
		},
		check: func(p *pass) {
			var ns int64
			var when trace.Interval
			for id := range p.t.OfKind(trace.Overhead) {
				ns += p.t.Interval(id).Clip(p.window).Overlap(p.window)
				if i := p.t.Interval(id); i.Length() > when.Length() {
					when = i
				}
			}
			if share(ns, p.window.Length()) < 0.03 {
				return
			}
			p.report(0, "nothing to fix: without the profiler, steps are faster by this overhead", when, nil,
				"The profiler recorded %s of its own overhead (%s of the window)", human.Nanoseconds(ns), human.Percent(share(ns, p.window.Length())))
		},
	}
)

// isReduce reports whether a collective is an all-reduce, by its kernel's name or by what the profiler wrote beside it.
func isReduce(kernel, collective string) bool {
	name := strings.ToLower(kernel + " " + collective)
	return strings.Contains(name, "allreduce") || strings.Contains(name, "all_reduce")
}
