package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// Collectives as one rank sees them.
var (
	exposedCommunication = Rule{
		Rule: finding.Rule{
			Code: "TRC124", Name: "exposed-communication", Severity: finding.Warning, Subject: finding.Ranks,
			Areas: []finding.Area{finding.ComputeArea}, NeedsGPU: true,
			Title: "communication does not overlap compute",
			Why: "Gradients can be exchanged while the backward pass still computes; every GPU waits for an exchange that " +
				"is not overlapped.",
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
			evidence := append([]string{fmt.Sprintf("%s of %s overlaps compute", human.Percent(c.Overlap), human.Nanoseconds(c.TotalNS))}, p.exposedAfter(exposed)...)
			p.report(ns, "communication in this trace that does not overlap compute", when, evidence,
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
			reduces := p.reduces()
			perStep, parameters := float64(len(reduces))/p.stepCount(), float64(p.gradientTensors())/p.stepCount()
			if !onePerTensor(perStep, parameters) {
				return
			}
			total, when := p.timeOf(reduces)
			p.report(0, "the number of collectives in this trace", when, []string{p.perStep(total) + " in all-reduces"},
				"%.0f all-reduces%s for %.0f gradient tensors: one for each", perStep, p.aStep(), parameters)
		},
	}
	smallBuckets = Rule{
		Rule: finding.Rule{
			Code: "TRC134", Name: "small-buckets", Severity: finding.Advice, Subject: finding.Ranks,
			Areas: []finding.Area{finding.ComputeArea}, NeedsGPU: true,
			Title:  "gradients are reduced in many small messages",
			Why:    "A message below about 1 MiB costs a round of latency over all ranks, not bandwidth.",
			Advice: "Raise bucket_cap_mb of DistributedDataParallel, or let FSDP wrap larger modules.",
			WhatIf: []string{"collectives=overlapped"},
		},
		check: func(p *pass) {
			const small, few = 1 << 20, 10
			var sizes []int64
			reduces := p.reduces()
			for _, id := range reduces {
				n, _ := p.t.Int(id, trace.InElements)
				sizes = append(sizes, n*bytesOf(p.t.Text(id, trace.DType)))
			}
			perStep := float64(len(reduces)) / p.stepCount()
			middle := median(sizes)
			total, when := p.timeOf(reduces)
			if middle == 0 || middle >= small || perStep < few || p.part(total) < 0.02 || onePerTensor(perStep, float64(p.gradientTensors())/p.stepCount()) {
				return
			}
			p.report(0, "the sizes of the collectives in this trace", when, []string{p.perStep(total) + " in all-reduces"},
				"%.0f all-reduces%s of %s each, in the middle", perStep, p.aStep(), human.Memory(middle))
		},
	}
	reduceEveryBackward = Rule{
		Rule: finding.Rule{
			Code: "TRC133", Name: "reduce-every-backward", Severity: finding.Warning, Subject: finding.Ranks,
			Areas: []finding.Area{finding.ComputeArea}, NeedsGPU: true,
			Title:  "gradients are reduced in every micro-batch of an accumulated step",
			Why:    "With gradient accumulation only the last backward pass before the optimizer needs the other ranks' gradients.",
			Advice: "Wrap all but the last micro-batch in model.no_sync(), or set_requires_gradient_sync(False) with FSDP2.",
			WhatIf: []string{"collectives=overlapped"},
			Cures:  []string{"accumulate-without-no-sync"},
		},
		check: func(p *pass) {
			batches, updates := p.microBatches()
			if updates == 0 || len(batches) < 2*updates {
				return
			}
			with, reduces := 0, p.reduces()
			calls := make([]int64, 0, len(reduces))
			for _, id := range reduces {
				if call, ok := p.t.Launch(id); ok {
					calls = append(calls, p.t.Start(call))
				}
			}
			slices.Sort(calls)
			for i, at := range batches {
				end := p.window.End
				if i+1 < len(batches) {
					end = batches[i+1]
				}
				if k, _ := slices.BinarySearch(calls, at); k < len(calls) && calls[k] < end {
					with++
				}
			}
			if 10*with < 9*len(batches) {
				return
			}
			each := len(batches) / updates
			_, talking, _, _ := p.gpu.busy.shares()
			_, when := p.timeOf(reduces)
			p.report(p.counted(talking).length()*int64(each-1)/int64(each), "exposed communication of the micro-batches before the last", when,
				[]string{fmt.Sprintf("%s for %s of the optimizer", human.Plural(len(batches), "forward pass", "forward passes"), human.Plural(updates, "update"))},
				"Gradients are reduced after each of %d micro-batches before an update; the last is enough", each)
		},
	}
)

// exposedAfter says which collectives are exposed most, and what ran before them: that is what could be moved, or
// prefetched earlier.
func (p *pass) exposedAfter(exposed spans) (out []string) {
	type slot struct{ what, after string }
	sums := map[slot]int64{}
	streams := map[string]trace.TrackID{}
	before := trace.None
	for _, id := range p.gpu.work {
		switch p.classOf(id) {
		case compute:
			before = id
		case communication:
			what := p.t.Text(id, trace.CollectiveName)
			if what == "" {
				what = collectiveOf(p.t.Name(id))
			}
			streams[(&talk{name: what}).plain()] = p.t.Event(id).Track
			ns := exposed.within(p.t.Interval(id))
			if ns == 0 {
				continue
			}
			after := "the start"
			if before != trace.None {
				after = shortKernel(p.t.Name(before))
				if op, ok := p.t.Operator(before); ok {
					after = p.t.Name(op)
				}
			}
			sums[slot{what, after}] += ns
		}
	}
	order := slices.SortedFunc(maps.Keys(sums), func(a, b slot) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.what+a.after, b.what+b.after))
	})
	for _, s := range order[:min(2, len(order))] {
		out = append(out, fmt.Sprintf("%s in %s, after %s", p.perStep(sums[s]), s.what, s.after))
	}
	var gather, scatter trace.TrackID
	both := 0
	for name, track := range streams {
		switch {
		case strings.Contains(name, "allgather"):
			gather, both = track, both|1
		case strings.Contains(name, "reducescatter"):
			scatter, both = track, both|2
		}
	}
	if both == 3 && gather == scatter {
		out = append(out, "all-gathers and reduce-scatters share one stream, so each waits for the other")
	}
	return out
}

// reduces lists the all-reduces and reduce-scatters of the GPU.
func (p *pass) reduces() (list []trace.EventID) {
	for _, id := range p.gpu.work {
		if p.classOf(id) == communication && isReduce(p.t.Name(id), p.t.Text(id, trace.CollectiveName)) {
			list = append(list, id)
		}
	}
	return list
}

// timeOf sums pieces of work up and gives the longest.
func (p *pass) timeOf(list []trace.EventID) (total int64, when trace.Interval) {
	for _, id := range list {
		total += p.t.Duration(id)
		if i := p.t.Interval(id); i.Length() > when.Length() {
			when = i
		}
	}
	return total, when
}

// gradientTensors counts the gradients that were computed.
func (p *pass) gradientTensors() (n int) {
	for id := range p.t.OfKind(trace.CPUOp) {
		if p.t.Name(id) == "torch::autograd::AccumulateGrad" && p.window.Contains(p.t.Start(id)) {
			n++
		}
	}
	return n
}

func onePerTensor(reduces, tensors float64) bool {
	return reduces >= 20 && tensors > 0 && reduces >= 0.8*tensors
}

// microBatches are when forward passes of a parallel model began, and how often the optimizer updated it after one.
func (p *pass) microBatches() (begun []int64, updates int) {
	tr := p.t.Track(p.main)
	fresh := false
	for id := tr.First; id < tr.Last; id++ {
		if p.t.Kind(id) != trace.Annotation || !p.window.Contains(p.t.Start(id)) {
			continue
		}
		switch {
		case strings.HasSuffix(p.t.Name(id), "DataParallel.forward"):
			begun, fresh = append(begun, p.t.Start(id)), true
		case fresh && p.means(id, isOptimizer):
			updates, fresh = updates+1, false
		}
	}
	return begun, updates
}

// isReduce reports whether a collective is an all-reduce, by its kernel's name or by what the profiler wrote beside it.
func isReduce(kernel, collective string) bool {
	name := strings.ToLower(kernel + " " + collective)
	return strings.Contains(name, "allreduce") || strings.Contains(name, "all_reduce")
}
