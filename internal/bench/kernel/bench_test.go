package kernel

import (
	"fmt"
	"testing"
)

// each runs a benchmark at every level on one thread. work is counted in units of 1e9 a second.
func each(b *testing.B, name, unit string, work float64, call func(p *Pool) error) {
	for _, level := range Levels() {
		b.Run(fmt.Sprintf("%s/%s", name, level), func(b *testing.B) {
			p, err := NewPool(1, level)
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			for b.Loop() {
				if err := call(p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(work*float64(b.N)/float64(b.Elapsed().Nanoseconds()), unit)
		})
	}
}

func BenchmarkProduct(b *testing.B) {
	r := numbers(1)
	for _, n := range []int{128, 512} {
		x, y, z := Matrix(normal(r, n*n, 1), n, n), Matrix(normal(r, n*n, 1), n, n), Matrix(Values(n*n), n, n)
		work := 2 * float64(n) * float64(n) * float64(n)
		each(b, fmt.Sprint(n), "GFLOP/s", work, func(p *Pool) error { return p.Multiply(z, x, y) })
		each(b, fmt.Sprint(n, "T"), "GFLOP/s", work, func(p *Pool) error { return p.MultiplyTransposed(z, x, y) })
	}
}

func BenchmarkSoftmax(b *testing.B) {
	x := Matrix(normal(numbers(2), 1<<20, 1), 1<<10, 1<<10)
	each(b, "1024", "GB/s", 8<<20, func(p *Pool) error { return p.Softmax(x, Mask{}, 0.125) })
}

func BenchmarkAttention(b *testing.B) {
	s := Shape{Batch: 1, Heads: 8, Queries: 1024, Keys: 1024, Width: 64}
	x := newProblem(numbers(3), s, Mask{}, 1)
	out := x.out()
	scores := Dense(Values(8<<20), 1, 8, 1024, 1024)
	const work = 4 * 8 * 64 * 1 << 20
	each(b, "plain", "GFLOP/s", work, func(p *Pool) error { return p.Attention(out, x.q, x.k, x.v, scores, x.mask, x.scale) })
	each(b, "tiled", "GFLOP/s", work, func(p *Pool) error { return p.TiledAttention(out, x.q, x.k, x.v, x.mask, x.scale) })
}
