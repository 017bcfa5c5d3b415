package analyze

import (
	"slices"

	"saturate/internal/finding"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// withoutStraggler predicts the job's step if the slowest rank were as fast as the others: then collectives take as long as on the rank that came last,
// which waited for nobody, and the slowest of the other ranks sets the pace. It is nothing where the ranks' collectives do not match.
func withoutStraggler(views []*view, all []Analysis, slowest int, found []finding.Finding) (p whatif.Prediction, ok bool) {
	if slowest < 0 {
		return p, false
	}
	var lists [][]trace.EventID
	for _, v := range views {
		if v.graph == nil {
			return p, false
		}
		lists = append(lists, v.graph.Collectives())
		if len(lists[0]) == 0 || len(lists[len(lists)-1]) != len(lists[0]) {
			return p, false
		}
	}
	alone := make([]int64, len(lists[0]))
	for k := range alone {
		for i, v := range views {
			if ns := v.t.Duration(lists[i][k]); i == 0 || ns < alone[k] {
				alone[k] = ns
			}
		}
	}
	set, err := whatif.Ask("straggler=none")
	if err != nil {
		return p, false
	}
	for i, v := range views {
		if number(all, i) == slowest {
			continue
		}
		at := make(map[trace.EventID]int64, len(alone))
		for k, id := range lists[i] {
			at[id] = alone[k]
		}
		v.graph.Alone(func(id trace.EventID) (int64, bool) { ns, ok := at[id]; return ns, ok })
		model, err := v.graph.NewModel(v.stepMean(), v.opt.Untraced)
		if err != nil {
			return p, false
		}
		q, err := model.Predict(set)
		if err != nil {
			continue
		}
		if !ok || shortest(q) > shortest(p) {
			p, ok = q, true
		}
	}
	for _, f := range found {
		if slices.ContainsFunc(finding.Lookup(f.Code), func(r finding.Rule) bool { return slices.Contains(r.WhatIf, set[0].Name()) }) {
			p.Rules = append(p.Rules, f.Code)
		}
	}
	return p, ok
}
