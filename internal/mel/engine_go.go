package mel

import "math"

// goLanes frames are computed between two writes of a row: enough to use what the cache fetched.
const goLanes = 8

// goEngine computes in plain Go, for any parameters: in float64 up to the energies, which scalar
// instructions do as fast as float32.
type goEngine struct {
	params   Params
	spectrum spectrum
	log      logTable
	counts   []int32
	taps     []wideTap
	wave     []float64 // the samples taken
	power    [2][]float64
	energy   []float32 // bands by lanes
	top      float32
	seen     uint32
}

// spectrum gives |X|² of two frames; where a frequency's power lies, place says.
type spectrum interface {
	powers(a, b, powerA, powerB []float64)
	place(k int) int32
	size() int
}

// wideTap is a tap in float64.
type wideTap struct {
	at         int
	rise, fall float64
}

func newGoEngine(p Params) *goEngine {
	e := &goEngine{params: p, log: newLogTable(p)}
	if p.NFFT == 400 {
		e.spectrum = newSpectrum400(p.Window)
	} else {
		e.spectrum = newSpectrumAny(p.NFFT, p.Window)
	}
	counts, taps := segments(p.filters(), e.spectrum.place)
	e.counts = counts
	for _, t := range taps {
		e.taps = append(e.taps, wideTap{int(t.at), float64(t.rise), float64(t.fall)})
	}
	e.wave = make([]float64, e.span())
	for i := range e.power {
		e.power[i] = make([]float64, e.spectrum.size())
	}
	e.energy = make([]float32, p.Mels*goLanes)
	return e
}

func (e *goEngine) level() Level  { return Go }
func (e *goEngine) lanes() int    { return goLanes }
func (e *goEngine) span() int     { return (goLanes-1)*e.params.Hop + e.params.NFFT }
func (e *goEngine) reset()        { e.top, e.seen = float32(math.Inf(-1)), 0 }
func (e *goEngine) peak() float32 { return e.top }
func (e *goEngine) bits() uint32  { return e.seen }

func (e *goEngine) clampHalf(p []uint16, least uint16)     { clampHalf(p, least) }
func (e *goEngine) clampSingle(p []float32, least float32) { clampSingle(p, least) }

func (e *goEngine) take(in Samples) {
	wave := e.wave[:in.Len()]
	for i, v := range in.PCM {
		wave[i] = float64(v) * (1.0 / 32768)
	}
	seen := e.seen
	for i, v := range in.Float {
		wave[i] = float64(v)
		seen |= math.Float32bits(v)
	}
	e.seen = seen
}

func (e *goEngine) step(next Samples, blocks int, out plane) {
	for i := range blocks {
		e.block(out.from(i * goLanes))
		if next.Len() > 0 {
			from := i * goLanes * e.params.Hop
			e.take(next.slice(from, from+e.span()))
		}
	}
}

func (e *goEngine) block(out plane) {
	for l := 0; l < goLanes; l += 2 {
		a, b := e.wave[l*e.params.Hop:][:e.params.NFFT], e.wave[(l+1)*e.params.Hop:][:e.params.NFFT]
		e.spectrum.powers(a, b, e.power[0], e.power[1])
		e.raise(e.power[0])
		e.raise(e.power[1])
		e.filterBank(l)
	}
	e.logarithms(out)
}

// raise turns |X|² into |X| to the wanted power.
func (e *goEngine) raise(power []float64) {
	switch e.params.Power {
	case 2:
	case 1:
		for i, v := range power {
			power[i] = math.Sqrt(v)
		}
	default:
		for i, v := range power {
			power[i] = math.Pow(math.Abs(v), e.params.Power/2)
		}
	}
}

// filterBank sums the powers of two frames at a time, so that the filters are read once for both.
func (e *goEngine) filterBank(lane int) {
	taps, powerA, powerB := e.taps, e.power[0], e.power[1]
	powerB = powerB[:len(powerA)]
	var risingA, risingB float64
	for s, n := range e.counts {
		fallingA, fallingB := risingA, risingB
		risingA, risingB = 0, 0
		for _, t := range taps[:n] {
			a, b := powerA[t.at], powerB[t.at]
			risingA += t.rise * a
			risingB += t.rise * b
			fallingA += t.fall * a
			fallingB += t.fall * b
		}
		taps = taps[n:]
		if s > 0 {
			to := (*[2]float32)(e.energy[(s-1)*goLanes+lane:])
			to[0], to[1] = float32(fallingA), float32(fallingB)
		}
	}
}

func (e *goEngine) logarithms(out plane) {
	for m := range e.params.Mels {
		row := (*[goLanes]float32)(e.energy[m*goLanes:])
		e.top = e.log.values(row, e.top)
		if out.half == nil {
			copy(out.single[m*out.stride:][:goLanes], row[:])
			continue
		}
		to := (*[goLanes]uint16)(out.half[m*out.stride:])
		for l, v := range row {
			to[l] = Half(v)
		}
	}
}
