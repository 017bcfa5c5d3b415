package analyze

import (
	"context"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// withoutStraggler predicts the job's step if the slowest rank were as fast as the others: then collectives take as
// long as on the rank that came last, which waited for nobody, and the rank that waits least of the others sets the
// pace. It is nothing where the ranks' collectives do not match.
func withoutStraggler(ctx context.Context, load Load, opt Options, all []kept, ranks *Ranks, found []finding.Finding) (p whatif.Prediction, ok bool) {
	if ranks.Slowest < 0 || ranks.Matched == 0 {
		return p, false
	}
	pace, least := -1, int64(0)
	for i := range all {
		row := ranks.Rows[ranks.at(all[i].rank(i))]
		if row.Rank != ranks.Slowest && (pace < 0 || row.WaitedNS < least) {
			pace, least = i, row.WaitedNS
		}
	}
	if pace < 0 {
		return p, false
	}
	opt.brief = true
	v, _, err := viewFrom(ctx, load, all[pace].at, opt)
	if err != nil || v == nil || v.graph == nil {
		return p, false
	}
	alone := aloneOn(all, pace)
	at := map[trace.EventID]int64{}
	for _, id := range v.graph.Collectives() {
		ns, known := alone[v.t.Absolute(v.t.Start(id))]
		if !known {
			return p, false
		}
		at[id] = ns
	}
	if len(at) == 0 {
		return p, false
	}
	set, err := whatif.Ask("straggler=none")
	if err != nil {
		return p, false
	}
	v.graph.Alone(func(id trace.EventID) (int64, bool) { ns, ok := at[id]; return ns, ok })
	model, err := v.graph.NewModel(v.stepMean(), v.opt.Untraced)
	if err != nil {
		return p, false
	}
	if p, err = model.Predict(set); err != nil {
		return p, false
	}
	for _, f := range found {
		if slices.ContainsFunc(finding.Lookup(f.Code), func(r finding.Rule) bool { return slices.Contains(r.WhatIf, set[0].Name()) }) {
			p.Rules = append(p.Rules, f.Code)
		}
	}
	return p, true
}

// aloneOn is how long the collectives of a rank take once all have arrived, by their start.
func aloneOn(all []kept, rank int) map[int64]int64 {
	lists := make([][]meeting, len(all))
	for i := range all {
		lists[i] = all[i].meetings
	}
	list, _, _ := matched(lists)
	alone := map[int64]int64{}
	for i := range list {
		x := &list[i]
		if k := slices.Index(x.who, rank); k >= 0 {
			alone[x.seen[k].start] = min(x.took, x.seen[k].end-x.seen[k].start)
		}
	}
	return alone
}
