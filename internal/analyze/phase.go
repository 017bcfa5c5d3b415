package analyze

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strconv"

	"saturate/internal/trace"
)

// Phase is the work of an inference server that reads prompts (prefill), writes tokens (decode), or does both at once
// (mixed), as the server marks its batches: vLLM "execute_…context_2(…)_generation_16(…)", SGLang "step[DECODE
// bs=32]".
type Phase struct {
	Phase    string `json:"phase"`     // prefill, decode or mixed
	Batches  int    `json:"batches"`   // marked ranges
	Requests int    `json:"requests"`  // in all batches, as far as the marks tell
	HostNS   int64  `json:"host_ns"`   // of the ranges
	DeviceNS int64  `json:"device_ns"` // while a GPU worked on what was launched in them
	Pieces   int    `json:"pieces"`    // kernels, copies and fills launched in them
	LongNS   int64  `json:"long_ns"`   // the longest batch, on the GPU
}

var (
	vllmBatch   = regexp.MustCompile(`^execute_(?:\d+_)?context_(\d+)\(.*_generation_(\d+)\(`)
	sglangBatch = regexp.MustCompile(`^step\[(EXTEND|PREFILL|DECODE|MIXED)\b(?:.*\bbs=(\d+))?`)
)

// phaseOf reads a mark. It is empty for other ranges.
func phaseOf(name string) (phase string, requests int) {
	if m := vllmBatch.FindStringSubmatch(name); m != nil {
		prompts, _ := strconv.Atoi(m[1])
		tokens, _ := strconv.Atoi(m[2])
		switch {
		case prompts > 0 && tokens > 0:
			return "mixed", prompts + tokens
		case prompts > 0:
			return "prefill", prompts
		case tokens > 0:
			return "decode", tokens
		}
		return "", 0
	}
	if m := sglangBatch.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[2])
		return map[string]string{"EXTEND": "prefill", "PREFILL": "prefill", "DECODE": "decode", "MIXED": "mixed"}[m[1]], n
	}
	return "", 0
}

// batch is one marked range.
type batch struct {
	phase    string
	requests int
	when     trace.Interval
	busy     spans
	pieces   int
}

// phases sums the batches of each phase, most GPU time first. A server that marks a batch twice has it counted once.
func (v *view) phases() []Phase {
	var batches []batch
	for id := range v.t.OfKind(trace.Annotation) {
		if phase, n := phaseOf(v.t.Name(id)); phase != "" && v.window.Contains(v.t.Start(id)) {
			batches = append(batches, batch{phase: phase, requests: n, when: v.t.Interval(id)})
		}
	}
	slices.SortFunc(batches, func(a, b batch) int {
		return cmp.Or(cmp.Compare(a.when.Start, b.when.Start), cmp.Compare(b.when.End, a.when.End))
	})
	batches = slices.CompactFunc(batches, func(a, b batch) bool { return b.when.Start < a.when.End && a.phase == b.phase })
	if len(batches) == 0 {
		return nil
	}
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			call, ok := v.t.Launch(id)
			if !ok {
				continue
			}
			at := v.t.Start(call)
			k := sort.Search(len(batches), func(k int) bool { return batches[k].when.End > at })
			if k < len(batches) && batches[k].when.Contains(at) {
				batches[k].pieces++
				batches[k].busy = batches[k].busy.add(v.clip(id)) // by start
			}
		}
	}
	var out []Phase
	for _, b := range batches {
		i := slices.IndexFunc(out, func(p Phase) bool { return p.Phase == b.phase })
		if i < 0 {
			i, out = len(out), append(out, Phase{Phase: b.phase})
		}
		p := &out[i]
		p.Batches++
		p.Requests += b.requests
		p.HostNS += b.when.Length()
		p.DeviceNS += b.busy.length()
		p.Pieces += b.pieces
		p.LongNS = max(p.LongNS, b.busy.length())
	}
	slices.SortStableFunc(out, func(a, b Phase) int { return cmp.Compare(b.DeviceNS, a.DeviceNS) })
	return out
}
