package vorbis

import (
	"math"
	mathbits "math/bits"
	"sync"
)

// transform is a DCT-IV of n values, by a complex Fourier transform of half as many; and the slope of a window as long.
type transform struct {
	n      int
	turns  []turn // before and after the Fourier transform
	stages []stage
	window []float32 // rising
}

type turn struct{ cos, sin float32 }

// stage combines transforms of n/4 values into those of n, for each of stride interleaved sequences (Stockham's way: in
// order, from one array to another).
type stage struct {
	quarter, stride int
	turns           [][3]turn
}

// transforms are made when they are first needed, by the number of their values as a power of 2.
var transforms [13]struct {
	once sync.Once
	made *transform
}

func transformOf(n int) *transform {
	t := &transforms[mathbits.Len(uint(n))-1]
	t.once.Do(func() { t.made = newTransform(n) })
	return t.made
}

func newTransform(n int) *transform {
	t := &transform{n: n, turns: make([]turn, n/2), window: make([]float32, n)}
	for i := range t.turns {
		t.turns[i] = turnBy((float64(i) + 0.125) / float64(2*n))
	}
	for i := range t.window {
		s := math.Sin(math.Pi * (float64(i) + 0.5) / float64(2*n))
		t.window[i] = float32(math.Sin(math.Pi / 2 * s * s))
	}
	stride := 1
	for rest := n / 2; rest >= 4; rest /= 4 {
		s := stage{quarter: rest / 4, stride: stride, turns: make([][3]turn, rest/4)}
		for p := range s.turns {
			for k := range 3 {
				s.turns[p][k] = turnBy(float64(p*(k+1)) / float64(rest))
			}
		}
		t.stages = append(t.stages, s)
		stride *= 4
	}
	return t
}

// turnBy is exp(-2πi·part).
func turnBy(part float64) turn {
	sin, cos := math.Sincos(2 * math.Pi * part)
	return turn{float32(cos), float32(-sin)}
}

// point is a complex number; complex64 would be multiplied in double precision.
type point struct{ re, im float32 }

func (p point) times(t turn) point {
	return point{p.re*t.cos - p.im*t.sin, p.re*t.sin + p.im*t.cos}
}

// run transforms x in place: c[m] = Σ x[k]·cos(π/n·(m+½)·(k+½)).
func (t *transform) run(x []float32, work *work) {
	half := t.n / 2
	work.from, work.to = sized(work.from, half), sized(work.to, half)
	a, b := work.from, work.to
	x = x[:2*half]
	for i, w := range t.turns[:half] {
		a[i] = point{x[2*i], x[2*half-1-2*i]}.times(w)
	}
	for i := range t.stages {
		t.stages[i].run(b, a)
		a, b = b, a
	}
	if last := &t.stages[len(t.stages)-1]; last.quarter == 2 { // 8 were left, so that pairs remain
		half := half / 2
		low, high := a[:half], a[half:][:half]
		for i, p := range low {
			q := high[i]
			low[i], high[i] = point{p.re + q.re, p.im + q.im}, point{p.re - q.re, p.im - q.im}
		}
	}
	for i, w := range t.turns[:half] {
		p := a[i].times(w)
		x[2*i], x[2*half-1-2*i] = p.re, -p.im
	}
}

func (s *stage) run(out, in []point) {
	n := s.quarter * s.stride
	for p, w := range s.turns {
		at := p * s.stride
		i0, i1, i2, i3 := in[at:][:s.stride], in[at+n:][:s.stride], in[at+2*n:][:s.stride], in[at+3*n:][:s.stride]
		to := 4 * at
		o0, o1, o2, o3 := out[to:][:s.stride], out[to+s.stride:][:s.stride], out[to+2*s.stride:][:s.stride], out[to+3*s.stride:][:s.stride]
		for q := range i0 {
			a, b, c, d := i0[q], i1[q], i2[q], i3[q]
			sum, difference := point{a.re + c.re, a.im + c.im}, point{a.re - c.re, a.im - c.im}
			sum2, turned := point{b.re + d.re, b.im + d.im}, point{d.im - b.im, b.re - d.re} // times i
			o0[q] = point{sum.re + sum2.re, sum.im + sum2.im}
			o1[q] = point{difference.re - turned.re, difference.im - turned.im}.times(w[0])
			o2[q] = point{sum.re - sum2.re, sum.im - sum2.im}.times(w[1])
			o3[q] = point{difference.re + turned.re, difference.im + turned.im}.times(w[2])
		}
	}
}
