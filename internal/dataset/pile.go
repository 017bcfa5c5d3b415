package dataset

import "sync"

// pile keeps what nobody uses, and hands out what was laid on it last: that is most likely still in a processor's
// cache, and what lies below is never needed where there is little to do.
type pile[T any] struct {
	some chan struct{} // a receive for each, before take

	mu   sync.Mutex
	list []T
}

// newPile is a pile of n new ones.
func newPile[T any](n int) *pile[*T] {
	p := &pile[*T]{some: make(chan struct{}, n)}
	for range n {
		p.put(new(T))
	}
	return p
}

// put lays one on the pile. There are never more than at the beginning.
func (p *pile[T]) put(v T) {
	p.mu.Lock()
	p.list = append(p.list, v)
	p.mu.Unlock()
	p.some <- struct{}{}
}

// take takes the uppermost one, for who has received from some.
func (p *pile[T]) take() T {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.list) - 1
	v := p.list[last]
	p.list = p.list[:last]
	return v
}
