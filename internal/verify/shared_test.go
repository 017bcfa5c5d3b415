package verify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"saturate/internal/run"
	"saturate/internal/stat"
)

// Candidates that change nothing, compared with one baseline on machines of every kind. Each comparison alone must err
// as rarely as it says, though it shares its baseline with the others, and after Holm's correction so must all of them
// together.
func TestSharedBaselineKeepsItsLevel(t *testing.T) {
	const (
		candidates = 4
		pairs      = 8 // the fewest that can be significant among four
	)
	families := 30
	if accepting() {
		families = 400
	}
	var all level
	for name, m := range machines(2) {
		var here level
		for i := range families {
			here.family(nullFamily(t, m, uint64(i), candidates, pairs))
		}
		all.tests, all.alone, all.families, all.together = all.tests+here.tests, all.alone+here.alone, all.families+here.families, all.together+here.together
		t.Logf("%-11s %v", name, here)
		if here.tooHigh() {
			t.Errorf("%s: %v", name, here)
		}
	}
	t.Logf("altogether  %v", all)
	if all.tooHigh() {
		t.Errorf("altogether: %v", all)
	}
}

// level counts how often tests of nothing find something.
type level struct{ tests, alone, families, together int }

func (l *level) family(p []float64) {
	l.families++
	for _, one := range p {
		l.tests++
		if one <= stat.Alpha {
			l.alone++
		}
	}
	if adjusted, err := stat.Holm(p); err != nil || slices.Min(adjusted) <= stat.Alpha {
		l.together++
	}
}

func (l level) String() string {
	return fmt.Sprintf("%d of %d tests alone (%.1f%%), %d of %d families after Holm (%.1f%%)",
		l.alone, l.tests, 100*float64(l.alone)/float64(l.tests), l.together, l.families, 100*float64(l.together)/float64(l.families))
}

// tooHigh allows for chance: three standard errors, those of the families, whose tests resemble each other.
func (l level) tooHigh() bool {
	most := stat.Alpha + 3*math.Sqrt(stat.Alpha*(1-stat.Alpha)/float64(l.families))
	return float64(l.alone) > most*float64(l.tests) || float64(l.together) > most*float64(l.families)
}

// nullFamily compares candidates that change nothing with one baseline, and gives their p.
func nullFamily(t *testing.T, m *machine, seed uint64, candidates, pairs int) (p []float64) {
	t.Helper()
	m.wandered, m.runs = 0, 0
	var parts []Part
	for c := range candidates {
		parts = append(parts, Part{Plan: Plan{
			Before: Variant{Name: "without", Command: []string{"without"}},
			After:  Variant{Name: "with", Command: []string{fmt.Sprint("with ", c)}},
			Pairs:  pairs, Steps: DefaultSteps, Seed: seed,
		}})
	}
	results, err := Together(context.Background(), parts, Options{Execute: func(_ context.Context, trial Trial) (run.Run, error) {
		return m.train(0.1, trial.Steps), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		p = append(p, r.P)
	}
	return p
}
