package run

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
	"saturate/internal/stat"
)

// apartTags mark steps that are not ordinary ones. They are counted by themselves, since a
// checkpoint every hundred steps is neither an outlier nor an ordinary step.
var apartTags = []string{"warmup", "profiled", "evaluation", "checkpoint", "first-of-epoch", "recompilation"}

// recurring are those of them that come again for as long as the program trains: no ordinary steps, but part of its
// speed.
var recurring = []string{"evaluation", "checkpoint", "first-of-epoch"}

// atStart are the first steps. An evaluation or a checkpoint that comes there and not again shows nothing of how often
// they come later: many programs evaluate once before they train.
const atStart = 3

// Selection is the steps that a speed can be judged by, and what became of the others.
type Selection struct {
	Steps []Step
	Again []Step   // those that were left out and come again for as long as the program trains
	Apart []Apart  // in the order of apartTags, then "invalid" and "detected warm-up"
	Notes []string // what a reader must know before believing the rest
}

// Apart is a kind of step that was left out.
type Apart struct {
	Reason  string  `json:"reason"`            // warmup, evaluation, checkpoint, invalid
	Steps   int     `json:"steps"`             // number of steps
	Seconds float64 `json:"s"`                 // of all of them together
	Samples float64 `json:"samples,omitempty"` // in all of them together
	Parts   []Part  `json:"parts,omitempty"`   // of all of them together, Other last
}

// special are the apartTags that count in these steps: what most of them do (a checkpoint each, epochs of
// two steps) is the ordinary. Warm-up and the profiler never are.
func special(steps []Step) []string {
	return slices.DeleteFunc(slices.Clone(apartTags), func(tag string) bool {
		n := 0
		for _, step := range steps {
			if slices.Contains(step.Tags, tag) {
				n++
			}
		}
		return tag != "warmup" && tag != "profiled" && 2*n > len(steps)
	})
}

// Steady selects the ordinary steps: those that carry none of apartTags, took a positive time,
// and come after the warm-up that stat.WarmUp detects (the MSER rule) among the rest.
func Steady(steps []Step) Selection {
	var s Selection
	special := special(steps)
	apart := map[string]Apart{}
	leftOut := map[string][]Step{}
	leaveOut := func(reason string, step Step) {
		a := apart[reason]
		a.Reason, a.Steps = reason, a.Steps+1
		if step.valid() {
			a.Seconds, a.Samples = a.Seconds+step.Seconds, a.Samples+step.Samples
			leftOut[reason] = append(leftOut[reason], step)
			if slices.Contains(recurring, reason) {
				s.Again = append(s.Again, step)
			}
		}
		apart[reason] = a
	}

	var kept []Step
	var times []float64
	for _, step := range steps {
		reason := step.kind(special)
		if reason == "" && !step.valid() {
			reason = "invalid"
		}
		if reason != "" {
			leaveOut(reason, step)
			continue
		}
		kept, times = append(kept, step), append(times, step.Seconds)
	}

	s.Again = slices.DeleteFunc(s.Again, func(step Step) bool {
		reason := step.kind(special)
		return reason != "first-of-epoch" && apart[reason].Steps == 1 && step.Index <= atStart
	})
	warm, settled := stat.WarmUp(times)
	for _, step := range kept[:warm] {
		leaveOut("detected warm-up", step)
	}
	s.Steps = kept[warm:]
	for _, reason := range append(slices.Clone(apartTags), "invalid", "detected warm-up") {
		if a, ok := apart[reason]; ok {
			a.Parts = sumParts(leftOut[reason])
			s.Apart = append(s.Apart, a)
		}
	}
	if n := apart["invalid"].Steps; n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s no valid time and %s skipped; check the program that wrote %s",
			human.Plural(n, "step")+human.Choose(n, " has", " have"), human.Choose(n, "is", "are"), human.Choose(n, "it",
				"them")))
	}
	switch {
	case len(s.Steps) == 0:
		s.Notes = append(s.Notes, "no steady steps to measure the speed; use a longer run")
	case !settled:
		s.Notes = append(s.Notes, fmt.Sprintf("step times were still changing after half of the %d steps; use a longer run",
			len(kept)))
	}
	return s
}

// kind is the one of these tags that the step is left out for: the first that it has. Evaluations, checkpoints and
// first steps of epochs fall together at the end of an epoch, and there it is the one that took longest.
func (s Step) kind(tags []string) (kind string) {
	for _, tag := range tags {
		if !slices.Contains(s.Tags, tag) {
			continue
		}
		if kind == "" || slices.Contains(recurring, kind) && s.took(tag) > s.took(kind) {
			kind = tag
		}
	}
	return kind
}

// took is the time of a step that a recurring kind can have taken. What an evaluation loads is part of it already.
func (s Step) took(kind string) (seconds float64) {
	for _, p := range s.Parts {
		switch p.Name {
		case kind:
			seconds += p.Seconds
		case "data":
			if kind == "first-of-epoch" {
				seconds += p.Seconds
			}
		}
	}
	return seconds
}

// Recurring are the kinds of steps that were left out and come again for as long as the program trains.
func (s Selection) Recurring() []Apart {
	return slices.DeleteFunc(slices.Clone(s.Apart), func(a Apart) bool { return !slices.Contains(recurring, a.Reason) })
}

// Whole is the mean seconds and samples of a step of training: ordinary ones and those that recur.
func (s Selection) Whole() (seconds, samples float64, n int) {
	for _, step := range s.Steps {
		seconds, samples, n = seconds+step.Seconds, samples+step.Samples, n+1
	}
	for _, a := range s.Recurring() {
		seconds, samples, n = seconds+a.Seconds, samples+a.Samples, n+a.Steps
	}
	return seconds / float64(max(n, 1)), samples / float64(max(n, 1)), n
}

// valid reports whether the step took a time that can be.
func (s Step) valid() bool { return s.Seconds > 0 && !math.IsInf(s.Seconds, 1) }

// StepTimes is the seconds of each selected step.
func (s Selection) StepTimes() stat.Series {
	series := stat.Series{Name: "step", Unit: "s/it"}
	for _, step := range s.Steps {
		series.Values = append(series.Values, step.Seconds)
	}
	return series
}

// SamplesPerSecond is the speed of each selected step. It is empty unless every step tells its
// samples: a speed of some of the steps would be another quantity.
func (s Selection) SamplesPerSecond() stat.Series {
	series := stat.Series{Name: "speed", Unit: "samples/s"}
	for _, step := range s.Steps {
		if !(step.Samples > 0) {
			series.Values = nil
			return series
		}
		series.Values = append(series.Values, step.Samples/step.Seconds)
	}
	return series
}
