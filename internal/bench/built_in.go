package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"saturate/internal/bench/kernel"
	"saturate/internal/device"
	"saturate/internal/human"
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
		cases, skipped = nil, "the built-in kernels run on the CPU, not on "+plan.Device
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
	defer context.AfterFunc(ctx, pool.Stop)()
	cache := lastLevelCache(e.System)
	sides, moved := productSides, min(max(2*cache, leastMoved), mostMoved)
	flushed := max(2*cache, leastMoved)
	if e.Small {
		sides, moved, flushed = []int{64}, 1<<20, 1<<20
	}
	b := &builtIn{plan: plan, pool: pool, tell: tell, of: 2 + len(cases)*(len(Components)+len(plan.Levels))}
	if plan.Cold {
		b.flush = make([]float32, flushed/4)
	}
	machine := onProcessor(ctx, e.System)
	machine.Version += " " + string(pool.Level())
	machine.Threads, machine.CacheBytes, machine.FlushBytes = threads, cache, int64(4*len(b.flush))
	b.out.Machines = []Machine{machine}
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

// attention measures one case. What is finished counts also where it is stopped on the way.
func (b *builtIn) attention(ctx context.Context, c Case) error {
	out := MeasuredCase{Case: c}
	defer func() {
		if len(out.Components)+len(out.Levels)+len(out.Failed) > 0 {
			b.out.Cases = append(b.out.Cases, out)
		}
	}()
	need := needOf(c.Shape, 4)
	problem := tooLarge(c.String()+" needs", need.Projections, b.free)
	if problem == "" {
		problem = tooSlow(c, b.out.roofOf("go", "fp32"))
	}
	if problem != "" {
		out.Failed = append(out.Failed, problem)
		b.done += len(Components) + len(b.plan.Levels)
		return nil
	}
	o := newOperands(c, b.plan.Seed)
	lacking := tooLarge("the scores of "+c.String()+" need", need.Projections+need.Scores, b.free)
	if lacking != "" {
		out.Failed = append(out.Failed, lacking)
	}
	if err := b.components(ctx, o, &out, lacking); err != nil {
		return err
	}
	return b.levels(ctx, o, &out, need)
}

// longestCall is the most that one call may take.
const longestCall = 10 * time.Minute

// tooSlow says that a call would take longer than anybody waits, at the rate of the large product, or nothing.
func tooSlow(c Case, roof Roof) string {
	work := fusedWork(c.Shape, 4).FLOPs
	if roof.FLOPS == 0 || work <= longestCall.Seconds()*roof.FLOPS {
		return ""
	}
	return fmt.Sprintf("%s needs %s, %s hours per call: choose a smaller --batch or --seq",
		c, human.Value(work, "FLOP"), human.Value(work/roof.FLOPS/3600, ""))
}

func (b *builtIn) components(ctx context.Context, o *operands, out *MeasuredCase, lacking string) error {
	rows, d := o.c.Batch*o.c.Seq, o.c.DModel
	if lacking == "" {
		o.table = newTable(o.c, o.c.Batch, o.c.Heads)
	}
	calls := map[string]func() error{
		"qkv_projection": func() error {
			return b.pool.MultiplyTransposed(kernel.Matrix(o.qkv, rows, 3*d), kernel.Matrix(o.x, rows, d),
				kernel.Matrix(o.weightQKV, 3*d, d))
		},
		"scores":       func() error { return b.pool.MultiplyTransposed(o.table, o.q, o.k) },
		"softmax":      func() error { return b.pool.Softmax(o.table, kernel.Mask{}, o.scale) },
		"weighted_sum": func() error { return b.pool.Multiply(o.heads, o.table, o.v) },
		"output_projection": func() error {
			return b.pool.MultiplyTransposed(kernel.Matrix(o.y, rows, d), kernel.Matrix(o.context, rows, d),
				kernel.Matrix(o.weightOut, d, d))
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
