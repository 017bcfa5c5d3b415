package audio

import (
	"fmt"
	"math"
	"sync"
)

// What the resampler promises, in terms of the lower of the two rates' Nyquist frequency.
const (
	passbandEdge  = 0.913 // flat within passbandDB up to here, as soxr's HQ
	stopbandEdge  = 1.0   // rejected by rejectionDB from here on: nothing folds back
	passbandDB    = 0.001
	rejectionDB   = 100.0
	kernelTaps    = 32   // rows that are interpolated between are multiples of this, for the vector code
	mostPhases    = 1024 // more are interpolated between; the error is below -118 dB
	kaiserMargin  = 3.0  // dB above rejectionDB that the window is designed for
	filtersToKeep = 16
)

// filter is a low-pass sampled at every phase that the ratio of two rates needs.
type filter struct {
	taps   int
	phases int       // rows, without the one that closes the circle
	margin int       // zeros before and after each row
	rows   []float32 // (phases+1) × (margin + taps + margin)
	idle   sync.Pool // Resamplers that were used and can be used again
}

// row is the filter at a phase, with the zeros behind it where its capacity is used; shifted begins some zeros before
// it.
func (f *filter) row(phase int) []float32 { return f.shifted(phase, 0)[:f.taps] }

func (f *filter) shifted(phase, zeros int) []float32 {
	return f.rows[phase*f.wide()+f.margin-zeros : (phase+1)*f.wide()]
}

// wide is how far apart rows are.
func (f *filter) wide() int { return f.margin + f.taps + f.margin }

// coarse says that a change of rates (reduced) is made in two steps. The first gives twice the wanted rate, at
// places anywhere between two rows; its filter is short, for only what lies above 3 times the final Nyquist frequency
// would fold back into the band. The second is sharp, halves the rate and has a single row.
func coarse(from, to int) bool { return to > mostPhases && from >= 2*to }

// designFilter makes the windowed sinc for a change of rates from : to (reduced).
//
// Row p holds h(p/phases + taps/2 - 1 - k) for k = 0 … taps-1, h being the impulse response over
// input samples: the output at input time t is the dot product with the samples from
// floor(t) - taps/2 + 1 on.
func designFilter(from, to int) *filter {
	nyquist := min(1, float64(to)/float64(from)) // of the lower rate, relative to the input's
	pass, stop := passbandEdge*nyquist, stopbandEdge*nyquist
	if coarse(from, to) {
		pass, stop = nyquist, 3*nyquist
	}
	width := (stop - pass) * math.Pi
	attenuation := rejectionDB + kaiserMargin
	half := ((attenuation-7.95)/(2.285*width) + 1) / 2 // Kaiser's formula
	beta := 0.1102 * (attenuation - 8.7)

	taps := 2 * int(math.Ceil(half))
	if to > mostPhases {
		taps = (taps + kernelTaps - 1) / kernelTaps * kernelTaps
	}
	half = float64(taps) / 2 // the rounding is used, not wasted
	f := &filter{taps: taps, phases: min(to, mostPhases)}
	f.margin = (from/to + tapsAtOnce + 16) / 16 * 16 // rows of whole cache lines stay such
	f.rows = make([]float32, (f.phases+1)*f.wide())
	cut := (pass + stop) / 2
	row := make([]float64, taps)
	for p := range f.phases/2 + 1 {
		sum := 0.0
		for k := range row {
			x := float64(p)/float64(f.phases) + half - 1 - float64(k)
			row[k] = sinc(cut*x) * kaiser(x/half, beta)
			sum += row[k]
		}
		there, mirrored := f.row(p), f.row(f.phases-p) // which is the same from behind
		for k, v := range row {
			there[k] = float32(v / sum)
			mirrored[taps-1-k] = there[k]
		}
	}
	return f
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser is the window over [-1, 1], up to a factor.
func kaiser(x, beta float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel0(beta * math.Sqrt(1-x*x))
}

// bessel0 is the modified Bessel function of order 0, by its series.
func bessel0(x float64) float64 {
	sum, term, q := 1.0, 1.0, x*x/4
	for k := 1; term > sum*1e-17 && k < len(inverseSquares); k++ {
		term *= q * inverseSquares[k]
		sum += term
	}
	return sum
}

// inverseSquares are 1/k²: a division takes longer than all the rest. So many terms are enough for every window that
// is used.
var inverseSquares = func() (list [64]float64) {
	for k := 1; k < len(list); k++ {
		list[k] = 1 / float64(k*k)
	}
	return list
}()

var filters = struct {
	sync.Mutex
	made map[[2]int]*filter
}{made: map[[2]int]*filter{}}

// filterFor gives the filter of a ratio; the few that a dataset needs are made once.
func filterFor(from, to int) *filter {
	filters.Lock()
	defer filters.Unlock()
	key := [2]int{from, to}
	f := filters.made[key]
	if f == nil {
		f = designFilter(from, to)
		for old := range filters.made {
			if len(filters.made) < filtersToKeep {
				break
			}
			delete(filters.made, old)
		}
		filters.made[key] = f
	}
	return f
}

func checkRates(from, to int) error {
	if from < 1 || to < 1 || from > MaxRate || to > MaxRate {
		return fmt.Errorf("cannot resample from %d Hz to %d Hz: supported rates are 1 to %d Hz", from, to, MaxRate)
	}
	if to > from && to/from > 1000 || from > to && from/to > 1000 {
		return fmt.Errorf("cannot resample from %d Hz to %d Hz: the factor is above 1000", from, to)
	}
	return nil
}
