package melcuda

import (
	"fmt"
	"sync"
	"unsafe"

	"saturate/internal/cuda"
)

// Pins are memory that GPUs copy to and from by themselves. One list serves all GPUs.
type Pins struct {
	mu     sync.RWMutex
	ranges [][]byte
}

// add notes memory that is pinned.
func (p *Pins) add(memory []byte) {
	p.mu.Lock()
	p.ranges = append(p.ranges, memory)
	p.mu.Unlock()
}

// Alloc gives pinned memory. It is given back by free, after which no slice of it may be used.
func (g *GPU) Alloc(size int) (memory []byte, free func() error, err error) {
	if g.pins == nil {
		return nil, nil, fmt.Errorf("GPU %d was opened without a pinned memory list", g.Index)
	}
	var p cuda.Pinned
	err = g.ctx.Do(func() (err error) {
		p, err = g.ctx.AllocPinned(size)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	g.pins.add(p.Bytes)
	g.count(0, size)
	return p.Bytes, func() error {
		g.pins.drop(p.Bytes)
		g.count(0, -size)
		return g.ctx.Do(p.Free)
	}, nil
}

func (p *Pins) drop(memory []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.ranges {
		if unsafe.SliceData(r) == unsafe.SliceData(memory) {
			p.ranges = append(p.ranges[:i], p.ranges[i+1:]...)
			return
		}
	}
}

// holds says whether all of the memory is pinned.
func (p *Pins) holds(memory []byte) bool {
	if p == nil || len(memory) == 0 {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	from := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	for _, r := range p.ranges {
		start := uintptr(unsafe.Pointer(unsafe.SliceData(r)))
		if from >= start && from+uintptr(len(memory)) <= start+uintptr(len(r)) {
			return true
		}
	}
	return false
}
