package analyze

import (
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// The job as a whole: memory, and the recording itself.
var (
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
