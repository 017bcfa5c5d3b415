package kernel

import "fmt"

// stream is one call of Copy or Triad, cut into chunks.
type stream struct {
	to, a, b []float32
	factor   float32
	chunk    int
}

// Copy copies from to to, all threads at it: 8 bytes move for every value.
func (p *Pool) Copy(to, from []float32) error { return p.pass(to, from, nil, 0) }

// Triad computes to = a + factor·b: 12 bytes move for every value.
func (p *Pool) Triad(to, a, b []float32, factor float32) error {
	if len(b) != len(to) {
		return fmt.Errorf("kernel: the triad's slices have %d, %d and %d values: they have to be as long", len(to), len(a),
			len(b))
	}
	return p.pass(to, a, b, factor)
}

// pass goes over the slices once; without b it copies.
func (p *Pool) pass(to, a, b []float32, factor float32) error {
	if len(a) != len(to) {
		return fmt.Errorf("kernel: from %d values to %d: both have to be as long", len(a), len(to))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	j := &p.stream
	*j = stream{to: to, a: a, b: b, factor: factor, chunk: 1 << 20}
	pieces := (len(to) + j.chunk - 1) / j.chunk
	if pieces > 0 {
		p.run(j, pieces, pieces == 1)
	}
	*j = stream{}
	return nil
}

func (j *stream) piece(w *worker, i int) {
	from, to := i*j.chunk, min(len(j.to), (i+1)*j.chunk)
	if j.b == nil {
		w.set.copy(j.to[from:to], j.a[from:to])
		return
	}
	w.set.triad(j.to[from:to], j.a[from:to], j.b[from:to], j.factor)
}
