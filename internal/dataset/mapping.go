package dataset

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// mapping is a file that rows are written to as memory, by many workers at a time: writes to one file wait for each other
// in the kernel, pages do not. Room on the disk is made ahead of the rows, so that a full disk is an error and no fault; in memory each
// row makes its own. The file is mapped window by window, each as long as rows come: to unmap much at once takes one processor a while.
type mapping struct {
	file    *os.File
	size    int64
	windows []window
	ownRoom bool // rows make their room

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
}

// piece is the size of a window, and how much room is made at a time.
const piece = 32 << 20

// newMapping begins to make room for the first bytes of a file.
func newMapping(f *os.File, size int64) (*mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < size {
		if err := f.Truncate(size); err != nil {
			return nil, err
		}
	}
	m := &mapping{file: f, size: size, windows: make([]window, (size+piece-1)/piece)}
	m.grown = sync.NewCond(&m.mu)
	for i := range m.windows {
		m.windows[i].left.Store(m.end(i) - int64(i)*piece)
	}
	if inMemory(f) {
		data, err := m.open(&m.windows[0], 0)
		if err == nil && len(data) > 0 && populate(data, 0, 1) == nil { // not where the kernel is too old
			m.ownRoom, m.room = true, size
			return m, nil
		}
	}
	if err := allocate(f, 0, m.end(0)); err != nil { // whether the file system can do it at all
		return nil, err
	}
	m.room = m.end(0)
	m.maker.Go(m.grow)
	return m, nil
}

// end is where a window ends.
func (m *mapping) end(i int) int64 { return min(int64(i+1)*piece, m.size) }

// grow makes room, window by window.
func (m *mapping) grow() {
	for i := 1; i < len(m.windows); i++ {
		at := int64(i) * piece
		err := allocate(m.file, at, m.end(i)-at)
		m.mu.Lock()
		if err != nil {
			m.failed = err
		} else {
			m.room = m.end(i)
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
			err = fmt.Errorf("another program has cut the file off: %v", fault)
		default:
			panic(fault)
		}
	}()
	for len(b) > 0 {
		i := int(at / piece)
		w := &m.windows[i]
		data, err := m.open(w, i)
		if err != nil {
			return err
		}
		from := at % piece
		n := min(len(b), len(data)-int(from))
		if err := populate(data, int(from), n); err != nil && m.ownRoom {
			if info, e := m.file.Stat(); e == nil && info.Size() < at+int64(n) {
				return fmt.Errorf("another program has cut the file off at %d bytes", info.Size())
			}
			return err
		}
		pour(data[from:], b[:n])
		if w.left.Add(-int64(n)) == 0 {
			if err := w.close(); err != nil {
				return err
			}
		}
		b, at = b[n:], at+int64(n)
	}
	return nil
}

// open maps a window unless it is.
func (m *mapping) open(w *window, i int) (data []byte, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.data == nil {
		at := int64(i) * piece
		if w.data, err = mapFile(m.file, at, m.end(i)-at); err != nil {
			return nil, fmt.Errorf("it cannot be mapped: %w", err)
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
