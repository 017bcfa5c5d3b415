package optimize

import (
	"slices"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/rule"
)

// A short wait for data is a reason to skip repairs of loading and copying, and of nothing else.
func TestOnlyData(t *testing.T) {
	for _, tt := range []struct {
		codes []string
		only  bool
	}{
		{[]string{"SAT106"}, true},
		{[]string{"SAT201", "SAT203", "SAT311"}, true},
		{[]string{"SAT101", "SAT104"}, true},
		{[]string{"SAT312"}, false}, // also what the host does
		{[]string{"SAT401"}, false},
		{[]string{"SAT407"}, false}, // the optimizer
		{[]string{"SAT201", "SAT407"}, false},
	} {
		if got := (Candidate{Codes: tt.codes}).onlyData(); got != tt.only {
			t.Errorf("%v shorten only the wait for data: %t", tt.codes, got)
		}
	}
	for _, r := range rule.All() {
		if slices.Contains(r.Areas, finding.OptimizerArea) && (Candidate{Codes: []string{r.Code}}).onlyData() {
			t.Errorf("%s shortens the optimizer and would be skipped for a short wait for data", r.Code)
		}
	}
}

// Where workers take much of the CPU, a short wait for data is not why a repair of loading saves little.
func TestNotTriedBesideWorkers(t *testing.T) {
	list := []Candidate{
		{ID: "loader", Codes: []string{"SAT202"}, Share: 0.015, Saves: 0.015},
		{ID: "offline", Codes: []string{"SAT128"}, Share: 0.07, Saves: 0.001},
	}
	p := &protocol{result: Result{Candidates: list}}
	var because []string
	for _, r := range p.notTried(&Baseline{Shares: Shares{Data: 0.015, Workers: 0.055}}, list) {
		because = append(because, r.Because)
	}
	want := []string{
		"not worth trying: waiting for data now takes 1.5% of a step",
		"not worth trying: it would save 0.1% of a step",
	}
	if !slices.Equal(because, want) {
		t.Errorf("%q, want %q", because, want)
	}
}
