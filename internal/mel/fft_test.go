package mel

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

func TestTransformOfEverySize(t *testing.T) {
	sizes := []int{200, 256, 360, 400, 509, 512, 1000, 1009, 1024, 1155}
	for n := 1; n <= 100; n++ {
		sizes = append(sizes, n)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range sizes {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		roots, want := make([]complex128, n), make([]complex128, n)
		for i := range roots {
			roots[i] = unit(i, n)
		}
		for k := range want {
			for i, v := range x {
				want[k] += v * roots[i*k%n]
			}
		}
		fft := newTransform(n)
		for range 2 { // a second time, from used scratch memory
			got := fft.run(append([]complex128{}, x...), make([]complex128, n))
			for k := range want {
				if cmplx.Abs(got[k]-want[k]) > 1e-12*float64(n+10) {
					t.Fatalf("size %d: output %d is %v, want %v", n, k, got[k], want[k])
				}
			}
		}
	}
}

// TestSpectrum400 compares the generated transform with the general one.
func TestSpectrum400(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	fast, plain := newSpectrum400(Hamming), newSpectrumAny(400, Hamming)
	var frame, got, want [2][]float64
	for i := range frame {
		frame[i], got[i], want[i] = make([]float64, 400), make([]float64, fast.size()), make([]float64, plain.size())
		for j := range frame[i] {
			frame[i][j] = r.NormFloat64()
		}
	}
	fast.powers(frame[0], frame[1], got[0], got[1])
	plain.powers(frame[0], frame[1], want[0], want[1])
	for i := range frame {
		for k, w := range want[i] {
			if g := got[i][fast.place(k)]; math.Abs(g-w) > 1e-12*w+1e-12 {
				t.Errorf("frame %d, frequency %d: power %g, want %g", i, k, g, w)
			}
		}
	}
}
