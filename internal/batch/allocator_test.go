package batch

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"saturate/internal/probe"
)

// heap is a caching allocator as PyTorch's: segments that are split and joined, and kept when they are free.
type heap struct {
	segments []*segment
	live     int64
	reserved int64
	limit    int64 // bytes that it may take
	retries  int
	failed   bool

	liveMost, reservedMost int64
}

type segment struct {
	size   int64
	blocks []block // by place
}

type block struct {
	size int64
	free bool
}

type handle struct {
	in *segment
	at int64 // place
}

const (
	grain    = 512
	smallest = 1 << 20  // remainders that are split off
	segments = 20 << 20 // size of those that smaller blocks share
)

func (h *heap) take(size int64) handle {
	size = (size + grain - 1) / grain * grain
	if got, ok := h.reuse(size); ok {
		return got
	}
	want := size
	if want < segments/2 {
		want = segments
	}
	want = (want + 2<<20 - 1) / (2 << 20) * (2 << 20)
	if h.reserved+want > h.limit {
		h.retries++
		h.release()
		if h.reserved+want > h.limit {
			h.failed = true
			return handle{}
		}
	}
	s := &segment{size: want, blocks: []block{{want, true}}}
	h.segments = append(h.segments, s)
	h.reserved += want
	h.reservedMost = max(h.reservedMost, h.reserved)
	got, _ := h.reuse(size)
	return got
}

// reuse takes the smallest free block that is large enough.
func (h *heap) reuse(size int64) (handle, bool) {
	var best *segment
	index, least := -1, int64(math.MaxInt64)
	for _, s := range h.segments {
		for i, b := range s.blocks {
			if b.free && b.size >= size && b.size < least {
				best, index, least = s, i, b.size
			}
		}
	}
	if best == nil {
		return handle{}, false
	}
	at := int64(0)
	for _, b := range best.blocks[:index] {
		at += b.size
	}
	b := &best.blocks[index]
	b.free = false
	if rest := b.size - size; rest > smallest {
		b.size = size
		best.blocks = slices.Insert(best.blocks, index+1, block{rest, true})
	}
	h.live += best.blocks[index].size
	h.liveMost = max(h.liveMost, h.live)
	return handle{best, at}, true
}

func (h *heap) give(x handle) {
	if x.in == nil {
		return
	}
	at, s := int64(0), x.in
	for i := range s.blocks {
		if at == x.at {
			s.blocks[i].free = true
			h.live -= s.blocks[i].size
			if i+1 < len(s.blocks) && s.blocks[i+1].free {
				s.blocks[i].size += s.blocks[i+1].size
				s.blocks = slices.Delete(s.blocks, i+1, i+2)
			}
			if i > 0 && s.blocks[i-1].free {
				s.blocks[i-1].size += s.blocks[i].size
				s.blocks = slices.Delete(s.blocks, i, i+1)
			}
			return
		}
		at += s.blocks[i].size
	}
}

// release gives whole free segments back.
func (h *heap) release() {
	h.segments = slices.DeleteFunc(h.segments, func(s *segment) bool {
		free := len(s.blocks) == 1 && s.blocks[0].free
		if free {
			h.reserved -= s.size
		}
		return free
	})
}

// job is a made-up training program.
type job struct {
	total, others int64
	weights       int64
	workspace     int64
	layers        []float64 // bytes a sample of length 1 leaves in each
	square        float64   // bytes by sample and length², as attention's
	lengths       []float64 // of the samples
	seen          int       // samples whose lengths the search sees
	own           int
	fixed, each   float64 // seconds of a step, and of a sample
	noise         float64
	evaluation    int // batch size; 0: none
	random        *rand.Rand
}

func newJob(seed uint64) *job {
	r := rand.New(rand.NewPCG(seed, 31))
	j := &job{random: r, total: int64(8+r.IntN(132)) << 30}
	j.others = int64(r.Float64() * 0.2 * float64(j.total))
	j.weights = int64(math.Exp(r.Float64()*4)*float64(64<<20)) / 4
	j.workspace = int64(r.IntN(64)) << 20
	each := float64(j.total) * math.Exp(-2-6*r.Float64()) // bytes of a sample of median length: from 12% of the memory to 0.03%
	for range 8 + r.IntN(24) {
		j.layers = append(j.layers, 0.2+r.Float64())
	}
	sum := 0.0
	for _, l := range j.layers {
		sum += l
	}
	for i := range j.layers {
		j.layers[i] *= each / sum
	}
	if r.IntN(3) == 0 {
		j.square = each * 0.3 * r.Float64()
	}
	spread := []float64{0, 0.2, 0.4}[r.IntN(3)]
	n := 400 + r.IntN(2000)
	for range n {
		j.lengths = append(j.lengths, min(3, math.Exp(spread*r.NormFloat64())))
	}
	j.seen = n
	if r.IntN(3) == 0 {
		j.seen = 256
	}
	j.own = 1 << r.IntN(5)
	j.fixed, j.each = 0.02+0.05*r.Float64(), 0.0005*math.Exp(3*r.Float64())
	j.noise = 0.01 * r.Float64()
	if r.IntN(2) == 0 {
		j.evaluation = j.own
	}
	return j
}

// training is a process that trains.
type training struct {
	*job
	heap
	state bool // the optimizer's exists
}

func (j *job) start(limit int64) *training {
	p := &training{job: j, heap: heap{limit: limit}}
	p.take(j.weights)
	return p
}

// step trains with a batch: its samples are padded to the longest.
func (p *training) step(batch []float64, trains bool) {
	n, longest := float64(len(batch)), slices.Max(batch)
	var held []handle
	workspace := p.take(p.workspace)
	for _, layer := range p.layers {
		kept := p.take(int64(n*longest*layer) + 1)
		passing := p.take(int64(n*longest*longest*p.square) + 1)
		if trains {
			held = append(held, kept)
		} else {
			defer p.give(kept)
		}
		p.give(passing)
	}
	if trains {
		gradients := p.take(p.weights)
		for _, h := range slices.Backward(held) {
			p.give(h)
		}
		if !p.state {
			p.state = true
			p.take(2 * p.weights) // it stays
		}
		p.give(gradients)
	}
	p.give(workspace)
}

// trial is what the probe would do: shorter batches first, so that memory is cut up as in a shuffled run; then the
// longest, then any.
func (j *job) trial(_ context.Context, t Trial) (Measured, error) {
	batch := t.Batch
	if batch == 0 {
		batch = j.own
	}
	p := j.start(int64(0.97*float64(j.total)) - j.others)
	known := slices.Sorted(slices.Values(j.lengths[:j.seen]))
	for i := range t.Steps {
		p.step(j.batchOf(known, batch, i, t.Steps), true)
	}
	if j.evaluation > 0 {
		p.step(j.top(known, j.evaluation), false)
	}
	m := Measured{Batch: batch, Steps: t.Steps, Samples: len(j.lengths)}
	m.Lengths = lengthsOf(known, len(j.lengths))
	m.Total, m.Others, m.Allocated, m.Reserved, m.Retries = j.total, j.others, p.liveMost, p.reservedMost, p.retries
	if p.failed {
		m.Fault = OutOfMemory
		return m, nil
	}
	m.Seconds = (j.fixed + j.each*float64(batch)) * (1 + j.noise*j.random.NormFloat64())
	m.Rate = float64(batch) / m.Seconds
	return m, nil
}

func lengthsOf(known []float64, all int) probe.Lengths {
	n := len(known)
	l := probe.Lengths{Seen: n, Samples: all, Varies: known[0] < known[n-1], Longest: known[n-1], Median: known[n/2]}
	tenth := known[n-max(1, n/10):]
	for _, v := range tenth {
		l.Tail += (v - tenth[0]) / float64(len(tenth))
	}
	return l
}

// batchOf is the order of py/saturate_probe/lengths.py.
func (j *job) batchOf(known []float64, n, step, steps int) []float64 {
	third := max(1, steps/3)
	switch {
	case step < third:
		end := max(1, len(known)*(step+1)/(third+1))
		return repeat(known[max(0, end-n):end], n)
	case step < steps-third:
		return j.top(known, n)
	}
	return j.any(n)
}

// top are the longest samples; where not all are known, of the longest tenth that is.
func (j *job) top(known []float64, n int) []float64 {
	count := n
	if j.seen < len(j.lengths) {
		count = max(1, len(known)/10)
	}
	return repeat(known[max(0, len(known)-count):], n)
}

func (j *job) any(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = j.lengths[j.random.IntN(len(j.lengths))]
	}
	return list
}

func repeat(of []float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = of[i%len(of)]
	}
	return list
}

// later reports whether a shuffled run of the batch size runs out of memory, with evaluations in between.
func (j *job) later(batch, steps int) bool {
	p := j.start(int64(0.97*float64(j.total)) - j.others)
	for i := range steps {
		p.step(j.any(batch), true)
		if j.evaluation > 0 && i%50 == 49 {
			p.step(j.any(j.evaluation), false)
		}
	}
	return p.failed
}
