package chrome

import (
	"bytes"
	"math"

	"saturate/internal/trace"
	"saturate/internal/trace/xla"
)

// The events here are few; they read their args a second time, now knowing what to look for.

// members calls f for each member of the object at b[i], which is known to be whole.
func members(b []byte, i int, f func(key []byte, value int)) {
	if i >= len(b) || b[i] != '{' {
		return
	}
	i++
	for {
		key, _, value, done := member(b, i)
		if value < 0 || done {
			return
		}
		f(key, value)
		if i = skip(b, value); i < 0 {
			return
		}
	}
}

// addInstant adds a moment: a change of memory, or a mark of the profiler.
func (p *parser) addInstant(b []byte, place trace.Place) {
	f := &p.event
	if !f.hasStart {
		p.batch.Dropped("without a start time", place)
		return
	}
	if string(f.name.raw) == "[memory]" {
		p.addMemory(b)
		return
	}
	track := p.ownTrack(trace.Frame)
	if len(f.category) > 0 {
		track = p.hostTrack()
	}
	p.batch.Add(f.start, 0, p.named(), track, trace.Instant)
	p.addArguments(b, trace.Instant)
}

func (p *parser) addMemory(b []byte) {
	f := &p.event
	m := trace.MemoryChange{Time: f.start, Allocated: -1, Reserved: -1, Track: p.hostTrack()}
	members(b, f.args.from, func(key []byte, i int) {
		v, _, ok := number(b, i, integer)
		if !ok {
			return
		}
		switch string(key) {
		case "Addr":
			m.Address = uint64(v)
		case "Bytes":
			m.Bytes = v
		case "Total Allocated":
			m.Allocated = v
		case "Total Reserved":
			m.Reserved = v
		case "Device Type":
			m.OnGPU = v != 0
		case "Device Id":
			m.Device = trace.Device(v)
		}
	})
	p.batch.Memory(m)
}

// addCounter adds a sample for each value of a counter.
func (p *parser) addCounter(b []byte) {
	f := &p.event
	if !f.hasStart {
		return
	}
	members(b, f.args.from, func(key []byte, i int) {
		end := skip(b, i)
		if end < 0 {
			return
		}
		raw := b[i:end]
		if b[i] == '"' {
			raw = b[i+1 : end-1]
		}
		v := float(raw)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		p.scratch = append(p.scratch[:0], f.name.raw...)
		if len(key) > 0 {
			p.scratch = append(append(p.scratch, '/'), key...)
		}
		p.batch.Counter(trace.Sample{Time: f.start, Series: p.lexicon.Name(p.scratch), Value: v})
	})
}

// addLabel names a process or a thread.
func (p *parser) addLabel(b []byte) {
	f := &p.event
	var of trace.LabelOf
	switch string(f.name.raw) {
	case "process_name":
		of = trace.ProcessName
	case "thread_name":
		of = trace.ThreadName
	case "process_labels":
		of = trace.ProcessLabel
	default:
		return
	}
	members(b, f.args.from, func(key []byte, i int) {
		if k := string(key); (k == "name" || k == "labels") && b[i] == '"' {
			s, _ := quoted(b, i)
			p.batch.Label(of, p.key(trace.HostThread), p.intern(text{bytes.TrimSpace(s.raw), s.escaped}))
		}
	})
}

// addDetails adds what XLA writes about a copy or a kernel in words.
func (p *parser) addDetails(s text) {
	d, ok := p.details[string(s.raw)]
	if !ok {
		d = xla.Details(string(s.raw))
		if len(p.details) < maxBlocks {
			p.details[string(s.raw)] = d
		}
	}
	d.Set(p.batch, p.lexicon)
}
