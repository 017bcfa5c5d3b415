package gpu

import (
	"errors"
	"sync"

	"saturate/internal/cuda"
	melcuda "saturate/internal/mel/cuda"
)

// queue brings the rows of all workers of one GPU together into batches. A worker puts its rows into the
// lane that is open; the lane flies when it is full, or as soon as the GPU has nothing better to
// do. So batches grow by themselves when there is much to do, and nobody waits when there is little.
type queue struct {
	pool *Pool
	gpu  *melcuda.GPU
	most int // lanes

	mu      sync.Mutex
	changed *sync.Cond // a lane came back, or the GPU is lost
	size    size
	open    *flight   // takes rows
	idle    []*flight // wait for their turn
	lanes   int       // in all
	flying  int
	lost    error
}

// flight is a lane with the rows of some workers.
type flight struct {
	lane                    *melcuda.Lane
	rows                    int // that the lane was made for
	reserved, filled, taken int
	done                    chan struct{} // closed when it has come back
	err                     error
}

var errNoMemory = errors.New("the GPU's memory is used up")

func newQueue(p *Pool, g *melcuda.GPU, rows, lanes int) *queue {
	q := &queue{pool: p, gpu: g, most: max(1, lanes), size: newSize(rows)}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// compute computes the first clips, as many as go into one batch beside others', and says how many. None
// means that the first one does not fit, that there is no memory at all, or that the GPU is lost.
func (q *queue) compute(clips []melcuda.Clip) int {
	for {
		f, first, n := q.reserve(clips)
		if n == 0 {
			return 0
		}
		for i := range n {
			f.lane.Fill(first+i, &clips[i])
		}
		if q.filled(f, n) {
			q.fly(f)
		}
		<-f.done
		if f.err == nil {
			for i := range n {
				f.lane.Take(first+i, &clips[i])
			}
		}
		err := f.err
		q.taken(f, n)
		switch {
		case err == nil:
			return n
		case !cuda.HasCode(err, cuda.OutOfMemory):
			return 0 // the GPU is lost
		}
	}
}

// reserve finds places for the first clips, next to each other in the open lane.
func (q *queue) reserve(clips []melcuda.Clip) (f *flight, first, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.lost == nil {
		if q.open == nil {
			if err := q.openLane(); err != nil {
				return nil, 0, 0
			}
			continue
		}
		f = q.open
		if f.lane.Fits(clips[0]) != nil {
			return nil, 0, 0
		}
		for n < len(clips) && f.lane.Fits(clips[n]) == nil {
			place, ok := f.lane.Reserve(clips[n])
			if !ok {
				break
			}
			if n == 0 {
				first = place
			}
			n++
		}
		if n > 0 {
			f.reserved += n
			return f, first, n
		}
		if q.start() { // it is full
			go q.fly(f)
		}
	}
	return nil, 0, 0
}

// openLane takes an idle lane, makes one, or waits for one to come back.
func (q *queue) openLane() error {
	if n := len(q.idle); n > 0 {
		q.open, q.idle = q.idle[n-1], q.idle[:n-1]
		return nil
	}
	if q.lanes < q.most {
		in, out := q.pool.rowBytes()
		// One row of float samples, which are twice as large, fits into the smallest lane too.
		lane, err := q.gpu.NewLane((q.size.rows+1)*in, q.size.rows*out)
		switch {
		case err == nil:
			q.lanes++
			q.open = &flight{lane: lane, rows: q.size.rows, done: make(chan struct{})}
			return nil
		case !cuda.HasCode(err, cuda.OutOfMemory):
			q.lose(err)
			return err
		}
		q.pool.count(melcuda.Times{}, 0, 1)
		if q.lanes == 0 {
			if q.size.halve() {
				return nil // try again
			}
			return errNoMemory
		}
		q.most = q.lanes // fewer have to do
	}
	q.changed.Wait()
	return nil
}

// filled counts rows whose samples are there, and tells whether it is time for the lane to go. Who brought the last row
// takes it there: the row is waited for anyway, and nobody has to be woken for it.
func (q *queue) filled(f *flight, n int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	f.filled += n
	if f == q.open {
		return q.wanted() && q.start()
	}
	return f.filled == f.reserved
}

// wanted tells whether the open lane should go: no row is on its way into it, and the GPU could use it. One lane is
// kept back, to be filled meanwhile.
func (q *queue) wanted() bool {
	f := q.open
	return f != nil && f.reserved > 0 && f.filled == f.reserved && q.flying < max(1, q.most-1)
}

// start closes the open lane, and tells whether it can go at once. Otherwise it goes when its last row is filled.
func (q *queue) start() bool {
	f := q.open
	q.open = nil
	q.flying++
	return f.filled == f.reserved
}

// fly takes a lane to the GPU and back.
func (q *queue) fly(f *flight) {
	times, err := f.lane.Run()
	q.pool.count(times, 0, 0)
	q.mu.Lock()
	defer q.mu.Unlock()
	f.err = err
	switch {
	case cuda.HasCode(err, cuda.OutOfMemory):
		q.pool.count(melcuda.Times{}, 0, 1)
		if !q.size.halve() {
			q.lose(err)
		}
	case err != nil:
		q.lose(err)
	}
	close(f.done)
	q.flying--
	if next := q.open; q.wanted() && q.start() {
		go q.fly(next)
	}
}

// taken counts rows whose values are with their workers; after the last one the lane is idle again.
func (q *queue) taken(f *flight, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f.taken += n; f.taken < f.reserved {
		return
	}
	grow := f.err == nil && q.size.worked()
	if f.err != nil || grow || f.rows != q.size.rows {
		q.drop(f) // one of another size takes its place
	} else {
		f.lane.Reset()
		q.idle = append(q.idle, &flight{lane: f.lane, rows: f.rows, done: make(chan struct{})})
	}
	q.changed.Broadcast()
}

func (q *queue) drop(f *flight) {
	q.lanes--
	if err := f.lane.Close(); err != nil {
		q.lose(err)
	}
}

// lose gives the GPU up: nobody waits for it any more.
func (q *queue) lose(err error) {
	if q.lost == nil {
		q.lost = err
		q.pool.gaveUp(q, err)
	}
	q.changed.Broadcast()
}

// fail is lose for those who found out outside the queue.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lose(err)
}

// empty tells whether there is no lane at all.
func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lanes == 0
}

// gone says whether the GPU is lost.
func (q *queue) gone() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lost != nil
}

// close gives all lanes back, once the workers are done.
func (q *queue) close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var errs []error
	if q.open != nil {
		q.idle = append(q.idle, q.open)
	}
	for _, f := range q.idle {
		errs = append(errs, f.lane.Close())
	}
	q.open, q.idle, q.lanes = nil, nil, 0
	if err := errors.Join(append(errs, q.gpu.Close())...); q.lost == nil {
		return err
	}
	return nil
}
