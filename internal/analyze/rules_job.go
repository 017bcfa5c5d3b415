package analyze

import (
	"fmt"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// The job as a whole: other GPUs, memory, the recording itself.
var (
	exposedCommunication = Rule{
		Code: "TRC124", Name: "exposed-communication", Severity: finding.Warning,
		Title:  "communication is not hidden behind compute",
		Why:    "Gradients can travel while the backward pass still computes; what is left over makes every GPU wait.",
		Advice: "With gradient accumulation use no_sync, drop find_unused_parameters, and try larger buckets.",
		Cures:  []string{"SAT602", "SAT603", "SAT604"},
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
			p.report(ns, "communication in this trace while no compute ran", when, []string{fmt.Sprintf("%s of %s overlaps compute", human.Percent(c.Overlap), human.Nanoseconds(c.TotalNS))},
				"Communication that nothing hides takes %s", p.cost(ns))
		},
	}
	slowRank = Rule{
		Code: "TRC125", Name: "slow-rank", Severity: finding.Warning,
		Title:  "the other ranks wait for one",
		Why:    "A collective ends when the last rank has come; every other rank pays for the slowest.",
		Advice: "Look at that rank: its data, its host, its GPU's clocks.",
		Cures:  []string{"SAT114"},
		check: func(p *pass) {
			r := p.a.Ranks
			if r == nil || r.Slowest < 0 {
				return
			}
			p.report(r.SkewNS*int64(p.stepCount()), "difference of the ranks' time in collectives", trace.Interval{}, nil,
				"The other ranks wait for rank %d, up to %s a step", r.Slowest, human.Nanoseconds(r.SkewNS))
		},
	}
	memoryFull = Rule{
		Code: "TRC126", Name: "memory-nearly-full", Severity: finding.Warning,
		Title:  "the GPU's memory is nearly full",
		Why:    "An allocator that has to free its cache and ask again waits for the GPU each time.",
		Advice: "A smaller batch, gradient checkpointing or an 8-bit optimizer.",
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
				"%s of %s are taken%s", human.Memory(used), human.Memory(m.TotalBytes), again)
		},
	}
	memoryFragmented = Rule{
		Code: "TRC127", Name: "memory-fragmented", Severity: finding.Advice,
		Title:  "much reserved memory is not in use at the peak",
		Why:    "Blocks of many sizes leave holes that fit nothing.",
		Advice: "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
		check: func(p *pass) {
			m := p.a.Memory
			if m.Fragmentation < 0.3 || m.ReservedBytes < 1<<30 {
				return
			}
			p.report(0, "saves memory, not time", trace.Interval{Start: m.PeakAtNS, End: m.PeakAtNS + 1}, nil,
				"At the peak of %s, %s of the reserved memory holds nothing", human.Memory(m.PeakBytes), human.Percent(m.Fragmentation))
		},
	}
	profilerCost = Rule{
		Code: "TRC128", Name: "recording-costs", Severity: finding.Advice,
		Title:  "the profiler itself takes a noticeable part of the time",
		Why:    "Recording shapes, stacks and every operator slows the host; launch-bound programs look worse than they are.",
		Advice: "Record fewer steps, without shapes and stacks, when the times matter; measure step times without a profiler.",
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
			p.report(0, "the steps are that much faster unrecorded; nothing to repair", when, nil,
				"The profiler recorded %s of its own overhead (%s of the window)", human.Nanoseconds(ns), human.Percent(share(ns, p.window.Length())))
		},
	}
)
