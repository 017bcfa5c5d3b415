package analyze

import (
	"fmt"
	"slices"
)

// Ranks puts the ranks of one job side by side.
type Ranks struct {
	World     int    `json:"world"`     // ranks seen
	Slowest   int    `json:"slowest"`   // the rank that the others wait for; -1 when nobody does
	SkewNS    int64  `json:"skew_ns"`   // how much longer it computes in a step than the fastest
	Explained int    `json:"explained"` // the rank that the rest of the document is about
	Rows      []Rank `json:"rows"`
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
	DataLoadingNS   int64      `json:"data_loading_ns"`
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
func chooseRank(all []Analysis, asked int) (int, error) {
	if asked >= 0 {
		var known []int
		for i := range all {
			if number(all, i) == asked {
				return i, nil
			}
			known = append(known, number(all, i))
		}
		slices.Sort(known)
		return 0, fmt.Errorf("there is no rank %d among the traces: they are of the ranks %v", asked, known)
	}
	if len(all) > 1 {
		if slow := sideBySide(all).Slowest; slow >= 0 {
			return chooseRank(all, slow)
		}
	}
	return 0, nil
}

// sideBySide sums each rank up. All ranks wait for the last to reach a collective; so the
// rank that the others wait for is the one that spends least time in them.
func sideBySide(all []Analysis) *Ranks {
	r := &Ranks{World: len(all), Slowest: -1}
	for i := range all {
		a := &all[i]
		row := Rank{Rank: number(all, i), Path: a.Trace.Path, Steps: len(a.Steps), Bottleneck: a.Verdict.Bottleneck}
		n := int64(max(1, len(a.Steps)))
		mean := Mean(a.Steps)
		row.StepNS, row.DataLoadingNS = mean.NS(), mean.DataLoadingNS
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
	if skew := r.Rows[fast].CommunicationNS - r.Rows[slow].CommunicationNS; len(r.Rows) > 1 && skew*50 > r.Rows[slow].StepNS && skew > 0 {
		r.Slowest, r.SkewNS = r.Rows[slow].Rank, skew
	}
	return r
}
