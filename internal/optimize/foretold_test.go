package optimize

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/stat"
)

// What was predicted stands beside what was measured; a fix without either is left out.
func TestForetold(t *testing.T) {
	nan := stat.Number(math.NaN())
	r := Result{State: t.TempDir(), Ladder: []Rung{
		{
			Candidate: Candidate{ID: "loader", Predicted: &Forecast{Question: "loader=free", Seconds: 0.16, Low: 0.14, High: 0.2}},
			Before:    1, After: 0.15, Pairs: 6, Interval: stat.Interval{Lo: 0.145, Hi: 0.155},
		},
		{Candidate: Candidate{ID: "SAT401", Predicted: &Forecast{Question: "precision=bf16", Seconds: 0.1}}, Before: 0.15, After: 0.08, Pairs: 1, Interval: stat.Interval{Lo: nan, Hi: nan}},
		{Candidate: Candidate{ID: "SAT406"}, Before: 0.1, After: 0.09, Pairs: 6},
		{Candidate: Candidate{ID: "SAT411", Predicted: &Forecast{Seconds: 1}}, Before: nan, After: nan},
	}}
	list := r.Foretold()
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	if one := list[0]; one.Record.LowNS != 145e6 || one.Record.HighNS != 155e6 || math.Abs(one.Error-(160.0/155-1)) > 1e-9 {
		t.Errorf("%+v", one)
	}
	if list[1].Error != 0.25 || math.Abs(MedianError(list)-(1.0/15+0.25)/2) > 1e-9 {
		t.Errorf("%+v, median %g", list[1], MedianError(list))
	}
	path, err := r.KeepPredictions()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || path != filepath.Join(r.State, PredictionsFile) || strings.Count(string(text), "\n") != 2 || !strings.Contains(string(text), `"repairs":["loader=free"],"predicted_ns":160000000`) {
		t.Errorf("%s: %v\n%s", path, err, text)
	}
	if path, err := (Result{State: t.TempDir()}).KeepPredictions(); path != "" || err != nil {
		t.Errorf("%q, %v", path, err)
	}
}
