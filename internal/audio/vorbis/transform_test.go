package vorbis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The transform is the sum that defines it, for every size of a block.
func TestTransformIsItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 32; n <= 4096; n *= 2 {
		x, size := make([]float32, n), 0.0
		for i := range x {
			x[i] = float32(random.NormFloat64())
			size += float64(x[i]) * float64(x[i])
		}
		got := append([]float32(nil), x...)
		transformOf(n).run(got, new(work))
		for m := 0; m < n; m += 1 + n/300 {
			want := 0.0
			for k, v := range x {
				want += float64(v) * math.Cos(math.Pi/float64(n)*(float64(m)+0.5)*(float64(k)+0.5))
			}
			if math.Abs(float64(got[m])-want) > 1e-6*math.Sqrt(size) {
				t.Fatalf("%d values: place %d is %g, want %g", n, m, got[m], want)
			}
		}
	}
}

// The squares of a window's slope and of the same slope backwards add up to 1: what was cut in two becomes whole again.
func TestWindow(t *testing.T) {
	for n := 32; n <= 4096; n *= 2 {
		w := transformOf(n).window
		for i := range w {
			if s := float64(w[i])*float64(w[i]) + float64(w[n-1-i])*float64(w[n-1-i]); math.Abs(s-1) > 1e-6 {
				t.Fatalf("%d values: place %d: %g", n, i, s)
			}
		}
	}
}
