package view

import (
	"strings"
	"testing"

	"saturate/internal/report"
	"saturate/internal/run"
)

// One run each carries no small difference, and none at all on a busy machine: the headline is withheld.
func TestCompareWithholds(t *testing.T) {
	of := func(id string, seconds, others float64) run.Run {
		r := run.Run{ID: id, Name: id, State: run.Complete, OtherCores: others}
		for i := range 60 {
			r.Steps = append(r.Steps, run.Step{Index: i, Seconds: seconds * (1 + 0.001*float64(i%7))})
		}
		return r
	}
	for _, test := range []struct {
		name    string
		a, b    run.Run
		outcome report.Outcome
		says    string
	}{
		{"slower, at rest", of("a", 0.1, 0), of("b", 0.2, 0), report.Found, "2.00× slower"},
		{"slower, busy", of("a", 0.1, 0), of("b", 0.17, 1.5), report.Undecided, "busy with other programs"},
		{"a little slower", of("a", 0.1, 0), of("b", 0.104, 0), report.Undecided, "One run each cannot show"},
	} {
		r := CompareRuns(test.a, test.b)
		if r.Outcome != test.outcome || !strings.Contains(strings.Join(r.Summary, " "), test.says) {
			t.Errorf("%s: outcome %v, %q", test.name, r.Outcome, r.Summary)
		}
	}
}
