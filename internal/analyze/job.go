package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// Load reads one of the traces of a job; nil where the trace cannot be read and is left out.
type Load func(ctx context.Context, i int) (*trace.Trace, error)

// kept is what is kept of a rank while the others are read: its figures and its collectives, but not its events.
type kept struct {
	at       int // where Load finds it
	meta     trace.Meta
	process  int64        // of the training loop
	recorded trace.Window // since 1970, where the trace tells
	a        Analysis     // without lists
	meetings []meeting
}

// rank is the trace's rank, or its place when it does not tell.
func (k *kept) rank(place int) int {
	if k.meta.Rank >= 0 {
		return k.meta.Rank
	}
	return place
}

// Everything answers all questions about traces that are in memory; see [Job].
func Everything(ctx context.Context, traces []*trace.Trace, opt Options) (Analysis, error) {
	return Job(ctx, len(traces), func(_ context.Context, i int) (*trace.Trace, error) { return traces[i], nil }, opt)
}

// Job answers all questions about n traces. With several, one rank is explained in full and all of them are put side by
// side; they are read one after the other, so that a job of many ranks needs the memory of two. Where each rank was
// recorded several times, the last recording is looked at.
func Job(ctx context.Context, n int, load Load, opt Options) (Analysis, error) {
	if n == 0 {
		return Analysis{}, errors.New("no traces to analyze")
	}
	if n == 1 {
		v, a, err := viewFrom(ctx, load, 0, opt)
		if err != nil {
			return Analysis{}, err
		}
		if _, err := chooseRank([]kept{{meta: *v.t.Meta()}}, opt.Rank, -1); err != nil {
			return Analysis{}, err
		}
		return v.finish(a, nil)
	}
	var all []kept
	ahead := readAhead(ctx, n, load)
	defer ahead.close()
	for i := range n {
		v, k, err := keep(ctx, ahead.next, i, opt)
		if err != nil {
			return Analysis{}, err
		}
		if v != nil {
			all = append(all, k)
		}
	}
	ahead.close()
	if len(all) == 0 {
		return Analysis{}, errors.New("no traces to analyze")
	}
	inOrder(all)
	all, recordings := lastRecording(all)
	var ranks *Ranks
	worst := -1
	if len(all) > 1 {
		ranks = sideBySide(all, doubtRanks(all))
		worst = ranks.worst
	}
	chosen, err := chooseRank(all, opt.Rank, worst)
	if err != nil {
		return Analysis{}, err
	}
	v, a, err := viewFrom(ctx, load, all[chosen].at, opt)
	if err != nil {
		return Analysis{}, err
	}
	a.Trace.Rank = all[chosen].meta.Rank
	if ranks != nil {
		ranks.Explained, ranks.Recordings = all[chosen].rank(chosen), recordings
		a.Ranks = ranks
	} else {
		a.Recordings = recordings
	}
	return v.finish(a, func(found []finding.Finding) (whatif.Prediction, bool) {
		if ranks == nil {
			return whatif.Prediction{}, false
		}
		return withoutStraggler(ctx, load, opt, all, ranks, found)
	})
}

// keep reads a trace and keeps what the job needs of it.
func keep(ctx context.Context, load Load, i int, opt Options) (*view, kept, error) {
	opt.brief = true
	v, a, err := viewFrom(ctx, load, i, opt)
	if v == nil || err != nil {
		return nil, kept{}, err
	}
	w := v.t.Window()
	k := kept{
		at: i, meta: *v.t.Meta(), a: a, meetings: v.meetings(),
		recorded: trace.Window{Start: v.t.Absolute(w.Start), End: v.t.Absolute(w.End)},
	}
	if len(v.t.Tracks()) > 0 {
		k.process = v.t.Track(v.main).PID
	}
	return v, k, nil
}

// viewFrom reads a trace and answers the questions about it alone, except for the rules.
func viewFrom(ctx context.Context, load Load, i int, opt Options) (*view, Analysis, error) {
	if err := ctx.Err(); err != nil {
		return nil, Analysis{}, err
	}
	t, err := load(ctx, i)
	if t == nil || err != nil {
		return nil, Analysis{}, err
	}
	v, err := newView(t, opt)
	if err != nil {
		return nil, Analysis{}, fmt.Errorf("%s: %w", t.Meta().Path, err)
	}
	return v, v.everything(), nil
}

// inOrder sorts traces by rank, and those of one rank by time.
func inOrder(all []kept) {
	slices.SortStableFunc(all, func(a, b kept) int {
		return cmp.Or(cmp.Compare(a.meta.Rank, b.meta.Rank), cmp.Compare(a.recorded.Start, b.recorded.Start),
			cmp.Compare(a.meta.Path, b.meta.Path))
	})
	if all[len(all)-1].meta.Rank < 0 { // nothing tells the ranks: the order of the names does
		slices.SortStableFunc(all, func(a, b kept) int { return cmp.Compare(a.meta.Path, b.meta.Path) })
	}
}

// finish adds the findings and the predictions. Without says how long a step takes without a late rank.
func (v *view) finish(a Analysis, without func([]finding.Finding) (whatif.Prediction, bool)) (Analysis, error) {
	a.Findings = findings(v, &a)
	if v.graph != nil {
		path := v.graph.Path(v.replayed, v.byGPU)
		a.CriticalPath = &path
	}
	var err error
	if a.WhatIf, err = v.predictions(a.Findings); err != nil {
		return Analysis{}, err
	}
	if without != nil {
		if p, ok := without(a.Findings); ok {
			at := slices.IndexFunc(a.WhatIf, func(x whatif.Prediction) bool { return !x.Asked && len(x.Repairs) == 1 && shortest(x) > shortest(p) })
			if at < 0 {
				at = len(a.WhatIf)
			}
			a.WhatIf = slices.Insert(a.WhatIf, at, p)
		}
	}
	a.From, a.Answers = v.predictedFrom(), v.answers()
	return a, nil
}
