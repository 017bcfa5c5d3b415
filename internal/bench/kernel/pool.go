package kernel

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Pool is a number of goroutines with their working memory. Calls queue; Close ends the
// goroutines.
type Pool struct {
	mu      sync.Mutex
	set     set
	workers []*worker
	closed  bool

	// The call that runs now, and how many helpers are at it.
	gate    sync.Mutex
	job     job // nil for none
	helpers int
	left    *sync.Cond // the last helper has gone
	pieces  int
	next    atomic.Int64
	stopped atomic.Bool

	// Room for each kind of call, so that none allocates.
	product product
	rows    softmax
	tiles   tiles
	stream  stream
}

// job is a call cut into pieces that any worker can do.
type job interface {
	piece(w *worker, i int)
}

type worker struct {
	set     *set
	wake    chan struct{}
	scratch []float32
}

var errClosed = errors.New("kernel: the pool is closed")

// NewPool starts threads goroutines less one: who calls works along. An empty level is the
// fastest of this machine.
func NewPool(threads int, level Level) (*Pool, error) {
	if threads < 1 || threads > 4096 {
		return nil, fmt.Errorf("kernel: %d threads are not possible; use 1 to 4096", threads)
	}
	s, err := setOf(level)
	if err != nil {
		return nil, err
	}
	p := &Pool{set: s}
	p.left = sync.NewCond(&p.gate)
	for i := range threads {
		w := &worker{set: &p.set}
		p.workers = append(p.workers, w)
		if i > 0 {
			w.wake = make(chan struct{}, 1)
			go p.serve(w)
		}
	}
	return p, nil
}

// Threads is how many work at once.
func (p *Pool) Threads() int { return len(p.workers) }

// Level is the instruction set in use.
func (p *Pool) Level() Level { return p.set.level }

// Close ends the goroutines and gives the memory back.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, w := range p.workers {
		if w.wake != nil {
			close(w.wake)
		}
		w.scratch = nil
	}
}

// Stop ends the call that runs now after the pieces that somebody is at, and every later one at once: large calls take
// hours. What they were to compute is not computed.
func (p *Pool) Stop() { p.stopped.Store(true) }

// Held is the bytes of working memory the pool has now.
func (p *Pool) Held() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	var n int64
	for _, w := range p.workers {
		if w.scratch != nil {
			n += 4 * int64(len(w.scratch)+line)
		}
	}
	return n
}

// reserve gives every worker room for n values, from the start of a cache line on.
func (p *Pool) reserve(n int) {
	for _, w := range p.workers {
		if len(w.scratch) < n {
			w.scratch = nil // the old one need not live beside the new one
			w.scratch = Values(n)
		}
	}
}

// run does the pieces of a job, the caller among the workers, and returns when all are done. Small
// jobs stay with the caller: waking somebody takes longer than they do. A helper that wakes up too
// late is not waited for, so that on a busy machine the caller does its work alone.
func (p *Pool) run(j job, pieces int, small bool) {
	p.gate.Lock()
	p.job, p.pieces = j, pieces
	p.next.Store(0)
	p.gate.Unlock()
	if !small {
		for _, w := range p.workers[1:min(len(p.workers), pieces)] {
			select {
			case w.wake <- struct{}{}:
			default: // it has been woken before and is still on its way
			}
		}
	}
	p.work(p.workers[0], j)
	p.gate.Lock()
	p.job = nil
	for p.helpers > 0 {
		p.left.Wait()
	}
	p.gate.Unlock()
}

func (p *Pool) serve(w *worker) {
	for range w.wake {
		p.gate.Lock()
		j := p.job
		if j != nil {
			p.helpers++
		}
		p.gate.Unlock()
		if j == nil {
			continue
		}
		p.work(w, j)
		p.gate.Lock()
		if p.helpers--; p.helpers == 0 {
			p.left.Signal()
		}
		p.gate.Unlock()
	}
}

func (p *Pool) work(w *worker, j job) {
	for {
		i := int(p.next.Add(1)) - 1
		if i >= p.pieces || p.stopped.Load() {
			return
		}
		j.piece(w, i)
	}
}
