package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/human"
)

// Ranks puts the ranks of one job side by side.
type Ranks struct {
	World      int    `json:"world"`              // ranks seen
	JobSize    int    `json:"job_size,omitempty"` // ranks of the job, where the traces tell
	Sentence   string `json:"sentence,omitempty"` // which rank holds the job up, and how the ranks differ; empty with Notes
	Slowest    int    `json:"slowest"`            // the rank that the others wait for; -1 when none does, or the traces do not tell
	SkewNS     int64  `json:"skew_ns"`            // how much longer it computes in a step than the fastest
	Explained  int    `json:"explained"`          // the rank that the rest of the document is about
	Recordings int    `json:"recordings"`         // of each rank; the last is looked at
	Rows       []Rank `json:"rows"`

	Matched int     `json:"matched"`          // collectives found on several ranks
	Apart   int     `json:"apart,omitempty"`  // those that have the same place on several ranks, and times that cannot be those of one
	Late    *Late   `json:"late,omitempty"`   // the rank that the others wait for most, by those collectives, and why
	Groups  []Group `json:"groups,omitempty"` // what the collectives of each process group took
	Link    *Link   `json:"slow_link,omitempty"`
	Turns   *Turns  `json:"turns,omitempty"`

	// Notes say why the traces may not be the ranks of one job. Nobody waits for anybody then.
	Notes []string `json:"notes,omitempty"`

	worst int // the rank worth explaining; -1 when all are alike
}

// Rank is one rank in figures.
type Rank struct {
	Rank            int        `json:"rank"`                     // number of the rank
	Path            string     `json:"path"`                     // its trace
	Steps           int        `json:"steps"`                    // steps in the trace
	StepNS          int64      `json:"step_ns"`                  // mean
	BusyRatio       float64    `json:"busy_ratio"`               // share of the time in which the GPU was busy
	ComputeNS       int64      `json:"compute_ns"`               // per step, as the rest
	CommunicationNS int64      `json:"communication_ns"`         // of the GPU; without one, from a collective's call to its end
	ExposedNS       int64      `json:"exposed_communication_ns"` // communication while nothing was computed
	DataLoadingNS   int64      `json:"data_loading_ns"`          // that the GPU waits; without a GPU, that the loader takes
	IdleNS          int64      `json:"gpu_idle_ns"`              // the GPU was idle
	Bottleneck      Bottleneck `json:"bottleneck"`
	LastIn          int        `json:"last_in"`        // matched collectives in which it arrived last
	WaitedNS        int64      `json:"waited_ns"`      // for others in matched collectives
	MadeWaitNS      int64      `json:"made_wait_ns"`   // each of the others, on average, by what it did itself
	ClockNS         int64      `json:"clock_ahead_ns"` // of the first rank's; taken out before ranks are compared
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

// chooseRank is the place of the rank to explain: the one asked for, else the worst, else
// the first.
func chooseRank(all []kept, asked, worst int) (int, error) {
	wanted := asked
	if asked < 0 {
		wanted = worst
	}
	if wanted < 0 {
		return 0, nil
	}
	var known []string
	for i := range all {
		if all[i].rank(i) == wanted {
			return i, nil
		}
		known = append(known, fmt.Sprint(all[i].rank(i)))
	}
	if len(known) == 1 {
		return 0, fmt.Errorf("there is no rank %d: the trace is from rank %s", asked, known[0])
	}
	return 0, fmt.Errorf("there is no rank %d: the traces are from ranks %s", asked, strings.Join(known, ", "))
}

// lastRecording picks the last of several recordings of one job: a profiler that records in
// cycles writes a file for each rank and cycle. Those of a rank come in the order of time;
// where they are not such recordings, all are kept.
func lastRecording(all []kept) (last []kept, recordings int) {
	of := map[int][]kept{}
	for _, k := range all {
		of[k.meta.Rank] = append(of[k.meta.Rank], k)
	}
	recordings = len(all)
	for _, list := range of {
		recordings = min(recordings, len(list))
	}
	if len(of) == 1 && recordings > 1 && oneProcess(all) {
		latest := slices.MaxFunc(all, func(a, b kept) int { return cmp.Compare(a.recorded.Start, b.recorded.Start) })
		return []kept{latest}, recordings
	}
	if len(of) < 2 || recordings < 2 {
		return all, 1
	}
	for cycle := range recordings {
		last = nil
		for _, rank := range slices.Sorted(maps.Keys(of)) {
			last = append(last, of[rank][cycle])
		}
		if doubtRanks(last) != nil {
			return all, 1
		}
	}
	return last, recordings
}

// oneProcess reports whether traces are recordings of one process, one after the other.
func oneProcess(all []kept) bool {
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b kept) int { return cmp.Compare(a.recorded.Start, b.recorded.Start) })
	for i, k := range order {
		if k.process == 0 || k.meta.Base == 0 || k.process != order[0].process || k.meta.Host != order[0].meta.Host || i > 0 && k.recorded.Start < order[i-1].recorded.End {
			return false
		}
	}
	return true
}

// doubtRanks says why traces may not be the ranks of one job: a profiler that records several cycles writes
// several files of one process, and a folder may hold the recordings of several days.
func doubtRanks(all []kept) []string {
	const advice = "; to compare two of them, use `saturate compare A B`"
	seen := map[int]bool{}
	latest, earliest := int64(math.MinInt64), int64(math.MaxInt64)
	dated := true
	for _, k := range all {
		if rank := k.meta.Rank; rank >= 0 && seen[rank] {
			return []string{fmt.Sprintf("several traces are from rank %d: they are recordings of one process, not the ranks of one job%s", rank, advice)}
		}
		seen[k.meta.Rank] = true
		dated = dated && k.meta.Base != 0
		latest, earliest = max(latest, k.recorded.Start), min(earliest, k.recorded.End)
	}
	if dated && latest > earliest {
		return []string{"the traces were recorded at different times, so they are probably not ranks of one job" + advice}
	}
	return nil
}

// sideBySide sums each rank up, and finds the one that the others wait for. Where the ranks' collectives can be
// matched, they tell who arrived last in each, and what it did before. Where not, the rank that spends least time in
// collectives is the one that the others wait for.
func sideBySide(all []kept, doubts []string) *Ranks {
	r := &Ranks{World: len(all), Slowest: -1, Notes: doubts, worst: -1}
	for i := range all {
		r.JobSize = max(r.JobSize, all[i].meta.World)
		r.Rows = append(r.Rows, rowOf(&all[i].a, all[i].rank(i)))
	}
	if len(r.Notes) > 0 || len(r.Rows) < 2 {
		return r
	}
	r.meet(all)
	slow, fast := extremes(r.Rows, func(x Rank) int64 { return -x.CommunicationNS })
	// A difference of less than a fiftieth of a step is noise.
	if l := r.Late; l != nil && 50*l.WaitNS > r.Rows[r.at(l.Rank)].StepNS && l.WaitNS > 0 {
		r.Slowest, r.SkewNS = l.Rank, l.WaitNS
		slow = r.Rows[r.at(l.Rank)]
		others := slices.DeleteFunc(slices.Clone(r.Rows), func(x Rank) bool { return x.Rank == l.Rank })
		fast, _ = extremes(others, func(x Rank) int64 { return x.WaitedNS })
	} else if skew := fast.CommunicationNS - slow.CommunicationNS; l == nil && r.JobSize <= len(all) && skew*50 > slow.StepNS && skew > 0 {
		r.Slowest, r.SkewNS = slow.Rank, skew
	}
	r.worst, r.Sentence = r.differ(slow, fast)
	slices.SortStableFunc(r.Rows, func(a, b Rank) int { return a.Rank - b.Rank })
	return r
}

// at is where in the rows a rank stands.
func (r *Ranks) at(rank int) int {
	return slices.IndexFunc(r.Rows, func(x Rank) bool { return x.Rank == rank })
}

// meet matches the ranks' collectives. The rows stand in the order of the traces.
func (r *Ranks) meet(all []kept) {
	lists := make([][]meeting, len(all))
	steps := int64(1)
	for i := range all {
		lists[i] = all[i].meetings
		steps = max(steps, int64(r.Rows[i].Steps))
	}
	list, clocks, apart := matched(lists)
	r.Matched, r.Apart = len(list), apart
	if len(list) == 0 {
		return
	}
	for i := range list {
		list[i].part = list[i].talk.size == 0 && r.JobSize > len(all) // who takes part is not said, and not all are here
	}
	of, counted := blamed(list, clocks)
	for i := range list {
		x := &list[i]
		r.Rows[x.who[x.last]].LastIn++
		for k, rank := range x.who {
			r.Rows[rank].WaitedNS += max(0, x.seen[k].end-x.seen[k].start-x.took)
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.WaitedNS /= steps
		row.ClockNS = clocks[i]
		if b := of[i]; b != nil {
			row.MadeWaitNS = b.wait / counted
		}
	}
	if r.Late = latest(list, of, counted); r.Late != nil {
		r.Late.Rank = r.Rows[r.Late.Rank].Rank
	}
	r.Groups = groupsOf(list, steps)
	for i := range r.Groups {
		r.Groups[i].LastRank = r.Rows[r.Groups[i].LastRank].Rank
	}
	r.Link = slowLink(list, steps, r.Rows)
	r.Turns = turns(list, steps, r.Rows[0].StepNS)
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
