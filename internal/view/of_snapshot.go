package view

import (
	"fmt"
	"path/filepath"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/trace/snapshot"
)

// SnapshotData is what the JSON of a memory snapshot holds.
type SnapshotData struct {
	Path string            `json:"path"` // file of the snapshot
	GPUs []snapshot.Answer `json:"gpus"`
}

// OfSnapshot shows who held the GPU's memory.
func OfSnapshot(path string, answers []snapshot.Answer, top int) report.Report {
	r := report.Report{
		Command: "analyze", Title: "Memory snapshot " + human.Line(path),
		Data: SnapshotData{path, append([]snapshot.Answer{}, answers...)},
	}
	if len(answers) == 0 {
		r.Summary = []string{"The snapshot has no GPU memory in it."}
		r.Outcome = report.Undecided
		return r
	}
	folder := commonFolder(answers)
	for _, a := range answers {
		of := ""
		if len(answers) > 1 {
			of = fmt.Sprintf("GPU %d: ", a.Device)
		}
		for i, s := range memorySentences(a, folder) {
			if i == 0 {
				s = of + s
			}
			r.Summary = append(r.Summary, s)
		}
		r.Warnings = append(r.Warnings, memoryWarnings(a)...)
		r.Blocks = append(r.Blocks, holderBlock(a, folder, top), unusedBlock(a))
		if a.OOM != nil {
			r.Tone, r.Outcome = report.Bad, report.Found
		}
	}
	main := answers[0]
	r.Figures = []report.Figure{
		{Name: "peak", Value: human.Memory(main.PeakBytes), Note: human.Plural(main.Blocks, "block")},
		{Name: "reserved", Value: human.Memory(main.ReservedBytes), Note: "by the allocator, at the end"},
		{Name: "unused", Value: human.Memory(main.UnusedBytes), Note: "of it; largest piece " +
			human.Memory(main.LargestFree)},
	}
	return r
}

// memorySentences say what made the program run out of memory, or else who held most.
func memorySentences(a snapshot.Answer, folder string) (out []string) {
	if o := a.OOM; o != nil {
		where := ""
		if len(o.Stack) > 0 {
			where = " at " + shownFrame(o.Stack[0], folder)
		}
		out = append(out, fmt.Sprintf("The program ran out of memory%s: it asked for %s with %s in use.", where,
			human.Memory(o.Bytes), human.Memory(o.InUseBytes)))
		if o.Fragmented {
			out = append(out, fmt.Sprintf("The allocator held %s of free memory, but no piece larger than %s: set "+
				"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
				human.Memory(a.ReservedBytes-o.InUseBytes), human.Memory(a.LargestFree)))
		}
	}
	var grow []snapshot.Holder
	var grown int64
	for _, h := range a.Holders {
		if h.Grows {
			grow = append(grow, h)
			grown += h.Bytes
		}
	}
	switch {
	case 4*grown > a.PeakBytes:
		h := grow[0]
		text := fmt.Sprintf("Memory allocated at %s is kept and grows step by step: %s at the peak (%s)",
			shownFrame(h.Frame, folder), human.Memory(h.Bytes), human.Percent(part(h.Bytes, a.PeakBytes)))
		if len(grow) > 1 {
			text += fmt.Sprintf(", with %s %s (%s)", human.Plural(len(grow)-1, "other line"), human.Memory(grown),
				human.Percent(part(grown, a.PeakBytes)))
		}
		out = append(out, text+".")
		if len(h.Callers) > 0 {
			out = append(out, fmt.Sprintf("Look for what keeps these tensors alive in its caller, %s: a list of losses or "+
				"outputs, a graph that is never freed.", shownFrame(h.Callers[0], folder)))
		}
	case len(a.Holders) > 0:
		h := a.Holders[0]
		out = append(out, fmt.Sprintf("At the peak of %s, %s (%s) was allocated at %s.", human.Memory(a.PeakBytes),
			human.Memory(h.Bytes), human.Percent(part(h.Bytes, a.PeakBytes)), shownFrame(h.Frame, folder)))
	default:
		out = append(out, "No memory was in use.")
	}
	return out
}

func memoryWarnings(a snapshot.Answer) (out []string) {
	if a.Changes == 0 {
		return []string{"The snapshot has no history, so the peak is unknown: this is the end. Call " +
			"torch.cuda.memory._record_memory_history() at the start of the program."}
	}
	if !a.Complete {
		out = append(out, "The recording began after the first allocations, or its buffer overflowed: earlier allocations "+
			"have no line.")
	}
	return out
}

func holderBlock(a snapshot.Answer, folder string, top int) report.Block {
	t := &report.Table{Columns: []report.Column{
		{Name: "Memory", Right: true},
		{Name: "Share", Right: true},
		{Name: "Blocks", Right: true},
		{Name: "Allocated at"},
		{Name: "Called from"},
		{Name: "Grows"},
	}}
	n := len(a.Holders)
	if top >= 0 {
		n = min(n, max(top, 1))
	}
	for _, h := range a.Holders[:n] {
		caller, grows := "", ""
		if len(h.Callers) > 0 {
			caller = shownFrame(h.Callers[0], folder)
		}
		if h.Grows {
			grows = "yes"
		}
		t.Rows = append(t.Rows, []string{
			human.Memory(h.Bytes), human.Percent(part(h.Bytes, a.PeakBytes)),
			human.Count(h.Blocks), shownFrame(h.Frame, folder), caller, grows,
		})
	}
	return report.Block{Heading: fmt.Sprintf("Who held the memory of GPU %d at its peak", a.Device), Table: t}
}

func unusedBlock(a snapshot.Answer) report.Block {
	return report.Block{Heading: fmt.Sprintf("The allocator of GPU %d at the end", a.Device), Table: &report.Table{
		Columns: []report.Column{{Name: ""}, {Name: "", Right: true}},
		Rows: [][]string{
			{"reserved", human.Memory(a.ReservedBytes)},
			{"in use", human.Memory(a.AllocatedBytes)},
			{"free, in pieces", human.Memory(a.UnusedBytes)},
			{"largest free piece", human.Memory(a.LargestFree)},
			{"lost to rounding", human.Memory(a.RoundingBytes)},
		},
	}}
}

func part(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }

// shownFrame is a line of the program, without the folder that all lines share.
func shownFrame(f snapshot.Frame, folder string) string {
	f.File = strings.TrimPrefix(f.File, folder)
	return human.Line(f.String())
}

// commonFolder is the folder that all holders' files lie in, with its slash.
func commonFolder(answers []snapshot.Answer) string {
	folder, first := "", true
	for _, a := range answers {
		for _, h := range a.Holders {
			if h.File == "" {
				continue
			}
			dir := filepath.ToSlash(filepath.Dir(h.File)) + "/"
			if first {
				folder, first = dir, false
			}
			for folder != "" && !strings.HasPrefix(dir, folder) {
				cut := strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')
				folder = folder[:cut+1]
			}
		}
	}
	return folder
}
