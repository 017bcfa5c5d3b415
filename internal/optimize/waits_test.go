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
