package mel

import "math"

// spectrumAny is the transform of frames of any size: two frames at a time, one as the real and
// one as the imaginary part of a complex transform.
type spectrumAny struct {
	window   []float64
	fft      transform
	in, work []complex128
}

func newSpectrumAny(n int, w Window) *spectrumAny {
	return &spectrumAny{window: w.values(n), fft: newTransform(n), in: make([]complex128, n), work: make([]complex128, n)}
}

func (s *spectrumAny) size() int { return len(s.in)/2 + 1 }

func (s *spectrumAny) place(k int) int32 { return int32(k) }

func (s *spectrumAny) powers(a, b, powerA, powerB []float64) {
	for i, w := range s.window {
		s.in[i] = complex(w*a[i], w*b[i])
	}
	z := s.fft.run(s.in, s.work)
	n := len(z)
	for k := range powerA {
		x, y := z[k], z[(n-k)%n]
		// The spectra are (x + conj y)/2 and (x - conj y)/2i.
		powerA[k] = (square(real(x)+real(y)) + square(imag(x)-imag(y))) / 4
		powerB[k] = (square(real(x)-real(y)) + square(imag(x)+imag(y))) / 4
	}
}

func square(x float64) float64 { return x * x }

// transform is a complex DFT. run may use both slices, and answers with one of them.
type transform interface {
	run(x, work []complex128) []complex128
}

// mostRadix is the largest prime factor that is transformed by its definition; a size with a
// larger one becomes a convolution.
const mostRadix = 13

func newTransform(n int) transform {
	radices, rest := factors(n)
	if rest > 1 {
		return newBluestein(n)
	}
	return newMixedRadix(n, radices)
}

// factors splits n into radices up to mostRadix, fours rather than twos; rest has only larger ones.
func factors(n int) (radices []int, rest int) {
	for _, r := range []int{4, 2, 3, 5, 7, 11, 13} {
		for n%r == 0 {
			radices = append(radices, r)
			n /= r
		}
	}
	return radices, n
}

// mixedRadix is Stockham's algorithm: after a stage of radix r the transforms of all residues are
// r times longer, and the order is always the natural one.
type mixedRadix struct {
	stages []stage
}

type stage struct {
	radix, done int          // done is the length of the transforms so far
	twiddles    []complex128 // for k < done, those of inputs 1 to radix-1
	roots       []complex128 // exp(-2πi·j/radix)
}

func unit(num, den int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(num%den) / float64(den))
	return complex(cos, -sin)
}

func newMixedRadix(n int, radices []int) *mixedRadix {
	m, done := &mixedRadix{}, 1
	for _, r := range radices {
		s := stage{radix: r, done: done}
		for k := range done {
			for q := 1; q < r; q++ {
				s.twiddles = append(s.twiddles, unit(k*q, done*r))
			}
		}
		for j := range r {
			s.roots = append(s.roots, unit(j, r))
		}
		m.stages = append(m.stages, s)
		done *= r
	}
	return m
}

func (m *mixedRadix) run(x, work []complex128) []complex128 {
	for i := range m.stages {
		m.stages[i].run(work, x)
		x, work = work, x
	}
	return x
}

func (s *stage) run(out, in []complex128) {
	apart := len(in) / s.radix
	var v [mostRadix]complex128
	for block := 0; block < apart; block += s.done {
		for k := range s.done {
			for q := range s.radix {
				v[q] = in[block+k+q*apart]
			}
			for q, w := range s.twiddles[k*(s.radix-1):][:s.radix-1] {
				v[q+1] *= w
			}
			s.butterfly(out[block*s.radix+k:], &v)
		}
	}
}

// butterfly puts the short transform of v into every done-th element of out.
func (s *stage) butterfly(out []complex128, v *[mostRadix]complex128) {
	switch s.radix {
	case 2:
		out[0], out[s.done] = v[0]+v[1], v[0]-v[1]
	case 4:
		a, b := v[0]+v[2], v[0]-v[2]
		c, d := v[1]+v[3], v[1]-v[3]
		d = complex(imag(d), -real(d)) // -i·d
		out[0], out[s.done], out[2*s.done], out[3*s.done] = a+c, b+d, a-c, b-d
	default:
		for k := range s.radix {
			sum, turn := v[0], 0
			for _, x := range v[1:s.radix] {
				if turn += k; turn >= s.radix {
					turn -= s.radix
				}
				sum += x * s.roots[turn]
			}
			out[k*s.done] = sum
		}
	}
}

// bluestein makes a transform of any size a convolution, by k·j = (k² + j² - (k-j)²)/2, and that
// a product of transforms whose size is a power of two.
type bluestein struct {
	chirp     []complex128 // exp(-πi·k²/n)
	filter    []complex128 // the transform of the conjugate chirp, over the larger size
	fft       transform
	big, work []complex128
}

func newBluestein(n int) *bluestein {
	size := 1
	for size < 2*n-1 {
		size *= 2
	}
	radices, _ := factors(size)
	b := &bluestein{
		chirp: make([]complex128, n), filter: make([]complex128, size), fft: newMixedRadix(size, radices),
		big: make([]complex128, size), work: make([]complex128, size),
	}
	for k := range n {
		b.chirp[k] = unit(k*k%(2*n), 2*n)
		b.big[k] = complex(real(b.chirp[k]), -imag(b.chirp[k]))
		b.big[(size-k)%size] = b.big[k]
	}
	copy(b.filter, b.fft.run(b.big, b.work))
	return b
}

func (b *bluestein) run(x, _ []complex128) []complex128 {
	clear(b.big)
	for k, c := range b.chirp {
		b.big[k] = x[k] * c
	}
	z := b.fft.run(b.big, b.work)
	other := b.big
	if &z[0] == &b.big[0] {
		other = b.work
	}
	// The inverse transform is the transform of the conjugate, conjugated.
	for k, f := range b.filter {
		v := z[k] * f
		z[k] = complex(real(v), -imag(v))
	}
	z = b.fft.run(z, other)
	scale := complex(1/float64(len(z)), 0)
	for k, c := range b.chirp {
		x[k] = complex(real(z[k]), -imag(z[k])) * c * scale
	}
	return x
}
