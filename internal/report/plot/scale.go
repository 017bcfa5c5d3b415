package plot

import (
	"math"
	"slices"

	"saturate/internal/human"
)

// scale maps values to positions of the drawing.
type scale struct {
	lo, hi   float64 // values
	from, to float64 // positions
	log      bool
	ticks    []float64
	unit     human.Scale
	plain    string // the unit without prefix
}

// newScale makes a scale whose ends and ticks are round numbers, with about want ticks.
func newScale(unit string, lo, hi, from, to float64, want int) scale {
	lo, hi = widen(lo, hi)
	step := niceStep((hi - lo) / float64(max(want, 1)))
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	s := scale{lo: first * step, hi: last * step, from: from, to: to, plain: unit}
	for i := 0.0; i <= last-first && i <= 50; i++ {
		s.ticks = append(s.ticks, (first+i)*step)
	}
	s.unit = human.NewScale(unit, s.lo, s.hi)
	s.unit = s.unit.WithDecimals(int(math.Ceil(-math.Log10(step/s.unit.Factor()) - 1e-9)))
	return s
}

// newLogScale is a scale over powers of ten; values must be positive.
func newLogScale(unit string, lo, hi, from, to float64, want int) scale {
	first, last := math.Floor(math.Log10(lo)+1e-9), math.Ceil(math.Log10(hi)-1e-9)
	if first == last {
		last++
	}
	s := scale{lo: math.Pow(10, first), hi: math.Pow(10, last), from: from, to: to, log: true, plain: unit}
	every := max(1, math.Ceil((last-first)/float64(max(want, 1))))
	for e := first; e <= last; e += every {
		s.ticks = append(s.ticks, math.Pow(10, e))
	}
	return s
}

// at is the position of a value. A value beyond the ends sits on the end.
func (s scale) at(v float64) float64 {
	v = min(max(v, s.lo), s.hi)
	share := (v - s.lo) / (s.hi - s.lo)
	if s.log {
		share = (math.Log(v) - math.Log(s.lo)) / (math.Log(s.hi) - math.Log(s.lo))
	}
	return s.from + share*(s.to-s.from)
}

// label writes a tick. Ticks of a linear scale share one prefix, those of a logarithmic one need their own.
func (s scale) label(v float64) string {
	if s.log {
		return shortest(v, s.plain)
	}
	return s.unit.Number(v)
}

// widen gives an empty range some room, and takes care that it is not too small to divide.
func widen(lo, hi float64) (float64, float64) {
	if hi-lo > 1e-9*max(math.Abs(lo), math.Abs(hi)) {
		return lo, hi
	}
	switch {
	case lo == 0 && hi == 0:
		return 0, 1
	case lo >= 0:
		return 0, hi * 1.25
	default:
		return lo * 1.25, max(0, hi)
	}
}

// niceStep is the round number (1, 2 or 5 times a power of ten) nearest to a step.
func niceStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	round := []float64{1, 2, 5, 10}
	for i, m := range round[:3] {
		if step <= power*math.Sqrt(m*round[i+1]) {
			return m * power
		}
	}
	return 10 * power
}

// sight is the part of the values that an axis shows.
type sight struct {
	lo, hi  float64
	max     float64 // of all values
	beyond  int     // values above hi
	nothing bool
}

// look chooses the range for sorted series. A few values far above all others (the first step of a run,
// say) would squeeze the rest into a line: they are left beyond the end, counted and named in a remark.
func look(sorted ...[]float64) sight {
	s := sight{lo: math.Inf(1), hi: math.Inf(-1), max: math.Inf(-1), nothing: true}
	for _, v := range sorted {
		if len(v) == 0 {
			continue
		}
		s.nothing = false
		s.lo, s.max = min(s.lo, v[0]), max(s.max, v[len(v)-1])
		s.hi = max(s.hi, fence(v))
	}
	if s.nothing {
		return sight{nothing: true}
	}
	if s.max <= 1.6*s.hi || s.hi <= s.lo {
		s.hi = s.max
	}
	for _, v := range sorted {
		at, _ := slices.BinarySearch(v, s.hi)
		for at < len(v) && v[at] == s.hi {
			at++
		}
		s.beyond += len(v) - at
	}
	if s.lo > 0 && s.lo <= 0.6*s.hi {
		s.lo = 0 // near enough to zero to show the true proportions
	} else if pad := (s.hi - s.lo) * 0.04; s.lo > 0 {
		s.lo, s.hi = max(0, s.lo-pad), s.hi+pad
	}
	return s
}

// fence is where the bulk of sorted values ends: the largest one, unless it is far out.
func fence(v []float64) float64 {
	largest := v[len(v)-1]
	if len(v) < 12 {
		return largest
	}
	q1, q3 := v[len(v)/4], v[3*len(v)/4]
	limit := q3 + 8*max(q3-q1, 0.02*math.Abs(q3))
	at, _ := slices.BinarySearch(v, limit)
	if at == 0 || at == len(v) {
		return largest
	}
	return v[at-1]
}

// remark says what lies beyond the end.
func (s sight) remark(unit, noun string) string {
	if s.beyond == 0 {
		return ""
	}
	values := human.Plural(s.beyond, noun, noun+"s")
	if s.beyond == 1 {
		return values + " of " + human.Value(s.max, unit) + " is off the axis, drawn at its edge"
	}
	return values + " are off the axis (up to " + human.Value(s.max, unit) + "), drawn at its edge"
}
