package audio

// lanes computes many outputs at a time: the stream is cut into stretches of equal length, and the outputs at the same
// place of each have the same phase. Their samples lie beside each other in matrix, so one number of the filter goes
// for all of them, and no vector has to be added up. Two outputs of a stretch, next to each other, share the samples
// that they read.
type lanes struct {
	from, to int // of a stretch: inputs, and outputs, an even number
	needed   int // inputs for a block, with those that the filter reaches over the end
	matrix   []float32
	two      [2 * stretches]float32
	ratio    ratio
}

const (
	stretches  = 16 // a vector of 512 bits, two of 256
	tapsAtOnce = 4  // of the vector code
)

// ratio is that of the two rates, reduced.
type ratio struct{ from, to int }

// at is where an output's filter begins, and at which phase.
func (r ratio) at(output int) (first, phase int) {
	return output * r.from / r.to, output * r.from % r.to
}

// newLanes takes stretches of twice the filter's length at least, so that what they overlap is copied once, not over
// and over.
func newLanes(f *filter, from, to int) lanes {
	times := (2*f.taps + from - 1) / from
	if to*times%2 != 0 {
		times++
	}
	l := lanes{from: from * times, to: to * times, ratio: ratio{from, to}}
	l.needed = (stretches-1)*l.from + l.rows(f)
	return l
}

// rows of the matrix: a stretch, and what the filter reaches beyond it; a multiple of 4.
func (l *lanes) rows(f *filter) int { return (l.from + f.taps + f.margin + 3) / 4 * 4 }

// inputs and outputs of a block.
func (l *lanes) inputs() int  { return stretches * l.from }
func (l *lanes) outputs() int { return stretches * l.to }

// compute makes a block of outputs.
func (l *lanes) compute(out, in []float32, f *filter) {
	l.fill(in, l.rows(f))
	for i := 0; i < l.to; i += 2 {
		first, phase := l.ratio.at(i)
		next, nextPhase := l.ratio.at(i + 1)
		apart := next - first
		n := (f.taps + apart + tapsAtOnce - 1) / tapsAtOnce * tapsAtOnce
		fastest.add(l.matrix[first*stretches:], f.shifted(phase, 0), f.shifted(nextPhase, apart), n, &l.two)
		for k := range stretches {
			o := out[k*l.to+i:][:2]
			o[0], o[1] = l.two[k], l.two[stretches+k]
		}
	}
}

// fill lays the stretches beside each other, four at a time.
func (l *lanes) fill(in []float32, rows int) {
	l.matrix = sized(l.matrix, rows*stretches)
	for k := 0; k < stretches; k += 4 {
		fastest.lay(l.matrix[k:], in[k*l.from:], l.from, rows)
	}
}
