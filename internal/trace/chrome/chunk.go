package chrome

import (
	"bytes"

	"saturate/internal/trace"
)

// chunk is a piece of the array of events on its way through the pipeline.
type chunk struct {
	data   []byte // ends with a zero byte
	offset int64  // in the file
	last   bool   // nothing follows
	batch  *trace.Batch
	parsed chan struct{} // a worker is done with it

	state state
	rest  int // where the parsing stopped
}

type state uint8

const (
	whole   state = iota // all events were parsed
	partial              // the data ends inside the event at rest
	closed               // the array ends before rest
)

// parseChunk parses the events of a chunk into its batch.
func (p *parser) parseChunk(c *chunk) {
	p.batch, p.offset = c.batch, c.offset
	c.batch.Reset(p.lexicon)
	c.state, c.rest = p.events(c.data, 0)
	c.batch.Seal()
}

// events parses events from b[i] on, up to the end of the data or of the array.
func (p *parser) events(b []byte, i int) (state, int) {
	for {
		for b[i] <= ' ' || b[i] == ',' {
			if b[i] == 0 && i >= len(b)-1 {
				return whole, i
			}
			i++
		}
		next := malformed
		switch b[i] {
		case '{':
			next = p.parse(b, i)
		case ']':
			return closed, i + 1
		case '"', '[':
			next = skip(b, i)
			if next >= 0 {
				p.lost(i, "not an object")
			}
		default:
			if next = skipBare(b, i); next >= 0 {
				p.lost(i, "not an object")
			}
		}
		switch next {
		case cut:
			return partial, i
		case malformed:
			p.lost(i, "not readable as JSON")
			next = nextEvent(b, i+1)
		}
		i = next
	}
}

func (p *parser) lost(at int, reason string) {
	p.batch.Seen++
	p.batch.Dropped(reason, trace.Place{Event: p.batch.Seen, Byte: p.offset + int64(at)})
}

// nextEvent is where, from b[i] on, an event seems to begin; else the end of the data.
func nextEvent(b []byte, i int) int {
	for ; i < len(b)-1; i++ {
		n := bytes.IndexByte(b[i:len(b)-1], '{')
		if n < 0 {
			break
		}
		i += n
		if beginsEvent(b, i) {
			return i
		}
	}
	return len(b) - 1
}

// lastEvent is where the last event seems to begin, or 0.
func lastEvent(b []byte) int {
	for i := len(b); i > 0; {
		if i = bytes.LastIndexByte(b[:i], '{'); i > 0 && beginsEvent(b, i) {
			return i
		}
	}
	return 0
}

// beginsEvent reports whether the brace at b[i] looks like the beginning of an event: it
// follows "}," and a key of events follows it.
func beginsEvent(b []byte, i int) bool {
	j := i - 1
	for j >= 0 && b[j] <= ' ' {
		j--
	}
	if j < 0 || b[j] != ',' {
		return false
	}
	for j--; j >= 0 && b[j] <= ' '; j-- {
	}
	if j < 0 || b[j] != '}' {
		return false
	}
	for i++; i < len(b) && b[i] <= ' '; i++ {
	}
	for _, key := range eventKeys {
		if bytes.HasPrefix(b[min(i, len(b)):], []byte(key)) {
			return true
		}
	}
	return false
}

// eventKeys are the keys that profilers begin an event with.
var eventKeys = []string{`"ph"`, `"name"`, `"cat"`, `"pid"`, `"tid"`, `"ts"`, `"dur"`, `"args"`, `"id"`, `"s"`, `"bp"`}
