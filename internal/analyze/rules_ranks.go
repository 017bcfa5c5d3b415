package analyze

import (
	"fmt"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// Several ranks: who waits for whom, and why. They are found where the ranks' collectives can be matched; see late.go
// and group.go.
var (
	slowRank = Rule{
		Rule: finding.Rule{
			Code: "TRC125", Name: "slow-rank", Severity: finding.Warning, Subject: finding.Ranks,
			Areas:  []finding.Area{finding.DataArea, finding.HostArea, finding.ComputeArea},
			Title:  "the other ranks wait for one rank",
			Why:    "A collective ends when the last rank arrives, so every rank takes as long as the slowest.",
			Advice: "Check that rank: its data, its host, its GPU clocks.",
			WhatIf: []string{"straggler=none"},
		},
		anywhere: true,
		check: func(p *pass) {
			r := p.a.Ranks
			if r == nil || r.Slowest < 0 || r.Late != nil && (r.Late.uneven() || r.Late.alone()) {
				return
			}
			p.reportLate(r, "")
		},
	}
	unevenWork = Rule{
		Rule: finding.Rule{
			Code: "TRC131", Name: "uneven-work", Severity: finding.Warning, Subject: finding.Ranks,
			Areas:  []finding.Area{finding.ComputeArea},
			Title:  "the ranks have different amounts of work",
			Why:    "Each step takes as long as the rank with the most to compute; the others wait for it in the next collective.",
			Advice: "Give each rank batches of equal cost: a length-bucketing or token-balanced batch sampler, or equal pipeline stages.",
			WhatIf: []string{"straggler=none"},
		},
		anywhere: true,
		check: func(p *pass) {
			r := p.a.Ranks
			switch {
			case r == nil:
			case r.Slowest >= 0 && r.Late != nil && r.Late.uneven():
				p.reportLate(r, fmt.Sprintf("; it has %.1f× the work", r.Late.Work))
			case r.Slowest < 0 && r.Turns != nil:
				t := r.Turns
				p.report(t.WaitNS*int64(p.stepCount()), "waits in matched collectives", trace.Interval{}, []string{fmt.Sprintf("the last rank had more work in %d of %d collectives", t.Heavier, t.Count)},
					"The ranks wait for each other in turn, %s a step each", human.Nanoseconds(t.WaitNS))
			}
		},
	}
	idleRank = Rule{
		Rule: finding.Rule{
			Code: "TRC132", Name: "one-rank-busy-elsewhere", Severity: finding.Warning, Subject: finding.Ranks,
			Areas:  []finding.Area{finding.HostArea},
			Title:  "the other ranks wait while one rank does something else",
			Why:    "Garbage collection, checkpoints, logging or evaluation on one rank stop all ranks at the next collective.",
			Advice: "Do it on all ranks at the same step, in a background thread, or less often: gc.disable() with gc.collect() every N steps, asynchronous checkpoints.",
			WhatIf: []string{"straggler=none"},
		},
		anywhere: true,
		check: func(p *pass) {
			if r := p.a.Ranks; r != nil && r.Slowest >= 0 && r.Late != nil && r.Late.alone() {
				p.reportLate(r, "")
			}
		},
	}
	slowLinks = Rule{
		Rule: finding.Rule{
			Code: "TRC130", Name: "slow-link", Severity: finding.Warning, Subject: finding.Ranks,
			Areas: []finding.Area{finding.ComputeArea},
			Title: "transfers of one group are slower than the same transfers elsewhere",
			Why: "All ranks of the group have arrived, so the link takes the time: a bad cable, a shared switch, PCIe " +
				"instead of NVLink, another route.",
			Advice: "Run nccl-tests between these ranks; check `nvidia-smi topo -m`, NIC counters and NCCL_DEBUG=INFO for the route.",
			WhatIf: []string{"collectives=0.5"},
		},
		anywhere: true,
		check: func(p *pass) {
			r := p.a.Ranks
			if r == nil || r.Link == nil {
				return
			}
			l := r.Link
			var rate []string
			if l.BusGBs > 0 {
				rate = []string{fmt.Sprintf("bus bandwidth %s, elsewhere %s", human.Value(l.BusGBs*1e9, "B/s"), human.Value(l.UsualGBs*1e9, "B/s"))}
			}
			p.report(l.LostNS*int64(p.stepCount()), "time of the slow transfers above that of the same ones elsewhere", trace.Interval{}, rate,
				"Between ranks %s, %s of %s takes %s; the same one takes %s elsewhere (%d of %d are slow)",
				listedNumbers(l.Ranks), l.Collective, human.Memory(l.Bytes), human.Nanoseconds(l.NS), human.Nanoseconds(l.UsualNS), l.Slow, l.Count)
		},
	}
)

// reportLate says who is late, and why.
func (p *pass) reportLate(r *Ranks, more string) {
	var evidence []string
	basis := "difference between the ranks' times in collectives"
	message := fmt.Sprintf("The other ranks wait for rank %d, up to %s a step", r.Slowest, human.Nanoseconds(r.SkewNS))
	if l := r.Late; l != nil {
		basis = "mean wait of the other ranks in matched collectives"
		message = fmt.Sprintf("The other ranks wait for rank %d, %s a step: %s%s", r.Slowest, human.Nanoseconds(r.SkewNS),
			l.what(), more)
		evidence = []string{
			fmt.Sprintf("last in %d of %d matched collectives", l.LastIn, l.Collectives),
			fmt.Sprintf("%s takes it %s a step, the others %s", l.Cause, human.Nanoseconds(l.CauseNS),
				human.Nanoseconds(l.OthersNS)),
		}
	}
	p.report(r.SkewNS*int64(p.stepCount()), basis, trace.Interval{}, evidence, "%s", message)
}

// uneven reports whether a late rank only has more to compute than the others.
func (l *Late) uneven() bool { return l.stretch.computes() && l.Work > 1.1 }

// alone reports whether a late rank does something on the host that the others do not do.
func (l *Late) alone() bool {
	switch l.stretch {
	case inHostCode, inGC, inCheckpoint:
		return l.OthersNS < l.CauseNS/4
	}
	return false
}

// listedNumbers writes 0, 1 and 2.
func listedNumbers(list []int) string {
	text := ""
	for i, n := range list {
		switch {
		case i == 0:
		case i == len(list)-1:
			text += " and "
		default:
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}
