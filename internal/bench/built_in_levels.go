package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"saturate/internal/bench/kernel"
	"saturate/internal/stat"
)

// way is how a level computes attention: prepare makes what it needs and returns the call.
type way struct {
	level         int
	name, backend string
	skipped       string
	table         func(Need) float64 // bytes of scores that it holds
	prepare       func(b *builtIn, o *operands) func() error
}

var ways = []way{
	{0, "table of scores", "table", "", func(n Need) float64 { return n.Scores }, func(b *builtIn, o *operands) func() error {
		table := newTable(o.c, o.c.Batch, o.c.Heads)
		return func() error { return b.pool.Attention(o.heads, o.q, o.k, o.v, table, kernel.Mask{}, o.scale) }
	}},
	{
		1, "compiled at run time", "", "Go is compiled ahead of time; level 0 already uses the fastest code for this CPU",
		nil, nil,
	},
	{2, "one head at a time", "table of one head", "", func(n Need) float64 { return n.OneHead }, func(b *builtIn, o *operands) func() error {
		table := newTable(o.c, 1, 1)
		return func() error {
			for i := range o.c.Batch {
				for h := range o.c.Heads {
					if err := b.pool.Attention(one(o.heads, i, h), one(o.q, i, h), one(o.k, i, h), one(o.v, i, h), table,
						kernel.Mask{}, o.scale); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}},
	{3, "tiled, online softmax", "tiled", "", func(Need) float64 { return 0 }, func(b *builtIn, o *operands) func() error {
		return func() error { return b.pool.TiledAttention(o.heads, o.q, o.k, o.v, kernel.Mask{}, o.scale) }
	}},
}

// one is a single matrix of a stack.
func one(s kernel.Stack, batch, head int) kernel.Stack {
	s.Data = s.Data[batch*s.BatchStep+head*s.HeadStep:]
	s.Batch, s.Heads = 1, 1
	return s
}

func (b *builtIn) levels(ctx context.Context, o *operands, out *MeasuredCase, need Need) error {
	// Queries, keys, values and the result are all that a level needs; what a projection reads is let go.
	o.x, o.y, o.weightQKV, o.weightOut = nil, nil, nil, nil
	for _, level := range b.plan.Levels {
		w := ways[level]
		b.progress(fmt.Sprintf("%s: level %d, %s", o.c, level, w.name))
		m := MeasuredLevel{Level: level, Name: w.name, Backend: w.backend, Skipped: w.skipped}
		if m.Skipped == "" {
			m.Skipped = tooLarge("its scores need", need.Projections+w.table(need), b.free)
		}
		if m.Skipped == "" {
			meter := startMeter(kernel.Shape{
				Batch: o.c.Batch, Heads: o.c.Heads, Queries: o.c.Seq, Keys: o.c.Seq,
				Width: o.c.DModel / o.c.Heads,
			}.OperandBytes() + b.pool.Held())
			call := w.prepare(b, o)
			if err := call(); err != nil {
				return fmt.Errorf("level %d of %s: %w", level, o.c, err)
			}
			m.Memory = meter.stop()
			var err error
			if m.Timings, err = b.timings(ctx, call); err != nil {
				return fmt.Errorf("level %d of %s: %w", level, o.c, err)
			}
			worst, rows := o.error(b.plan.Seed)
			number := stat.Number(worst)
			m.MaxError = &number
			if all := o.c.Batch * o.c.Heads * o.c.Seq; rows < all {
				m.Evidence = []string{fmt.Sprintf("error measured on %d of %d rows", rows, all)}
			}
		}
		out.Levels = append(out.Levels, m)
	}
	return nil
}

// errorEffort bounds what is computed again in float64, in multiplications.
const errorEffort = 2e8

// error is the largest difference between what was computed and the same in float64, over rows chosen at random.
func (o *operands) error(seed uint64) (worst float64, rows int) {
	head := o.c.DModel / o.c.Heads
	all := o.c.Batch * o.c.Heads * o.c.Seq
	rows = min(all, max(16, int(errorEffort/float64(2*o.c.Seq*head))))
	random := rand.New(rand.NewPCG(seed, 2))
	want, weights := make([]float64, head), make([]float64, o.c.Seq)
	for i := range rows {
		if rows < all {
			i = random.IntN(all)
		}
		batch, h, row := i/(o.c.Heads*o.c.Seq), i/o.c.Seq%o.c.Heads, i%o.c.Seq
		kernel.ReferenceAttention(want, weights, o.q, o.k, o.v, kernel.Mask{}, float64(o.scale), batch, h, row)
		got := one(o.heads, batch, h).Data[row*o.heads.RowStep:]
		for j, w := range want {
			if d := math.Abs(float64(got[j]) - w); d > worst || math.IsNaN(d) {
				worst = d
			}
		}
	}
	return worst, rows
}
