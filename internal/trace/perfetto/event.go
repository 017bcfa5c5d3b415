package perfetto

import (
	"math"
	"strconv"
	"strings"

	"saturate/internal/trace"
	"saturate/internal/trace/wire"
)

// Fields of TrackEvent and of DebugAnnotation.
const (
	eventCategoryID = 3
	eventArgument   = 4
	eventType       = 9
	eventNameID     = 10
	eventTrack      = 11
	eventCategory   = 22
	eventName       = 23
	eventCount      = 30
	eventCountFloat = 44

	argumentKeyID  = 1
	argumentUint   = 3
	argumentInt    = 4
	argumentText   = 6
	argumentKey    = 10
	argumentTextID = 17
)

// Types of events.
const begins, ends, counts = 1, 2, 4

// slice is what an event says of itself.
type slice struct {
	name, category string
	numbers        map[string]int64 // its arguments that are numbers, or texts of digits
}

func (x *reader) event(s *sequence, m wire.Message, at int64) {
	var kind uint64
	var value float64
	e, id := slice{numbers: map[string]int64{}}, s.track
	for f, ok := m.Next(); ok; f, ok = m.Next() {
		switch f.Number {
		case eventType:
			kind = f.Value
		case eventTrack:
			id = f.Value
		case eventName:
			e.name = string(f.Bytes)
		case eventNameID:
			e.name = s.events[f.Value]
		case eventCategory:
			e.category = string(f.Bytes)
		case eventCategoryID:
			e.category = s.categories[f.Value]
		case eventCount:
			value = float64(int64(f.Value))
		case eventCountFloat:
			value = math.Float64frombits(f.Value)
		case eventArgument:
			s.argument(f.Bytes, e.numbers)
		}
	}
	t := x.track(id)
	switch kind {
	case begins:
		x.begin(t, e, at)
	case ends:
		if n := len(t.closed); n > 0 {
			if !t.closed[n-1] {
				x.batch.End(x.l.Track(x.hostTrack(t)), at)
			}
			t.closed = t.closed[:n-1]
		} else {
			x.batch.Dropped("without a start", trace.Place{})
		}
	case counts:
		x.batch.Counter(trace.Sample{Time: at, Series: x.l.Name([]byte(t.name)), Value: value})
	}
}

func (s *sequence) argument(m wire.Message, to map[string]int64) {
	var key, text string
	var value int64
	number := false
	for f, ok := m.Next(); ok; f, ok = m.Next() {
		switch f.Number {
		case argumentKey:
			key = string(f.Bytes)
		case argumentKeyID:
			key = s.keys[f.Value]
		case argumentUint, argumentInt:
			value, number = int64(f.Value), true
		case argumentText:
			text = string(f.Bytes)
		case argumentTextID:
			text = s.texts[f.Value]
		}
	}
	if !number {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return
		}
		value = n
	}
	to[key] = value
}

// The categories of rocprofv3.
var categories = map[string]trace.Kind{
	"kernel_dispatch": trace.Kernel, "memory_copy": trace.Memcpy, "hip_api": trace.Runtime, "rccl_api": trace.Runtime, "marker_api": trace.Annotation, "hsa_api": trace.Other,
}

// begin adds a slice. rocprofv3 says when it ends, too: the kernels of a queue may overlap, which slices of a track
// cannot.
func (x *reader) begin(t *track, e slice, at int64) {
	if x.batch.Len() >= 1<<16 {
		x.b.Append(x.batch.Seal())
		x.batch = x.l.NewBatch()
	}
	kind, known := categories[e.category]
	if !known {
		kind = trace.Annotation
	}
	switch {
	case kind == trace.Kernel && strings.HasPrefix(e.name, "__amd_rocclr_copyBuffer"):
		kind = trace.Memcpy
	case kind == trace.Kernel && strings.HasPrefix(e.name, "__amd_rocclr_fillBuffer"):
		kind = trace.Memset
	}
	start, length := at, trace.Open
	from, to := e.numbers["begin_ns"], e.numbers["end_ns"]
	closed := known && from > 0 && to >= from
	if closed {
		start, length = from, to-from
	}
	if kind.Work() && !closed { // on a stream of its own, where the end would not be found
		x.batch.Dropped("of a GPU without begin_ns and end_ns", trace.Place{})
		t.closed = append(t.closed, true)
		return
	}
	t.closed = append(t.closed, closed)
	x.events++
	x.batch.Add(start, length, x.l.Name([]byte(e.name)), x.l.Track(x.place(t, e, kind)), kind)
	if n := e.numbers["corr_id"]; n > 0 && (kind.Work() || kind.API()) {
		x.batch.SetInt(trace.Correlation, n)
	}
	if n := e.numbers["copy_bytes"]; n > 0 && kind == trace.Memcpy {
		x.batch.SetInt(trace.Bytes, n)
	}
}

// place is the row of a slice: a thread, or the stream of a GPU.
func (x *reader) place(t *track, e slice, kind trace.Kind) trace.TrackKey {
	if !kind.Work() {
		return x.hostTrack(t)
	}
	device, ok := e.numbers["agent"]
	if !ok {
		device = e.numbers["dst_agent"]
	}
	stream, ok := e.numbers["stream_ID"]
	if !ok {
		stream = e.numbers["queue"]
	}
	return trace.TrackKey{Domain: trace.Stream, PID: device, TID: stream}
}
