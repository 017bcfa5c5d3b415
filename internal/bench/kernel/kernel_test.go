package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// everyPool runs a test at every level, alone and with three threads.
func everyPool(t *testing.T, test func(t *testing.T, p *Pool)) {
	for _, level := range Levels() {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", level, threads), func(t *testing.T) {
				p, err := NewPool(threads, level)
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				test(t, p)
			})
		}
	}
}

// normal gives n values of the given spread.
func normal(r *rand.Rand, n int, spread float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * spread)
	}
	return x
}

func numbers(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// guarded is n values, each the same, before and behind the part of x that a result may touch.
const guard = 12345.5

func guarded(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = guard
	}
	return x
}

// eps is half a unit in the last place of 1.
const eps = 1.0 / (1 << 24)

func isNaN(x float32) bool { return math.IsNaN(float64(x)) }
