package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"

	"saturate/internal/bench/kernel"
	"saturate/internal/device"
	"saturate/internal/stat"
	"saturate/internal/version"
)

// BuiltIn measures with the kernels that are part of this program: float32 on the processor, no Python.
type BuiltIn struct {
	System  device.System
	Threads int // 0: as many as the process may use

	// Small measures ceilings on sizes that say nothing about the machine; tests have no time for more.
	Small bool
}

// Framework is go.
func (BuiltIn) Framework() string { return "go" }

// builtIn is one run of it.
type builtIn struct {
	plan    Plan
	pool    *kernel.Pool
	free    int64
	flush   []float32 // written before each call with cold caches
	out     Measured
	tell    func(Event)
	done    int
	of      int
	written float32
}

// Measure times the parts and the levels of each case.
func (e BuiltIn) Measure(ctx context.Context, plan Plan, tell func(Event)) (Measured, error) {
	cases, skipped := builtInCases(plan)
	if plan.Device != "auto" && plan.Device != "cpu" {
		cases, skipped = nil, "the built-in kernels run on the processor, not on "+plan.Device
	}
	if len(cases) == 0 {
		return Measured{}, &MissingError{Skip{"go", skipped}}
	}
	threads := e.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	pool, err := kernel.NewPool(threads, "")
	if err != nil {
		return Measured{}, err
	}
	defer pool.Close()
	cpu, free := processor(ctx, e.System)
	cache := lastLevelCache(e.System)
	sides, moved := productSides, min(max(2*cache, leastMoved), mostMoved)
	flushed := max(2*cache, leastMoved)
	if e.Small {
		sides, moved, flushed = []int{64}, 1<<20, 1<<20
	}
	b := &builtIn{plan: plan, pool: pool, free: free, tell: tell, of: 2 + len(cases)*(len(Components)+len(plan.Levels))}
	if plan.Cold {
		b.flush = make([]float32, flushed/4)
	}
	b.out.Machines = []Machine{{
		Framework: "go", Version: version.Version + " " + string(pool.Level()), Name: cpu.Model, Backend: "cpu", Threads: threads,
		MemoryBytes: int64(cpu.MemoryBytes), FreeBytes: free, CacheBytes: cache, FlushBytes: int64(4 * len(b.flush)),
	}}
	if skipped != "" {
		b.out.Notes = append(b.out.Notes, "go: "+skipped)
	}
	if err := b.ceilings(ctx, sides, moved); err != nil {
		return b.out, err
	}
	for _, c := range cases {
		_, b.free = processor(ctx, e.System) // other programs come and go
		if err := b.attention(ctx, c); err != nil {
			return b.out, err
		}
		debug.FreeOSMemory()
	}
	return b.out, nil
}

// builtInCases are those in float32; skipped says what became of the others.
func builtInCases(plan Plan) (cases []Case, skipped string) {
	for _, c := range plan.Cases() {
		switch {
		case c.Framework != "go":
		case c.DType != "fp32":
			skipped = "the built-in kernels compute in fp32 only; bf16, fp16 and tf32 need torch or jax"
		default:
			cases = append(cases, c)
		}
	}
	return cases, skipped
}

func (b *builtIn) progress(what string) {
	b.tell(Event{Framework: "go", Done: b.done, Of: b.of, What: what})
	b.done++
}

// timings measures a call with cold caches, with warm ones, or both.
func (b *builtIn) timings(ctx context.Context, call func() error) (t Timings, err error) {
	if b.plan.Cold {
		cold, err := measure(ctx, b.plan.Effort, b.empty, call)
		if err != nil {
			return t, err
		}
		t.Cold = &cold
	}
	if b.plan.Warm {
		warm, err := measure(ctx, b.plan.Effort, nil, call)
		if err != nil {
			return t, err
		}
		t.Warm = &warm
	}
	return t, nil
}

// empty drives the operands out of the caches, by writing more than they hold.
func (b *builtIn) empty() error {
	b.written++
	for i := 0; i < len(b.flush); i += 16 { // a cache line each
		b.flush[i] = b.written
	}
	return nil
}

// operands are those of one case. A projection's weights lie as torch.nn.Linear keeps them.
type operands struct {
	c                     Case
	x, qkv, context, y    []float32
	weightQKV, weightOut  []float32
	q, k, v, heads, table kernel.Stack
	scale                 float32
}

func newOperands(c Case, seed uint64) *operands {
	rows, d, head := c.Batch*c.Seq, c.DModel, c.DModel/c.Heads
	random := rand.New(rand.NewPCG(seed, uint64(rows)))
	normal := func(n int, spread float64) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(spread * random.NormFloat64())
		}
		return s
	}
	o := &operands{
		c: c, x: normal(rows*d, 1), qkv: normal(3*rows*d, 1), context: make([]float32, rows*d), y: make([]float32, rows*d),
		weightQKV: normal(3*d*d, 1/math.Sqrt(float64(d))), weightOut: normal(d*d, 1/math.Sqrt(float64(d))),
		scale: float32(1 / math.Sqrt(float64(head))),
	}
	part := func(at int) kernel.Stack { return kernel.Split(o.qkv[at*d:], c.Batch, c.Heads, c.Seq, head, 3*d) }
	o.q, o.k, o.v = part(0), part(1), part(2)
	o.heads = kernel.Split(o.context, c.Batch, c.Heads, c.Seq, head, d)
	return o
}

func newTable(c Case, batch, heads int) kernel.Stack {
	return kernel.Dense(make([]float32, batch*heads*c.Seq*c.Seq), batch, heads, c.Seq, c.Seq)
}

func (b *builtIn) attention(ctx context.Context, c Case) error {
	out := MeasuredCase{Case: c}
	need := NeedOf(c.Shape, 4)
	if problem := tooLarge(c.String()+" needs", need.Projections, b.free); problem != "" {
		out.Failed = append(out.Failed, problem)
		b.out.Cases = append(b.out.Cases, out)
		b.done += len(Components) + len(b.plan.Levels)
		return nil
	}
	o := newOperands(c, b.plan.Seed)
	lacking := tooLarge("the scores of "+c.String()+" need", need.Projections+need.Scores, b.free)
	if err := b.components(ctx, o, &out, lacking); err != nil {
		return err
	}
	if err := b.levels(ctx, o, &out, lacking); err != nil {
		return err
	}
	if lacking != "" {
		out.Failed = append(out.Failed, lacking)
	}
	b.out.Cases = append(b.out.Cases, out)
	return nil
}

func (b *builtIn) components(ctx context.Context, o *operands, out *MeasuredCase, lacking string) error {
	rows, d := o.c.Batch*o.c.Seq, o.c.DModel
	if lacking == "" {
		o.table = newTable(o.c, o.c.Batch, o.c.Heads)
	}
	calls := map[string]func() error{
		"qkv_projection": func() error {
			return b.pool.MultiplyTransposed(kernel.Matrix(o.qkv, rows, 3*d), kernel.Matrix(o.x, rows, d), kernel.Matrix(o.weightQKV, 3*d, d))
		},
		"scores":       func() error { return b.pool.MultiplyTransposed(o.table, o.q, o.k) },
		"softmax":      func() error { return b.pool.Softmax(o.table, kernel.Mask{}, o.scale) },
		"weighted_sum": func() error { return b.pool.Multiply(o.heads, o.table, o.v) },
		"output_projection": func() error {
			return b.pool.MultiplyTransposed(kernel.Matrix(o.y, rows, d), kernel.Matrix(o.context, rows, d), kernel.Matrix(o.weightOut, d, d))
		},
	}
	for _, part := range Components {
		b.progress(o.c.String() + ": " + part.Title)
		m := MeasuredComponent{Name: part.Name}
		if part.matrix && lacking != "" {
			m.Skipped = lacking
		} else {
			var err error
			if m.Timings, err = b.timings(ctx, calls[part.Name]); err != nil {
				return fmt.Errorf("%s of %s: %w", part.Title, o.c, err)
			}
		}
		out.Components = append(out.Components, m)
	}
	o.table = kernel.Stack{}
	return nil
}

// way is how a level computes attention: run makes what it needs and returns the call.
type way struct {
	level         int
	name, backend string
	skipped       string
	table         bool // it holds the scores of all heads
	prepare       func(b *builtIn, o *operands) func() error
}

var ways = []way{
	{0, "table of scores", "table", "", true, func(b *builtIn, o *operands) func() error {
		table := newTable(o.c, o.c.Batch, o.c.Heads)
		return func() error { return b.pool.Attention(o.heads, o.q, o.k, o.v, table, kernel.Mask{}, o.scale) }
	}},
	{1, "compiled at run time", "", "Go is compiled ahead of time; level 0 already runs the fastest loops of this processor", false, nil},
	{2, "one head at a time", "table of one head", "", false, func(b *builtIn, o *operands) func() error {
		table := newTable(o.c, 1, 1)
		return func() error {
			for i := range o.c.Batch {
				for h := range o.c.Heads {
					if err := b.pool.Attention(one(o.heads, i, h), one(o.q, i, h), one(o.k, i, h), one(o.v, i, h), table, kernel.Mask{}, o.scale); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}},
	{3, "tiled, online softmax", "tiled", "", false, func(b *builtIn, o *operands) func() error {
		return func() error { return b.pool.TiledAttention(o.heads, o.q, o.k, o.v, kernel.Mask{}, o.scale) }
	}},
}

// one is a single matrix of a stack.
func one(s kernel.Stack, batch, head int) kernel.Stack {
	s.Data = s.Data[batch*s.BatchStep+head*s.HeadStep:]
	s.Batch, s.Heads = 1, 1
	return s
}

func (b *builtIn) levels(ctx context.Context, o *operands, out *MeasuredCase, lacking string) error {
	// Queries, keys, values and the result are all that a level needs; what a projection reads is let go.
	o.x, o.y, o.weightQKV, o.weightOut = nil, nil, nil, nil
	for _, level := range b.plan.Levels {
		w := ways[level]
		b.progress(fmt.Sprintf("%s: level %d, %s", o.c, level, w.name))
		m := MeasuredLevel{Level: level, Name: w.name, Backend: w.backend, Skipped: w.skipped}
		if m.Skipped == "" && w.table {
			m.Skipped = lacking
		}
		if m.Skipped == "" {
			meter := startMeter(kernel.Shape{Batch: o.c.Batch, Heads: o.c.Heads, Queries: o.c.Seq, Keys: o.c.Seq, Width: o.c.DModel / o.c.Heads}.OperandBytes() + b.pool.Held())
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
				m.Evidence = []string{fmt.Sprintf("the error is that of %d of %d rows", rows, all)}
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
