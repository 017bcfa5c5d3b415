package audio

import "math"

// Resampler changes the sampling rate of a stream by a rational factor: a windowed sinc, evaluated
// only where an output sample lies (polyphase), in two steps where there would be too many phases.
// It delays nothing: output j is the signal at time j/to, and n input samples give ceil(n·to/from)
// output samples, as soxr and torchaudio do.
type Resampler struct {
	filter   *filter
	from, to int        // reduced to lowest terms
	half     *Resampler // the second step of two; to is then twice the wanted rate
	early    int        // outputs of half before the time 0, still to be dropped

	window  []float32 // input that later outputs still need
	at      int       // where in window the next output's samples begin
	phase   int       // of the next output, in 1/to of an input sample
	taken   int64
	given   int64
	flushed bool
	lanes   lanes
	places  []place   // of outputs that are computed together, where they lie between rows of the filter
	block   []float32 // computed together
	ready   []float32 // the rest of block that was not read yet
}

// newResampler makes a Resampler for one stream.
func newResampler(from, to int) (*Resampler, error) {
	if err := checkRates(from, to); err != nil {
		return nil, err
	}
	g := gcd(from, to)
	f := filterFor(from/g, to/g)
	r, ok := f.idle.Get().(*Resampler)
	if !ok {
		r = &Resampler{from: from / g, to: to / g, filter: f, lanes: newLanes(f, from/g, to/g)}
		if coarse(r.from, r.to) {
			half, err := newResampler(2, 1)
			if err != nil {
				return nil, err
			}
			r.to, r.half = 2*r.to, half
		}
	}
	r.Reset()
	return r, nil
}

// release lets another stream have the Resampler; it must not be used any more.
func (r *Resampler) release() { r.filter.idle.Put(r) }

// Reset makes the Resampler ready for another stream.
func (r *Resampler) Reset() {
	before := r.filter.taps/2 - 1 // silence before the first sample
	r.window = sized(r.window, before)
	clear(r.window)
	r.at, r.phase, r.taken, r.given, r.flushed, r.ready = 0, 0, 0, 0, false, nil
	if r.half == nil {
		return
	}
	r.half.Reset()
	// The filter spreads the first sample to times before it, and the second step needs all of it: outputs begin earlier.
	r.early = r.filter.taps*r.to/(4*r.from) + 1
	inputs := (2*r.early*r.from + r.to - 1) / r.to
	r.window = append(r.window, make([]float32, inputs)...)
	r.phase = inputs*r.to - 2*r.early*r.from
}

// Write takes input. It returns how much it took, which is everything unless the stream was flushed.
func (r *Resampler) Write(src []float32) int {
	if r.flushed || len(src) == 0 {
		return 0
	}
	r.forget()
	r.window = append(r.window, src...)
	quiet(r.window[len(r.window)-len(src):])
	r.taken += int64(len(src))
	return len(src)
}

// quiet makes silence of what nobody can hear: a filter leaves numbers below 1.2e-38 where a decoder fades out, and
// they take the processor a hundred times as long as others.
func quiet(samples []float32) {
	for i, v := range samples {
		if math.Float32bits(v)&^(1<<31) < inaudible { // one comparison, and the same outcome nearly always
			samples[i] = 0
		}
	}
}

// inaudible is 1e-25, 500 dB below full scale; times a number of the filter it is still an ordinary one.
var inaudible = math.Float32bits(1e-25)

// forget drops what no later output needs, once that is more than what is kept.
func (r *Resampler) forget() {
	drop := min(r.at, len(r.window))
	if drop < len(r.window)-drop {
		return
	}
	n := copy(r.window, r.window[drop:])
	r.window = r.window[:n]
	r.at -= drop
}

// Flush says that the stream has ended: what is left can be read.
func (r *Resampler) Flush() {
	if r.flushed {
		return
	}
	r.forget()
	r.flushed = true
	silence := r.lanes.needed
	if r.interpolates() {
		silence = r.filter.taps
	}
	r.window = append(r.window, make([]float32, silence)...)
}

// Read gives output samples that the input so far decides, and how many; 0 means that more input is needed.
// Whole blocks are computed at a time, so the last samples come only after Flush.
func (r *Resampler) Read(dst []float32) int {
	if len(r.ready) == 0 {
		r.ready = r.compute()
	}
	n := copy(dst, r.ready)
	r.ready = r.ready[n:]
	r.given += int64(n)
	return n
}

// readyAtOnce is how many outputs at most are computed together where the filter is interpolated.
const readyAtOnce = 1024

// compute gives the next outputs, as many as there is input for. Behind the end of a stream lies silence for one more
// block.
func (r *Resampler) compute() []float32 {
	most := int64(math.MaxInt)
	if r.flushed {
		most = r.outputs(r.taken) - r.given
	}
	if r.half != nil {
		return r.halved(most)
	}
	if r.interpolates() {
		return r.interpolated(int(min(readyAtOnce, most)))
	}
	if most == 0 || r.at+r.lanes.needed > len(r.window) {
		return nil
	}
	r.block = sized(r.block, r.lanes.outputs())
	r.lanes.compute(r.block, r.window[r.at:], r.filter)
	r.at += r.lanes.inputs()
	return r.block[:min(int64(len(r.block)), most)]
}

// halved is the second step.
func (r *Resampler) halved(most int64) []float32 {
	for most > 0 {
		if out := r.half.compute(); len(out) > 0 {
			r.half.given += int64(len(out))
			early := min(r.early, len(out))
			if r.early -= early; early < len(out) {
				out = out[early:]
				return out[:min(int64(len(out)), most)]
			}
			continue
		}
		if r.half.Write(r.interpolated(readyAtOnce)) == 0 {
			if !r.flushed || r.half.flushed {
				break
			}
			r.half.Flush()
		}
	}
	return nil
}

// outputs is how many there are for so many inputs.
func (r *Resampler) outputs(inputs int64) int64 {
	to := int64(r.to)
	if r.half != nil {
		to /= 2
	}
	return (inputs*to + int64(r.from) - 1) / int64(r.from)
}

// interpolates reports whether there are more phases than rows of the filter.
func (r *Resampler) interpolates() bool { return r.filter.phases < r.to }

// interpolated computes outputs linearly between the two nearest phases of the table.
func (r *Resampler) interpolated(most int) []float32 {
	r.places = sized(r.places, most)
	scale := float64(r.filter.phases) / float64(r.to)
	whole, part := r.from/r.to, r.from%r.to
	at, phase, last, n := r.at, r.phase, len(r.window)-r.filter.taps, 0
	for ; n < most && at <= last; n++ {
		exact := float64(phase) * scale
		row := int(exact)
		r.places[n] = place{at, row, float32(exact - float64(row))}
		at += whole
		if phase += part; phase >= r.to {
			phase -= r.to
			at++
		}
	}
	r.at, r.phase, r.block = at, phase, sized(r.block, n)
	if n > 0 {
		fastest.between(r.block, r.window, r.filter, r.places[:n])
	}
	return r.block
}

// Resample converts a whole signal.
func Resample(src []float32, from, to int) ([]float32, error) {
	if from == to {
		return src, checkRates(from, to)
	}
	r, err := newResampler(from, to)
	if err != nil {
		return nil, err
	}
	dst := make([]float32, r.outputs(int64(len(src))))
	defer r.release()
	for n := 0; n < len(dst); {
		if len(src) == 0 {
			r.Flush()
		}
		src = src[r.Write(src[:min(len(src), blockFrames)]):]
		for got := -1; got != 0; n += got {
			got = r.Read(dst[n:])
		}
	}
	return dst, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
