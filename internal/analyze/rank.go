package analyze

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/trace"
)

// Ranks puts the ranks of one job side by side.
type Ranks struct {
	World      int    `json:"world"`              // ranks seen
	Sentence   string `json:"sentence,omitempty"` // which rank holds the job up, and how the ranks differ; empty with Notes
	Slowest    int    `json:"slowest"`            // the rank that the others wait for; -1 when none does, or the traces do not tell
	SkewNS     int64  `json:"skew_ns"`            // how much longer it computes in a step than the fastest
	Explained  int    `json:"explained"`          // the rank that the rest of the document is about
	Recordings int    `json:"recordings"`         // of each rank; the last is looked at
	Rows       []Rank `json:"rows"`

	// Notes say why the traces may not be the ranks of one job. Nobody waits for anybody then.
	Notes []string `json:"notes,omitempty"`

	worst int // the rank worth explaining; -1 when all are alike
}

// Rank is one rank in figures.
type Rank struct {
	Rank            int        `json:"rank"`
	Path            string     `json:"path"`
	Steps           int        `json:"steps"`
	StepNS          int64      `json:"step_ns"` // mean
	BusyRatio       float64    `json:"busy_ratio"`
	ComputeNS       int64      `json:"compute_ns"`       // per step, as the rest
	CommunicationNS int64      `json:"communication_ns"` // of the GPU; without one, from a collective's call to its end
	ExposedNS       int64      `json:"exposed_communication_ns"`
	DataLoadingNS   int64      `json:"data_loading_ns"` // that the GPU waits; without a GPU, that the loader takes
	IdleNS          int64      `json:"gpu_idle_ns"`
	Bottleneck      Bottleneck `json:"bottleneck"`
}

// Name says how many traces these are, and where they lie: in their folder, or from the first to the last.
func (r *Ranks) Name() string {
	what := human.Plural(len(r.Rows), "rank")
	if len(r.Notes) > 0 {
		what = human.Plural(len(r.Rows), "trace")
	}
	if folder := r.Folder(); folder != "" {
		return what + " in " + folder
	}
	return fmt.Sprintf("%s, %s to %s", what, r.Rows[0].Path, r.Rows[len(r.Rows)-1].Path)
}

// Folder is where all traces lie; empty where that is not one folder, or the one in which the program runs.
func (r *Ranks) Folder() string {
	folder := filepath.Dir(r.Rows[0].Path)
	if folder == "." || slices.ContainsFunc(r.Rows, func(x Rank) bool { return filepath.Dir(x.Path) != folder }) {
		return ""
	}
	return folder
}

// number is the rank of a trace, or its place when it does not tell.
func number(all []Analysis, i int) int {
	if r := all[i].Trace.Rank; r >= 0 {
		return r
	}
	return i
}

// chooseRank is the place of the rank to explain: the one asked for, else the worst, else
// the first.
func chooseRank(all []Analysis, asked, worst int) (int, error) {
	wanted := asked
	if asked < 0 {
		wanted = worst
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
		return 0, fmt.Errorf("there is no rank %d: the trace is from rank %s", asked, known[0])
	}
	return 0, fmt.Errorf("there is no rank %d: the traces are from ranks %s", asked, strings.Join(known, ", "))
}

// lastRecording picks the last of several recordings of one job: a profiler that records in
// cycles writes a file for each rank and cycle. Those of a rank come in the order of time;
// where they are not such recordings, all are kept.
func lastRecording(traces []*trace.Trace) (last []*trace.Trace, recordings int) {
	of := map[int][]*trace.Trace{}
	for _, t := range traces {
		of[t.Meta().Rank] = append(of[t.Meta().Rank], t)
	}
	recordings = len(traces)
	for _, list := range of {
		recordings = min(recordings, len(list))
	}
	if len(of) < 2 || recordings < 2 {
		return traces, 1
	}
	for cycle := range recordings {
		last = nil
		for _, rank := range slices.Sorted(maps.Keys(of)) {
			last = append(last, of[rank][cycle])
		}
		if doubtRanks(last) != nil {
			return traces, 1
		}
	}
	return last, recordings
}

// doubtRanks says why traces may not be the ranks of one job: a profiler that records several cycles writes
// several files of one process, and a folder may hold the recordings of several days.
func doubtRanks(traces []*trace.Trace) []string {
	const advice = "; to compare two of them, use `saturate compare A B`"
	seen := map[int]bool{}
	latest, earliest := int64(math.MinInt64), int64(math.MaxInt64)
	dated := true
	for _, t := range traces {
		if rank := t.Meta().Rank; rank >= 0 && seen[rank] {
			return []string{fmt.Sprintf("several traces are from rank %d: they are recordings of one process, not the ranks of one job%s", rank, advice)}
		}
		seen[t.Meta().Rank] = true
		dated = dated && t.Meta().Base != 0
		latest, earliest = max(latest, t.Absolute(t.Window().Start)), min(earliest, t.Absolute(t.Window().End))
	}
	if dated && latest > earliest {
		return []string{"the traces were recorded at different times, so they are probably not ranks of one job" + advice}
	}
	return nil
}

// sideBySide sums each rank up. All ranks wait for the last to reach a collective; so the
// rank that the others wait for is the one that spends least time in them.
func sideBySide(all []Analysis, doubts []string) *Ranks {
	r := &Ranks{World: len(all), Slowest: -1, Notes: doubts, worst: -1}
	for i := range all {
		r.Rows = append(r.Rows, rowOf(&all[i], number(all, i)))
	}
	slices.SortStableFunc(r.Rows, func(a, b Rank) int { return a.Rank - b.Rank })
	if len(r.Notes) > 0 || len(r.Rows) < 2 {
		return r
	}
	slow, fast := extremes(r.Rows, func(x Rank) int64 { return -x.CommunicationNS })
	// A difference of less than a fiftieth of a step is noise.
	if skew := fast.CommunicationNS - slow.CommunicationNS; skew*50 > slow.StepNS && skew > 0 {
		r.Slowest, r.SkewNS = slow.Rank, skew
	}
	r.worst, r.Sentence = r.differ(slow, fast)
	return r
}

// rowOf sums up what the mean step is made of; without steps, all that the GPU did.
func rowOf(a *Analysis, number int) Rank {
	mean := Mean(a.Steps)
	row := Rank{
		Rank: number, Path: a.Trace.Path, Steps: len(a.Steps), Bottleneck: a.Verdict.Bottleneck,
		StepNS: mean.NS(), DataLoadingNS: mean.DataLoadingNS, ComputeNS: mean.ComputeNS, IdleNS: mean.GPUIdleNS(),
		CommunicationNS: a.all.talkNS, ExposedNS: mean.CommunicationNS,
	}
	g := a.MainGPU()
	if g == nil {
		row.Steps, row.StepNS, row.DataLoadingNS = a.Window.Steps, a.all.stepNS, a.all.loaderNS
		return row
	}
	row.BusyRatio = g.BusyRatio
	if len(a.Steps) == 0 {
		row.ComputeNS, row.IdleNS = g.Span.ComputeNS, g.Span.IdleNS
		if c := a.Communication; c != nil {
			row.CommunicationNS, row.ExposedNS = c.TotalNS, c.ExposedNS
		}
	}
	return row
}

// extremes are the ranks with most and least of something; the first of equals.
func extremes(rows []Rank, of func(Rank) int64) (most, least Rank) {
	most, least = rows[0], rows[0]
	for _, x := range rows[1:] {
		if of(x) > of(most) {
			most = x
		}
		if of(x) < of(least) {
			least = x
		}
	}
	return most, least
}
