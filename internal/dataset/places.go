package dataset

import (
	"context"
	"sync"
)

// cursor is a place in the output: behind so many rows, values and bytes.
type cursor struct {
	row    int64
	values int64 // FP16 values before it
	file   int   // which of the output's files
	at     int64 // byte in that file
}

// record is a row in a file: what the format puts before its values, the values, what follows.
type record struct {
	file          int
	at            int64
	before, after []byte
	values        int
}

// size is what a row takes in its file.
func (r *record) size() int64 { return int64(len(r.before) + 2*r.values + len(r.after)) }

// rowInfo is what a format may want to know of a row to place it.
type rowInfo struct {
	item    *Item
	out     *outcome
	row     int64
	segment int64
	values  int
	frames  int
	room    int   // frames that the row has, padding included
	first   int64 // values before it, where that is a column
}

// places gives items their places in the order of the input.
type places struct {
	mu      sync.Mutex
	turn    *sync.Cond
	next    int // the item whose place is given next
	cursor  cursor
	waiting map[int]*slot
	results []outcome
	move    func(c *cursor, item int, o *outcome) // moves the cursor behind an item
	stopped bool
}

func newPlaces(results []outcome, move func(*cursor, int, *outcome)) *places {
	p := &places{waiting: map[int]*slot{}, results: results, move: move}
	p.turn = sync.NewCond(&p.mu)
	p.skip()
	return p
}

// skip goes past items that an earlier run finished.
func (p *places) skip() {
	for p.next < len(p.results) && p.results[p.next].state != todo {
		p.move(&p.cursor, p.next, &p.results[p.next])
		p.next++
	}
}

// offer takes a decoded slot and gives those that have their places now: this one, and others that
// waited for it; or none.
func (p *places) offer(s *slot, placed []*slot) []*slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting[s.item] = s
	return p.advance(placed)
}

func (p *places) advance(placed []*slot) []*slot {
	for {
		s, ok := p.waiting[p.next]
		if !ok {
			p.turn.Broadcast()
			return placed
		}
		delete(p.waiting, p.next)
		s.cursor = p.cursor
		p.move(&p.cursor, p.next, &s.out)
		p.next++
		p.skip()
		placed = append(placed, s)
	}
}

// wait waits until everything before an item has its place, and gives the item's. Nobody behind it
// gets one until release. It is false when the build is stopped.
func (p *places) wait(ctx context.Context, item int) (cursor, bool) {
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		p.stopped = true
		p.turn.Broadcast()
		p.mu.Unlock()
	})
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.next != item && !p.stopped {
		p.turn.Wait()
	}
	return p.cursor, !p.stopped
}

// release goes on behind an item that had waited, and gives the slots that have their places now.
func (p *places) release(item int, o *outcome, placed []*slot) []*slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.move(&p.cursor, item, o)
	p.next = item + 1
	p.skip()
	return p.advance(placed)
}
