package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"saturate/internal/trace"
)

// Ranks puts the ranks of one job side by side.
type Ranks struct {
	World     int    `json:"world"`     // ranks seen
	Slowest   int    `json:"slowest"`   // the rank that the others wait for; -1 when nobody does
	SkewNS    int64  `json:"skew_ns"`   // how much longer it computes in a step than the fastest
	Explained int    `json:"explained"` // the rank that the rest of the document is about
	Rows      []Rank `json:"rows"`

	// Notes say why the traces may not be the ranks of one job. Nobody waits for anybody then.
	Notes []string `json:"notes,omitempty"`
}

// Rank is one rank in figures.
type Rank struct {
	Rank            int        `json:"rank"`
	Path            string     `json:"path"`
	Steps           int        `json:"steps"`
	StepNS          int64      `json:"step_ns"` // mean
	BusyRatio       float64    `json:"busy_ratio"`
	ComputeNS       int64      `json:"compute_ns"` // per step, as the rest
	CommunicationNS int64      `json:"communication_ns"`
	ExposedNS       int64      `json:"exposed_communication_ns"`
	DataLoadingNS   int64      `json:"data_loading_ns"` // that the GPU waits; without a GPU, that the loader takes
	IdleNS          int64      `json:"gpu_idle_ns"`
	Bottleneck      Bottleneck `json:"bottleneck"`
}

// number is the rank of a trace, or its place when it does not tell.
func number(all []Analysis, i int) int {
	if r := all[i].Trace.Rank; r >= 0 {
		return r
	}
	return i
}

// chooseRank is the place of the rank to explain: the one asked for, else the one that the
// others wait for, else the first.
func chooseRank(all []Analysis, asked, slowest int) (int, error) {
	wanted := asked
	if asked < 0 {
		wanted = slowest
	}
	if wanted < 0 {
		return 0, nil
	}
	var known []string
	for i := range all {
		if number(all, i) == wanted {
			return i, nil
		}
		known = append(known, fmt.Sprint(number(all, i)))
	}
	if len(known) == 1 {
		return 0, fmt.Errorf("there is no rank %d: the one trace is of rank %s", asked, known[0])
	}
	return 0, fmt.Errorf("there is no rank %d among the traces: they are of the ranks %s", asked, strings.Join(known, ", "))
}

// doubtRanks says why traces may not be the ranks of one job: a profiler that records several cycles writes
// several files of one process, and a folder may hold the recordings of several days.
func doubtRanks(traces []*trace.Trace) []string {
	const advice = "; `saturate compare A B` compares two of them"
	seen := map[int]bool{}
	latest, earliest := int64(math.MinInt64), int64(math.MaxInt64)
	dated := true
	for _, t := range traces {
		if rank := t.Meta().Rank; rank >= 0 && seen[rank] {
			return []string{fmt.Sprintf("several traces are of rank %d: they are recordings of one process, not the ranks of one job%s", rank, advice)}
		}
		seen[t.Meta().Rank] = true
		dated = dated && t.Meta().Base != 0
		latest, earliest = max(latest, t.Absolute(t.Window().Start)), min(earliest, t.Absolute(t.Window().End))
	}
	if dated && latest > earliest {
		return []string{"the traces were not all recorded at the same time: they may not be the ranks of one job" + advice}
	}
	return nil
}

// sideBySide sums each rank up. All ranks wait for the last to reach a collective; so the
// rank that the others wait for is the one that spends least time in them.
func sideBySide(all []Analysis, doubts []string) *Ranks {
	r := &Ranks{World: len(all), Slowest: -1, Notes: doubts}
	for i := range all {
		a := &all[i]
		row := Rank{Rank: number(all, i), Path: a.Trace.Path, Steps: len(a.Steps), Bottleneck: a.Verdict.Bottleneck}
		n := int64(max(1, len(a.Steps)))
		mean := Mean(a.Steps)
		row.StepNS, row.DataLoadingNS = mean.NS(), mean.DataLoadingNS
		if len(a.GPUs) == 0 {
			row.Steps, row.StepNS, row.DataLoadingNS = a.Window.Steps, a.all.stepNS, a.all.loaderNS
		}
		for _, g := range a.GPUs {
			row.ComputeNS += g.Span.ComputeNS / n
			row.IdleNS += g.Span.IdleNS / n
			row.BusyRatio += g.BusyRatio / float64(len(a.GPUs))
		}
		if a.Communication != nil {
			row.CommunicationNS, row.ExposedNS = a.Communication.TotalNS/n, a.Communication.ExposedNS/n
		}
		r.Rows = append(r.Rows, row)
	}
	slices.SortStableFunc(r.Rows, func(a, b Rank) int { return a.Rank - b.Rank })
	slow, fast := 0, 0
	for i, row := range r.Rows {
		if row.CommunicationNS < r.Rows[slow].CommunicationNS {
			slow = i
		}
		if row.CommunicationNS > r.Rows[fast].CommunicationNS {
			fast = i
		}
	}
	// A difference of less than a fiftieth of a step is noise.
	if skew := r.Rows[fast].CommunicationNS - r.Rows[slow].CommunicationNS; len(r.Notes) == 0 && skew*50 > r.Rows[slow].StepNS && skew > 0 {
		r.Slowest, r.SkewNS = r.Rows[slow].Rank, skew
	}
	return r
}
