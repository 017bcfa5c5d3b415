package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// workNames begin the names of series of a Run that say how much work was done, besides steps and samples.
var workNames = []string{"tokens", "audio", "samples of the data", "parameters of the model"}

// workTolerance is how far samples may differ before the work does: the last batch of an epoch may be shorter.
const workTolerance = 0.01

// differentWork says how the work of two runs differs, or nothing when it is equal as far as was recorded.
// Notes say what could not be checked.
func differentWork(a, b Outcome, by Measure) (differs string, notes []string) {
	before, after := a.Steps, b.Steps
	if by == PerStep {
		if differs := differentSteps(before, after); differs != "" {
			return differs, nil
		}
	}
	x, y := samplesOf(before), samplesOf(after)
	switch {
	case x > 0 && y > 0 && by == PerStep && apartBy(x, y) > workTolerance:
		return fmt.Sprintf("%s samples in %s before, %s after", whole(x), human.Plural(len(before), "step"), whole(y)), nil
	case by == PerSample && !(x > 0 && y > 0):
		return "--measure sample needs samples per step, but the steps do not report them", nil
	case !(x > 0 && y > 0):
		notes = append(notes, "the steps do not report their samples, so saturate cannot check that both variants train "+
			"on the same number")
	}
	if by == PerStep {
		differs = differentSeries(a, b)
	}
	if differs != "" {
		notes = nil
	}
	return differs, notes
}

// differentSteps says how the steps of two runs differ in number, epochs, skipped updates or tokens.
func differentSteps(before, after []run.Step) string {
	if len(before) != len(after) {
		return fmt.Sprintf("%s before, %d after", human.Plural(len(before), "step"), len(after))
	}
	if x, y := epochLength(before), epochLength(after); !x.mayEqual(y) {
		return fmt.Sprintf("an epoch is %s before and %s after, so the datasets differ in length", x, y)
	}
	if x, y := tagged(before, "skipped"), tagged(after, "skipped"); max(x-y, y-x) > 1 {
		return fmt.Sprintf("the gradient scaler skipped %s before, %d after", human.Plural(x, "step"), y)
	}
	if x, y := total(before, tokens), total(after, tokens); x > 0 && y > 0 && apartBy(x, y) > workTolerance {
		return fmt.Sprintf("%s tokens in %s before, %s after", whole(x), human.Plural(len(before), "step"), whole(y))
	}
	return ""
}

// differentSeries says which recorded measure of work differs.
func differentSeries(a, b Outcome) string {
	for _, s := range a.Run.Series {
		if !isWork(s.Name) {
			continue
		}
		other := slices.IndexFunc(b.Run.Series, func(o stat.Series) bool { return o.Name == s.Name })
		if other < 0 {
			continue
		}
		if x, y := sum(s.Values), sum(b.Run.Series[other].Values); apartBy(x, y) > workTolerance {
			return fmt.Sprintf("%s: %g before, %g after", s.Name, x, y)
		}
	}
	return ""
}

// whole writes a sum of counts. Sums are float64, which %g writes as 1.5e+07.
func whole(n float64) string { return human.Count(int64(math.Round(n))) }

func isWork(name string) bool {
	return slices.ContainsFunc(workNames, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
}

func tagged(steps []run.Step, tag string) (n int) {
	for _, s := range steps {
		if slices.Contains(s.Tags, tag) {
			n++
		}
	}
	return n
}

func tokens(s run.Step) float64 { return s.Tokens }

func total(steps []run.Step, of func(run.Step) float64) (sum float64) {
	for _, s := range steps {
		sum += of(s)
	}
	return sum
}

// epoch is how many steps one pass over the data takes; of one that never ended only the least is known.
type epoch struct {
	steps int
	ended bool
}

// epochLength is judged by the steps that begin an epoch.
func epochLength(steps []run.Step) epoch {
	first := -1
	for i, s := range steps {
		if !slices.Contains(s.Tags, "first-of-epoch") {
			continue
		}
		if first >= 0 {
			return epoch{i - first, true}
		}
		first = i
	}
	if first < 0 {
		return epoch{}
	}
	return epoch{len(steps) - first, false}
}

// mayEqual grants one step: a loader that fetches ahead may begin an epoch one step early.
func (e epoch) mayEqual(o epoch) bool {
	const grace = 1
	switch {
	case e.steps == 0 || o.steps == 0 || !e.ended && !o.ended:
		return true
	case e.ended && o.ended:
		return max(e.steps-o.steps, o.steps-e.steps) <= grace
	case e.ended:
		return o.steps <= e.steps+grace
	}
	return e.steps <= o.steps+grace
}

func (e epoch) String() string {
	if e.ended {
		return human.Plural(e.steps, "step")
	}
	return "more than " + human.Plural(e.steps-1, "step")
}

func sum(values []float64) float64 {
	var total float64
	for _, v := range values {
		total += v
	}
	return total
}

// apartBy is how far two amounts differ, as a share of the larger.
func apartBy(x, y float64) float64 {
	larger := max(math.Abs(x), math.Abs(y))
	if larger == 0 {
		return 0
	}
	return math.Abs(x-y) / larger
}
