package gpu

import (
	"errors"
	"sync"

	"saturate/internal/cuda"
	melcuda "saturate/internal/mel/cuda"
)

// queue brings the rows of all workers of one GPU together into batches. A worker puts its rows into the lane that is
// open; the lane flies when it is full, or as soon as the GPU has nothing better to do. So batches grow by themselves
// when there is much to do, and nothing waits when there is little. Who brings the last row launches the lane and goes
// on; a goroutine of the flight waits for it.
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
	lane             *melcuda.Lane
	rows             int // that the lane was made for
	reserved, filled int
	loads            []load
}

// load is clips next to each other in a flight, and what to call when they are back.
type load struct {
	clips  []melcuda.Clip
	first  int
	landed func(clips []melcuda.Clip, err error)
}

var errNoMemory = errors.New("GPU memory is full")

func newQueue(p *Pool, g *melcuda.GPU, rows, lanes int) *queue {
	q := &queue{pool: p, gpu: g, most: max(1, lanes), size: newSize(rows)}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// compute computes the first clips, as many as go into one batch beside others', and says how many. None
// means that the first one does not fit, that there is no memory at all, or that the GPU is lost.
func (q *queue) compute(clips []melcuda.Clip) int {
	landed := make(chan error, 1)
	for {
		n := q.send(clips, func(_ []melcuda.Clip, err error) { landed <- err })
		if n == 0 {
			return 0
		}
		switch err := <-landed; {
		case err == nil:
			return n
		case !cuda.HasCode(err, cuda.OutOfMemory):
			return 0 // the GPU is lost
		}
	}
}

// send is compute for who does not wait: landed is called when these clips are computed, or cannot be. It is not called
// when there are none.
func (q *queue) send(clips []melcuda.Clip, landed func(clips []melcuda.Clip, err error)) int {
	f, first, n := q.reserve(clips)
	if n == 0 {
		return 0
	}
	for i := range n {
		f.lane.Fill(first+i, &clips[i])
	}
	if q.filled(f, load{clips[:n], first, landed}) {
		q.launch(f)
	}
	return n
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
			go q.launch(f)
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
			q.open = &flight{lane: lane, rows: q.size.rows}
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

// filled notes rows whose samples are there, and reports whether it is time for the lane to go.
func (q *queue) filled(f *flight, l load) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	f.filled += len(l.clips)
	f.loads = append(f.loads, l)
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

// start closes the open lane, and reports whether it can go at once. Otherwise it goes when its last row is filled.
func (q *queue) start() bool {
	f := q.open
	q.open = nil
	q.flying++
	return f.filled == f.reserved
}

// launch takes a lane to the GPU, and leaves it to a goroutine to wait there.
func (q *queue) launch(f *flight) {
	err := f.lane.Launch()
	go q.land(f, err)
}

// land waits for a lane, tells those who wait for their rows, and lets the next one go.
func (q *queue) land(f *flight, err error) {
	var times melcuda.Times
	if err == nil {
		times, err = f.lane.Land()
	}
	if err == nil {
		q.pool.count(times, 0, 0)
		for _, l := range f.loads {
			for i := range l.clips {
				f.lane.Take(l.first+i, &l.clips[i])
			}
		}
	}
	next := q.back(f, err)
	for _, l := range f.loads {
		l.landed(l.clips, err)
	}
	if next != nil {
		q.launch(next)
	}
}

// back gives a lane's memory to the next rows, and tells which lane is to go now.
func (q *queue) back(f *flight, err error) *flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.changed.Broadcast()
	switch {
	case cuda.HasCode(err, cuda.OutOfMemory):
		q.pool.count(melcuda.Times{}, 0, 1)
		if !q.size.halve() {
			q.lose(err)
		}
	case err != nil:
		q.lose(err)
	}
	grow := err == nil && q.size.worked()
	if err != nil || grow || f.rows != q.size.rows {
		q.drop(f) // one of another size takes its place
	} else {
		f.lane.Reset()
		q.idle = append(q.idle, &flight{lane: f.lane, rows: f.rows})
	}
	q.flying--
	if next := q.open; q.wanted() && q.start() {
		return next
	}
	return nil
}

func (q *queue) drop(f *flight) {
	q.lanes--
	if q.lost != nil {
		return // and it may still use the lane
	}
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

// empty reports whether there is not a single lane.
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

// close gives all lanes back, once the workers are done. Nothing is taken from a GPU that is lost: it may still use it.
func (q *queue) close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lost != nil {
		return nil
	}
	var errs []error
	if q.open != nil {
		q.idle = append(q.idle, q.open)
	}
	for _, f := range q.idle {
		errs = append(errs, f.lane.Close())
	}
	q.open, q.idle, q.lanes = nil, nil, 0
	return errors.Join(append(errs, q.gpu.Close())...)
}
