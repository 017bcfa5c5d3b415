package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// problem is an attention with its operands in two layouts.
type problem struct {
	shape   Shape
	mask    Mask
	scale   float32
	q, k, v Stack
}

func newProblem(r *rand.Rand, s Shape, mask Mask, spread float64) problem {
	n := s.Heads * s.Width
	return problem{
		shape: s, mask: mask, scale: float32(1 / math.Sqrt(float64(s.Width))),
		q: Split(normal(r, s.Batch*s.Queries*n, spread), s.Batch, s.Heads, s.Queries, s.Width, n),
		k: Split(normal(r, s.Batch*s.Keys*n, spread), s.Batch, s.Heads, s.Keys, s.Width, n),
		v: Dense(normal(r, s.Batch*s.Keys*n, 1), s.Batch, s.Heads, s.Keys, s.Width),
	}
}

func (p problem) out() Stack {
	s := p.shape
	n := s.Heads*s.Width + 3
	return Split(guarded(s.Batch*s.Queries*n), s.Batch, s.Heads, s.Queries, s.Width, n)
}

// check compares out with float64, relative to Σ weight·|value|. A score's own rounding, for which
// the classical bound of the product of Q and K stands, changes a weight by e^±error; the second
// product and the sum of exponentials have their classical bound too, and softmax the rest.
func (p problem) check(out Stack) error {
	s := p.shape
	want, weights := make([]float64, s.Width), make([]float64, s.Keys)
	for batch := range s.Batch {
		for head := range s.Heads {
			for row := range s.Queries {
				ReferenceAttention(want, weights, p.q, p.k, p.v, p.mask, float64(p.scale), batch, head, row)
				seen := weights[:p.mask.seen(row, s.Keys)]
				q, k, v := p.q.at(batch, head).row(row), p.k.at(batch, head), p.v.at(batch, head)
				most := 0.0 // the largest sum of |q·k|
				for key := range seen {
					sum := 0.0
					for i, x := range k.row(key) {
						sum += math.Abs(float64(x) * float64(q[i]))
					}
					most = max(most, sum)
				}
				inScores := 2 * float64(p.scale) * most * float64(s.Width+4) * eps
				relative := math.Expm1(2*inScores) + 2*float64(s.Keys+2)*eps + 0x1p-18
				got := out.at(batch, head).row(row)
				for i := range want {
					size := 0.0
					for key, weight := range seen {
						size += weight * math.Abs(float64(v.row(key)[i]))
					}
					if !(math.Abs(float64(got[i])-want[i]) <= relative*size+1e-37) {
						return fmt.Errorf("%+v %+v: out[%d,%d,%d,%d] is %v, not %v within %.2g", s, p.mask, batch, head, row, i, got[i], want[i], relative*size)
					}
				}
			}
			for row := range s.Queries - 1 {
				if head == s.Heads-1 {
					for _, x := range out.Data[batch*out.BatchStep+row*out.RowStep+s.Heads*s.Width:][:3] {
						if x != guard {
							return fmt.Errorf("%+v: something between the rows of the result is written over", s)
						}
					}
				}
			}
		}
	}
	return nil
}

func (p problem) run(pool *Pool) error {
	s := p.shape
	scores := Dense(guarded(s.Batch*s.Heads*s.Queries*s.Keys), s.Batch, s.Heads, s.Queries, s.Keys)
	plain, tiled := p.out(), p.out()
	if err := pool.Attention(plain, p.q, p.k, p.v, scores, p.mask, p.scale); err != nil {
		return err
	}
	if err := p.check(plain); err != nil {
		return fmt.Errorf("plain: %w", err)
	}
	if err := pool.TiledAttention(tiled, p.q, p.k, p.v, p.mask, p.scale); err != nil {
		return err
	}
	if err := p.check(tiled); err != nil {
		return fmt.Errorf("tiled: %w", err)
	}
	return nil
}

func TestAttention(t *testing.T) {
	everyPool(t, func(t *testing.T, pool *Pool) {
		r := numbers(5)
		for _, s := range []Shape{
			{1, 1, 1, 1, 1},
			{1, 1, 1, 7, 3},
			{1, 1, 7, 1, 3},
			{2, 3, 5, 11, 7},
			{1, 2, 33, 257, 17},
			{1, 1, 193, 31, 64},
			{1, 1, 13, 521, 32},
			{1, 2, 64, 64, 65},
			{3, 1, 211, 300, 8},
		} {
			for _, mask := range []Mask{{}, {Causal: true}, {Causal: true, Shift: s.Keys - s.Queries}, {Causal: true, Shift: -4}} {
				for _, spread := range []float64{1, 30} {
					if err := newProblem(r, s, mask, spread).run(pool); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// TestSharedKeys: one head of keys and values serves all heads of queries.
func TestSharedKeys(t *testing.T) {
	everyPool(t, func(t *testing.T, pool *Pool) {
		p := newProblem(numbers(11), Shape{2, 3, 29, 310, 12}, Mask{Causal: true, Shift: 200}, 1)
		p.k.Heads, p.v.Heads = 1, 1
		if err := p.run(pool); err != nil {
			t.Fatal(err)
		}
	})
}

// TestScoresOfMinusInfinity: keys that score minus infinity are as if they were not there, be it a
// whole tile of them or all.
func TestScoresOfMinusInfinity(t *testing.T) {
	everyPool(t, func(t *testing.T, pool *Pool) {
		const queries, keys, width = 15, 700, 8
		p := newProblem(numbers(13), Shape{1, 1, queries, keys, width}, Mask{}, 1)
		for row := range queries {
			p.q.Data[row*width] = 1
		}
		for _, hidden := range []int{1, 400, 699, 700} {
			for key := range hidden {
				p.k.Data[key*width] = float32(math.Inf(-1))
			}
			scores := Dense(guarded(queries*keys), 1, 1, queries, keys)
			plain, tiled := p.out(), p.out()
			if err := pool.Attention(plain, p.q, p.k, p.v, scores, p.mask, p.scale); err != nil {
				t.Fatal(err)
			}
			if err := pool.TiledAttention(tiled, p.q, p.k, p.v, p.mask, p.scale); err != nil {
				t.Fatal(err)
			}
			want, weights := make([]float64, width), make([]float64, keys)
			rest := Shape{1, 1, queries, keys - hidden, width}
			for row := range queries {
				if clear(want); rest.Keys > 0 {
					k, v := Dense(p.k.Data[hidden*width:], 1, 1, rest.Keys, width), Dense(p.v.Data[hidden*width:], 1, 1, rest.Keys, width)
					ReferenceAttention(want, weights, p.q, k, v, p.mask, float64(p.scale), 0, 0, row)
				}
				for name, out := range map[string]Stack{"plain": plain, "tiled": tiled} {
					for i, got := range out.at(0, 0).row(row) {
						if !(math.Abs(float64(got)-want[i]) <= 1e-5) {
							t.Fatalf("%s, %d keys hidden, row %d: %v, not %v", name, hidden, row, got, want[i])
						}
					}
				}
			}
		}
	})
}

// TestLargeScores: scores of any size that float32 holds give the largest one's value.
func TestLargeScores(t *testing.T) {
	everyPool(t, func(t *testing.T, pool *Pool) {
		r := numbers(6)
		s := Shape{1, 2, 31, 600, 16}
		p := newProblem(r, s, Mask{}, 1e17)
		scores := Dense(guarded(2*31*600), 1, 2, 31, 600)
		plain, tiled := p.out(), p.out()
		if err := pool.Attention(plain, p.q, p.k, p.v, scores, p.mask, p.scale); err != nil {
			t.Fatal(err)
		}
		if err := pool.TiledAttention(tiled, p.q, p.k, p.v, p.mask, p.scale); err != nil {
			t.Fatal(err)
		}
		want, weights := make([]float64, 16), make([]float64, 600)
		for head := range 2 {
			for row := range 31 {
				ReferenceAttention(want, weights, p.q, p.k, p.v, p.mask, float64(p.scale), 0, head, row)
				for _, out := range []Stack{plain, tiled} {
					for i, got := range out.at(0, head).row(row) {
						if math.Abs(float64(got)-want[i]) > 1e-6*math.Abs(want[i]) {
							t.Fatalf("row %d: %v, not %v", row, got, want[i])
						}
					}
				}
			}
		}
	})
}

// TestNothingSeen: queries that no key is shown to give zeros.
func TestNothingSeen(t *testing.T) {
	everyPool(t, func(t *testing.T, pool *Pool) {
		p := newProblem(numbers(7), Shape{1, 1, 500, 9, 8}, Mask{Causal: true, Shift: 9 - 500}, 1)
		if err := p.run(pool); err != nil {
			t.Fatal(err)
		}
		out := p.out()
		if err := pool.TiledAttention(out, p.q, p.k, p.v, p.mask, p.scale); err != nil {
			t.Fatal(err)
		}
		for row := range 500 - 9 {
			for _, v := range out.at(0, 0).row(row) {
				if v != 0 {
					t.Fatalf("row %d sees nothing and holds %v", row, v)
				}
			}
		}
	})
}

// FuzzTiledAttention compares tiled attention with float64 for any sizes, masks and magnitudes.
func FuzzTiledAttention(f *testing.F) {
	f.Add(uint64(1), uint8(1), uint8(1), uint16(5), uint16(7), uint8(3), int16(0), true, uint8(1), uint8(2))
	f.Add(uint64(2), uint8(2), uint8(3), uint16(200), uint16(300), uint8(16), int16(-20), true, uint8(30), uint8(1))
	f.Add(uint64(3), uint8(1), uint8(1), uint16(1), uint16(513), uint8(33), int16(3), false, uint8(0), uint8(3))
	pools := map[string]*Pool{}
	f.Fuzz(func(t *testing.T, seed uint64, batch, heads uint8, queries, keys uint16, width uint8, shift int16, causal bool, spread, threads uint8) {
		s := Shape{1 + int(batch%2), 1 + int(heads%3), 1 + int(queries%64), 1 + int(keys%600), 1 + int(width%40)} // small, for many inputs
		p := newProblem(numbers(seed), s, Mask{Causal: causal, Shift: int(shift)}, float64(spread%40))
		for _, level := range Levels() {
			name := fmt.Sprint(level, threads%3)
			if pools[name] == nil {
				pool, err := NewPool(1+int(threads%3), level)
				if err != nil {
					t.Fatal(err)
				}
				pools[name] = pool
			}
			out := p.out()
			if err := pools[name].TiledAttention(out, p.q, p.k, p.v, p.mask, p.scale); err != nil {
				t.Fatal(err)
			}
			if err := p.check(out); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}
