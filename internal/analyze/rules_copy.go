package analyze

import (
	"fmt"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// Copies between host and GPU.
var (
	pageableCopies = Rule{
		Rule: finding.Rule{Code: "TRC104"}.Like(finding.PageableCopies),
		check: func(p *pass) {
			c := p.copiesIn(func(memory string, _ bool) bool { return memory == "pageable" })
			if c.bytes < inputBytes*int64(p.stepCount()) {
				return
			}
			p.report(c.exposed, "time of these copies in this trace that does not overlap kernels", c.longest, c.evidence(),
				"%s to the GPU from pageable memory; the host is blocked for %s", c.text(), p.perStep(c.blocking))
		},
	}
	blockingCopies = Rule{
		Rule: finding.Rule{
			Code: "TRC105", Name: "blocking-copies", Severity: finding.Advice, Subject: finding.Copies,
			Areas: []finding.Area{finding.TransferArea}, NeedsGPU: true,
			Title:  "copies from pinned memory block the host",
			Why:    "Without non_blocking=True the host waits for each copy, even from pinned memory.",
			Advice: "Copy with non_blocking=True.",
			WhatIf: []string{"copies=pinned"},
			Cures:  []string{"blocking-h2d"},
		},
		check: func(p *pass) {
			c := p.copiesIn(func(memory string, waits bool) bool { return memory == "pinned" && waits })
			if c.bytes < inputBytes*int64(p.stepCount()) {
				return
			}
			p.report(c.blocking, "host time in these copies in this trace", c.longest, c.evidence(),
				"%s to the GPU from pinned memory, and the host still waits %s", c.text(), p.perStep(c.blocking))
		},
	}
	copiesNotHidden = Rule{
		Rule: finding.Rule{
			Code: "TRC106", Name: "copies-not-hidden", Severity: finding.Advice, Subject: finding.Copies,
			Areas: []finding.Area{finding.TransferArea}, NeedsGPU: true,
			Title:  "copies to the GPU do not overlap compute",
			Why:    "The GPU can copy and compute at the same time; a batch copied one step ahead costs nothing.",
			Advice: "Copy the next batch on a second stream while this step computes (a prefetcher).",
			WhatIf: []string{"copies=async"},
		},
		check: func(p *pass) {
			c := p.copiesIn(func(memory string, waits bool) bool { return memory != "pageable" && !waits })
			if p.part(c.exposed) < 0.02 {
				return
			}
			p.report(c.exposed, "time of these copies in this trace that does not overlap kernels", c.longest, c.evidence(),
				"Copies to the GPU that do not overlap kernels take %s", p.cost(c.exposed))
		},
	}
	smallCopies = Rule{
		Rule: finding.Rule{
			Code: "TRC107", Name: "small-copies", Severity: finding.Advice, Subject: finding.Copies,
			Areas: []finding.Area{finding.TransferArea, finding.HostArea}, NeedsGPU: true,
			Title:  "many tiny copies go to the GPU",
			Why:    "A tensor created on the host and moved costs an allocation, a copy and often a wait, however small it is.",
			Advice: "Create small tensors on the GPU (device=…), and constants only once.",
			Cures:  []string{"cpu-create-then-move"},
		},
		check: func(p *pass) {
			count, longest := 0, trace.Interval{}
			var host int64
			for _, id := range p.gpu.work {
				if p.classOf(id) != copyIn {
					continue
				}
				if bytes, ok := p.t.Int(id, trace.Bytes); ok && bytes <= 4096 {
					count++
					if call, ok := p.t.Launch(id); ok {
						ns := p.blocking(call)
						host += ns
						if ns > longest.Length() {
							longest = p.t.Interval(call)
						}
					}
				}
			}
			if float64(count) < 8*p.stepCount() {
				return
			}
			p.report(host, "host time in these copies in this trace", longest, nil,
				"%.0f copies%s of at most 4 kB to the GPU take %s on the host", float64(count)/p.stepCount(), p.aStep(), p.perStep(host))
		},
	}
)

// copied sums copies to the GPU.
type copied struct {
	count    int
	bytes    int64
	total    int64
	exposed  int64
	blocking int64
	longest  trace.Interval
}

// copiesIn sums the copies to the GPU of some memory that do, or do not, make the host wait.
func (p *pass) copiesIn(meant func(memory string, waits bool) bool) (c copied) {
	_, _, feeding, _ := p.gpu.busy.shares()
	feeding = p.counted(feeding)
	for _, id := range p.gpu.work {
		if p.classOf(id) != copyIn {
			continue
		}
		call, linked := p.t.Launch(id)
		blocking := int64(0)
		if linked {
			blocking = p.blocking(call)
		}
		waits := linked && blocking > p.t.Duration(call)
		if !meant(p.endsOf(id).memory(), waits) {
			continue
		}
		bytes, _ := p.t.Int(id, trace.Bytes)
		when := p.clip(id)
		c.count++
		c.bytes += bytes
		c.total += when.Length()
		c.exposed += feeding.within(when)
		c.blocking += blocking
		if when.Length() > c.longest.Length() {
			c.longest = when
		}
	}
	return c
}

func (c copied) text() string {
	if c.count == 1 {
		return "One copy of " + human.Bytes(c.bytes) + " goes"
	}
	return fmt.Sprintf("%s copies (%s in total) go", human.Count(c.count), human.Bytes(c.bytes))
}

func (c copied) evidence() []string {
	if c.total == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s at %.1f GB/s, %s on the GPU, %s of it not overlapped", human.Bytes(c.bytes), float64(c.bytes)/float64(c.total), human.Nanoseconds(c.total), human.Percent(share(c.exposed, c.total)))}
}
