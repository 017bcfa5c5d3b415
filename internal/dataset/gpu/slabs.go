package gpu

import (
	"errors"
	"sync"

	"saturate/internal/cuda"
)

// slabs is pinned memory for files and rows, got in large pieces: the driver takes its time for each, one after the
// other.
type slabs struct {
	mu    sync.Mutex
	left  []byte // of the last one
	frees []func() error
}

// slab is how much is got at a time.
const slab = 16 << 20

// Alloc gives memory that GPUs read and write by themselves, until the pool is closed.
func (p *Pool) Alloc(size int) ([]byte, error) {
	s := &p.slabs
	s.mu.Lock()
	defer s.mu.Unlock()
	if size >= slab { // what is left of the last one serves smaller pieces yet
		return p.pinned(size)
	}
	if size > len(s.left) {
		got, err := p.pinned(slab)
		if cuda.HasCode(err, cuda.OutOfMemory) {
			got, err = p.pinned(size)
		}
		if err != nil {
			return nil, err
		}
		s.left = got
	}
	memory := s.left[:size:size]
	s.left = s.left[size:]
	return memory, nil
}

// pinned gets memory from the driver, through the first GPU that works.
func (p *Pool) pinned(size int) ([]byte, error) {
	for _, g := range p.gpus {
		if g.queue.gone() {
			continue
		}
		memory, free, err := g.Alloc(size)
		switch {
		case err == nil:
			p.slabs.frees = append(p.slabs.frees, free)
		case !cuda.HasCode(err, cuda.OutOfMemory):
			g.queue.fail(err)
		}
		return memory, err
	}
	return nil, errors.New("no working GPU left")
}

// free gives everything back.
func (s *slabs) free() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, free := range s.frees {
		errs = append(errs, free())
	}
	s.frees, s.left = nil, nil
	return errors.Join(errs...)
}
