package chrome

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"saturate/internal/human"
	"saturate/internal/trace"
)

// chunkSize is how much is decompressed before it is handed to a worker: large enough
// that handing over costs nothing, small enough that it stays in the processor's cache.
const chunkSize = 1 << 20

// pipeline reads one array of events.
type pipeline struct {
	r    io.Reader
	size int   // of a chunk
	max  int64 // longest event
	err  error // why the reader ended; set before ordered is closed
	free chan *chunk
	work chan *chunk
	// chunks in the order of the file, waiting to be parsed
	ordered chan *chunk
	stop    atomic.Bool // no more input is needed
	skip    atomic.Bool // the array has ended: pass chunks on without parsing
	group   sync.WaitGroup
}

// events reads the array of events whose bracket is behind us, and leaves the input
// behind its end.
func (d *document) events() error {
	d.hasEvents = true
	workers := d.opt.Workers
	if workers <= 0 {
		workers = min(runtime.GOMAXPROCS(0), 8) // decompression keeps no more of them busy
	}
	p := &pipeline{
		r: d.in.r, size: d.chunk, max: d.opt.MaxEvent, err: d.in.err,
		free: make(chan *chunk, workers+2), work: make(chan *chunk, workers+2), ordered: make(chan *chunk, workers+2),
	}
	for range workers + 2 {
		p.free <- &chunk{batch: new(trace.Batch), parsed: make(chan struct{}, 1)}
	}
	head, offset := d.in.buf[d.in.pos:len(d.in.buf)-1], d.in.at()
	p.group.Go(func() { p.cut(head, offset) })
	for range workers {
		p.group.Go(p.parse)
	}
	d.pipelines = append(d.pipelines, p)
	return (&merger{document: d, pipeline: p}).run()
}

// finish ends the goroutines.
func (p *pipeline) finish() {
	p.stop.Store(true)
	for c := range p.ordered {
		<-c.parsed
		p.free <- c
	}
	p.group.Wait()
}

// cut reads ahead and cuts what it reads into chunks that begin with an event.
func (p *pipeline) cut(head []byte, offset int64) {
	defer close(p.work)
	defer close(p.ordered)
	carry := append([]byte(nil), head...) // what belongs to the next chunk
	for !p.stop.Load() {
		c := <-p.free
		c.offset = offset
		data := append(c.data[:0], carry...)
		boundary := 0
		for boundary == 0 && p.err == nil {
			data = p.fill(data)
			if p.err == nil {
				if boundary = lastEvent(data); boundary == 0 && int64(len(data)) > p.max {
					boundary = len(data)
				}
			}
		}
		if p.err != nil {
			boundary, c.last = len(data), true
		}
		carry = append(carry[:0], data[boundary:]...)
		offset += int64(boundary)
		c.data = append(data[:boundary], 0)
		p.ordered <- c
		p.work <- c
		if c.last {
			return
		}
	}
}

// fill reads another chunk's worth behind data.
func (p *pipeline) fill(data []byte) []byte {
	want := max(p.size, 2*len(data))
	if cap(data) < want+1 {
		data = append(make([]byte, 0, want+1), data...)
	}
	for len(data) < want && p.err == nil {
		var n int
		n, p.err = p.r.Read(data[len(data):want])
		data = data[:len(data)+n]
	}
	return data
}

// parse is one worker.
func (p *pipeline) parse() {
	parser := newParser()
	for c := range p.work {
		if p.stop.Load() || p.skip.Load() {
			c.batch.Reset(parser.lexicon)
			c.batch.Seal()
			c.state, c.rest = whole, len(c.data)-1
		} else {
			parser.parseChunk(c)
		}
		c.parsed <- struct{}{}
	}
}

// merger takes the parsed chunks in order and adds them to the builder.
type merger struct {
	*document
	*pipeline
	own     *parser // parses what was cut at the wrong place
	pending []byte  // the beginning of an event whose end is in a later chunk
	enough  int     // how long pending should be before it is parsed again
	offset  int64   // of pending in the file
}

func (m *merger) run() error {
	for c := range m.ordered {
		<-c.parsed
		if err := m.ctx.Err(); err != nil {
			m.free <- c
			return err
		}
		if len(m.pending) > 0 && !m.join(c) {
			m.free <- c
			continue
		}
		m.builder.Append(c.batch)
		switch c.state {
		case closed:
			m.close(c)
			return nil
		case partial:
			m.offset = c.offset + int64(c.rest)
			m.pending = append(m.pending[:0], c.data[c.rest:len(c.data)-1]...)
		}
		if c.last {
			m.ended()
		}
		m.free <- c
	}
	return nil
}

// join puts the pending event in front of a chunk that was cut inside it, and parses both
// again. An event that still does not end is tried again when twice as much is there, so
// that all tries together cost little; join then returns false.
func (m *merger) join(c *chunk) bool {
	m.builder.Learn(c.batch) // its events are not wanted, but the worker will use its names again
	m.pending = append(m.pending, c.data[:len(c.data)-1]...)
	tooLong := int64(len(m.pending)) > m.max
	if len(m.pending) < m.enough && !tooLong && !c.last {
		return false
	}
	c.data, m.pending = append(m.pending, 0), c.data[:0]
	c.offset = m.offset
	from := 0
	c.batch = m.again(c.offset)
	if tooLong {
		m.own.lost(0, fmt.Sprintf("longer than %d MB", m.max>>20))
		from = nextEvent(c.data, 1)
	}
	c.state, c.rest = m.own.events(c.data, from)
	c.batch.Seal()
	m.enough = 2 * (len(c.data) - c.rest)
	return true
}

// again prepares the merger's own parser.
func (m *merger) again(offset int64) *trace.Batch {
	if m.own == nil {
		m.own = newParser()
	}
	m.own.offset = offset
	m.own.batch = m.own.lexicon.NewBatch()
	return m.own.batch
}

// ended deals with a file that ends before its array does.
func (m *merger) ended() {
	m.in = newInput(eof{})
	m.in.err = m.err
	// An event that never ends may just be broken: look for whole ones inside it.
	for len(m.pending) > 0 {
		data := append(m.pending, 0)
		next := nextEvent(data, 1)
		if next == len(data)-1 {
			break
		}
		batch := m.again(m.offset)
		m.own.lost(0, "not readable as JSON")
		state, rest := m.own.events(data, next)
		m.builder.Append(batch.Seal())
		m.offset += int64(rest)
		m.pending = m.pending[rest:]
		if state == closed {
			m.in.buf, m.in.offset = append(m.pending, 0), m.offset
			return
		}
	}
	why := ""
	if m.in.failed() != nil {
		why = fmt.Sprintf(" (%v)", m.in.failed())
	}
	if len(m.pending) > 0 {
		m.builder.Truncated(fmt.Sprintf("the file ends in the middle of %s%s; the %s events before it were read",
			trace.Place{Event: m.builder.Seen() + 1, Byte: m.offset}, why, human.Count(m.builder.Seen())))
	} else {
		m.builder.Truncated(fmt.Sprintf("the file ends after event %s%s without closing the list of events",
			human.Count(m.builder.Seen()), why))
	}
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// close gives what lies behind the array back to the document reader.
func (m *merger) close(c *chunk) {
	m.skip.Store(true)
	m.in = newInput(&behind{pipeline: m.pipeline})
	m.in.buf = append([]byte(nil), c.data[c.rest:]...)
	m.in.offset = c.offset + int64(c.rest)
	m.free <- c
}

// behind reads the chunks that were cut behind the end of the array.
type behind struct {
	*pipeline
	data []byte
}

func (b *behind) Read(p []byte) (int, error) {
	for len(b.data) == 0 {
		c, ok := <-b.ordered
		if !ok {
			return 0, cmp.Or(b.err, io.EOF)
		}
		<-c.parsed
		b.data = append(b.data, c.data[:len(c.data)-1]...)
		b.free <- c
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	return n, nil
}
