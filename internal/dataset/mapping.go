package dataset

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// mapping is a file that rows are written to as memory, by many workers at a time: writes to one file wait for each
// other in the kernel, pages do not. Room on the disk is made ahead of the rows, so that a full disk is an error and no
// fault; in memory each row makes its own. The file is mapped window by window, each as long as rows come: to unmap
// everything at the end takes one processor a while.
type mapping struct {
	file    *os.File
	size    int64
	windows []window
	ownRoom bool          // rows make their room
	there   bool          // unless all of it was made beforehand
	turns   chan struct{} // on a disk: who has pages made

	mu     sync.Mutex
	grown  *sync.Cond
	room   int64 // bytes that have their place on the disk
	failed error
	closed bool
	maker  sync.WaitGroup
}

// window is a piece of the file, mapped when the first row comes and unmapped when it is full.
type window struct {
	mu   sync.Mutex
	data []byte
	left atomic.Int64 // bytes that no row has filled

	stretches [reach / span]stretch
}

// stretch is what one page table spans. It is made ready by one worker, once, and as a rule before anybody needs it:
// neighboring rows are written at the same time, and would wait for each other in the kernel, page by page.
type stretch struct {
	mu    sync.Mutex
	ready atomic.Bool
}

const (
	reach = 256 << 20 // of a window: everybody who looks for pages waits while one is mapped or unmapped
	piece = 32 << 20  // how much room is made at a time, and how far ahead pages are looked for
	span  = 2 << 20   // of a stretch

	// Pages of a disk's file are made by so many workers at a time: all of them share locks of the file, and 16 made a
	// quarter as many as 3. Those of a file in memory share less, there as many as want are fastest.
	atATime = 3
)

// newMapping begins to make room for the first bytes of a file. Rows are written from first on.
func newMapping(f *os.File, first, size int64) (*mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < size {
		if err := f.Truncate(size); err != nil {
			return nil, err
		}
	}
	m := &mapping{file: f, size: size, windows: make([]window, (size+reach-1)/reach)}
	m.grown = sync.NewCond(&m.mu)
	for i := range m.windows {
		before := min(max(0, first-int64(i)*reach), m.length(i))
		m.windows[i].left.Store(m.length(i) - before)
	}
	if inMemory(f) && m.populates() {
		m.ownRoom, m.room = true, size
		m.there = info.Size() >= size && allThere(info)
		return m, nil
	}
	m.room = min(piece, size)
	if err := allocate(f, 0, m.room); err != nil { // whether the file system can do it at all
		return nil, errors.Join(err, m.close())
	}
	if !m.populates() {
		err := fmt.Errorf("memory mapping is slower than writes on this kernel: %w; remove --map yes", errors.ErrUnsupported)
		return nil, errors.Join(err, m.close())
	}
	m.turns = make(chan struct{}, atATime)
	m.maker.Go(m.grow)
	return m, nil
}

// populates reports whether the kernel makes pages when it is asked to, instead of one at each fault.
func (m *mapping) populates() bool {
	data, err := m.open(&m.windows[0], 0)
	return err == nil && len(data) > 0 && populate(data, 0, 1) == nil
}

// length is the size of a window.
func (m *mapping) length(i int) int64 { return min(reach, m.size-int64(i)*reach) }

// grow makes room, piece by piece.
func (m *mapping) grow() {
	for at := m.room; at < m.size; at += piece {
		end := min(at+piece, m.size)
		err := allocate(m.file, at, end-at)
		m.mu.Lock()
		if err != nil {
			m.failed = err
		} else {
			m.room = end
		}
		stop := err != nil || m.closed
		m.mu.Unlock()
		m.grown.Broadcast()
		if stop {
			return
		}
	}
}

// await returns when there is room up to end.
func (m *mapping) await(end int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.room < end && m.failed == nil {
		m.grown.Wait()
	}
	if m.room < end {
		return m.failed
	}
	return nil
}

// write copies a row, or what is beside it, to its place. Every byte of the mapping is written at most once.
func (m *mapping) write(b []byte, at int64) (err error) {
	if err := m.await(at + int64(len(b))); err != nil {
		return err
	}
	// A file that somebody else cuts off meanwhile is a fault of the memory.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = fmt.Errorf("another program truncated the file: %v", fault)
		default:
			panic(fault)
		}
	}()
	for len(b) > 0 {
		i := int(at / reach)
		w := &m.windows[i]
		data, err := m.open(w, i)
		if err != nil {
			return err
		}
		from := at % reach
		n := min(len(b), len(data)-int(from))
		if err := m.ready(w, data, int(from), n); err != nil && m.ownRoom {
			if info, e := m.file.Stat(); e == nil && info.Size() < at+int64(n) {
				return fmt.Errorf("another program truncated the file at %d bytes", info.Size())
			}
			return err
		}
		pour(data[from:], b[:n])
		if w.left.Add(-int64(n)) == 0 {
			if err := w.close(); err != nil {
				return err
			}
		}
		m.ahead(at + piece)
		b, at = b[n:], at+int64(n)
	}
	return nil
}

// ready has the kernel find the pages of a row. Where there is no room for all of a stretch, there may be some for the
// row.
func (m *mapping) ready(w *window, data []byte, from, n int) error {
	for k := from / span; k*span < from+n; k++ {
		s := &w.stretches[k]
		if s.ready.Load() {
			continue
		}
		s.mu.Lock()
		err := m.prepare(s, data, k)
		s.mu.Unlock()
		if err != nil {
			return m.bringIn(data, from, n)
		}
	}
	return nil
}

func (m *mapping) bringIn(data []byte, from, n int) error {
	if m.there {
		return lookUp(data, from, n)
	}
	return populate(data, from, n)
}

func (m *mapping) prepare(s *stretch, data []byte, k int) error {
	if s.ready.Load() {
		return nil
	}
	if m.turns != nil {
		m.turns <- struct{}{}
		defer func() { <-m.turns }()
	}
	err := m.bringIn(data, k*span, min(span, len(data)-k*span))
	s.ready.Store(err == nil)
	return err
}

// ahead makes the stretch ready that rows will come to soon, unless somebody does.
func (m *mapping) ahead(at int64) {
	i, k := int(at/reach), int(at%reach/span)
	if at >= m.size || !m.roomFor(min(at+span, m.size)) {
		return
	}
	w := &m.windows[i]
	s := &w.stretches[k]
	if s.ready.Load() || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if data, err := m.open(w, i); err == nil {
		_ = m.prepare(s, data, k) // who writes there finds out why
	}
}

func (m *mapping) roomFor(end int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.room >= end
}

// open maps a window unless it is.
func (m *mapping) open(w *window, i int) (data []byte, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.data == nil {
		if w.data, err = mapFile(m.file, int64(i)*reach, m.length(i)); err != nil {
			return nil, fmt.Errorf("cannot be memory-mapped: %w", err)
		}
	}
	return w.data, nil
}

func (w *window) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	data := w.data
	w.data = nil
	if data == nil {
		return nil
	}
	return unmapFile(data)
}

// halt ends the making of room: once all rows are there, and before the file gets its final size.
func (m *mapping) halt() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.maker.Wait()
}

func (m *mapping) close() (err error) {
	m.halt()
	for i := range m.windows {
		if e := m.windows[i].close(); e != nil {
			err = e
		}
	}
	return err
}
