package run

import (
	"slices"

	"saturate/internal/stat"
)

// Other is the part of a step that no named part accounts for.
const Other = "other"

// Other is what the parts leave of the step's seconds. Parts that overlap may leave nothing.
func (s Step) Other() float64 {
	rest := s.Seconds
	for _, p := range s.Parts {
		if p.Name != Other {
			rest -= p.Seconds
		}
	}
	return max(0, rest)
}

// Part is the seconds of one part of the step, Other included.
func (s Step) Part(name string) (seconds float64) {
	if name == Other {
		return s.Other()
	}
	for _, p := range s.Parts {
		if p.Name == name {
			seconds += p.Seconds
		}
	}
	return seconds
}

// Parts splits steps into their parts: one series for each part, in the order of the loop and with
// Other last, with one value for each step. A step without a part spent no time in it.
// It is empty when no step has parts.
func Parts(steps []Step) []stat.Series {
	var names []string
	for _, step := range steps {
		for i, p := range step.Parts {
			if p.Name == Other || slices.Contains(names, p.Name) {
				continue
			}
			// A part that shows up late, such as the optimizer under accumulation, goes after the one it follows.
			at := 0
			if i > 0 {
				at = slices.Index(names, step.Parts[i-1].Name) + 1
			}
			names = slices.Insert(names, at, p.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	series := make([]stat.Series, len(names)+1)
	for i, name := range append(names, Other) {
		series[i] = stat.Series{Name: name, Unit: "s/it", Values: make([]float64, len(steps))}
	}
	for i, step := range steps {
		for _, p := range step.Parts {
			if p.Name != Other {
				series[slices.Index(names, p.Name)].Values[i] += p.Seconds
			}
		}
		series[len(names)].Values[i] = step.Other()
	}
	return series
}

// sumParts is what all steps together spent in each part, Other last.
func sumParts(steps []Step) []Part {
	parts := MeanParts(steps)
	for i := range parts {
		parts[i].Seconds *= float64(len(steps))
	}
	return parts
}

// MeanParts is how the average step splits: the mean seconds of each part, Other last.
func MeanParts(steps []Step) []Part {
	var parts []Part
	for _, series := range Parts(steps) {
		parts = append(parts, Part{series.Name, float64(stat.Summarize(series).Mean)})
	}
	return parts
}
