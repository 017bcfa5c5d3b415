package kernel

import (
	"runtime"
	"testing"
)

// TestMemoryOfTiledAttention measures what a fresh pool allocates for one call, from 1k to 8k: what
// TiledBytes has said, the same for every length, so that with its operands it grows linearly.
func TestMemoryOfTiledAttention(t *testing.T) {
	const width = 2
	operands := normal(numbers(8), 8192*width, 1)
	out := make([]float32, 8192*width)
	var before int64
	for _, n := range []int{1024, 2048, 4096, 8192} {
		p, err := NewPool(2, "")
		if err != nil {
			t.Fatal(err)
		}
		x := Dense(operands, 1, 1, n, width)
		asked := allocated(func() {
			if err := p.TiledAttention(Dense(out, 1, 1, n, width), x, x, x, Mask{Causal: true}, 1); err != nil {
				t.Fatal(err)
			}
		})
		s := Shape{1, 1, n, n, width}
		said := p.TiledBytes(s)
		if p.Held() != said {
			t.Errorf("%d: the pool holds %d bytes, TiledBytes said %d", n, p.Held(), said)
		}
		if asked < said || asked > said+64<<10 {
			t.Errorf("%d: %d bytes were allocated, TiledBytes said %d", n, asked, said)
		}
		if before != 0 && said != before {
			t.Errorf("%d: %d bytes, half the length took %d", n, said, before)
		}
		if plain := p.PlainBytes(s); plain < 4*int64(n)*int64(n) {
			t.Errorf("%d: PlainBytes says %d", n, plain)
		}
		before = said
		p.Close()
	}
}

// TestBytesAreSaid: what a pool holds after a call is what was said before it.
func TestBytesAreSaid(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		for _, width := range []int{1, 31, 40, 64, 129} {
			x, out := Matrix(normal(numbers(12), 20*width, 1), 20, width), Matrix(make([]float32, 20*width), 20, width)
			if err := p.TiledAttention(out, x, x, x, Mask{}, 1); err != nil {
				t.Fatal(err)
			}
			if said := p.TiledBytes(Shape{1, 1, 20, 20, width}); p.Held() != said {
				t.Errorf("width %d: the pool holds %d bytes, TiledBytes said %d", width, p.Held(), said)
			}
		}
		q, err := NewPool(p.Threads(), p.Level())
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		x := Matrix(make([]float32, 4), 2, 2)
		if err := q.Attention(Matrix(make([]float32, 4), 2, 2), x, x, x, Matrix(make([]float32, 4), 2, 2), Mask{}, 1); err != nil {
			t.Fatal(err)
		}
		if said := q.PlainBytes(Shape{1, 1, 2, 2, 2}); q.Held()+16 != said {
			t.Errorf("the pool holds %d bytes and the table 16, PlainBytes said %d", q.Held(), said)
		}
	})
}

// allocated is the bytes that f asks the runtime for.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestNothingIsAllocated: once a pool has its memory no call asks for more.
func TestNothingIsAllocated(t *testing.T) {
	everyPool(t, func(t *testing.T, p *Pool) {
		const n, width = 64, 16
		r := numbers(9)
		q, k, v := Matrix(normal(r, n*width, 1), n, width), Matrix(normal(r, n*width, 1), n, width), Matrix(normal(r, n*width, 1), n, width)
		out, scores := Matrix(make([]float32, n*width), n, width), Matrix(make([]float32, n*n), n, n)
		calls := func() {
			for _, err := range [...]error{
				p.Attention(out, q, k, v, scores, Mask{}, 1), p.TiledAttention(out, q, k, v, Mask{}, 1),
				p.Copy(out.Data, q.Data), p.Triad(out.Data, q.Data, k.Data, 2),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		calls()
		if got := testing.AllocsPerRun(20, calls); got > 0 {
			t.Errorf("a call allocates %v times", got)
		}
	})
}
