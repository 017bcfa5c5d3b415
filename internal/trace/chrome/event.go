package chrome

import (
	"bytes"

	"saturate/internal/trace"
	"saturate/internal/trace/xla"
)

// fields are what one event of the file says, before it is known what that means: keys
// come in any order.
type fields struct {
	phase    byte
	category []byte
	name     text
	nameID   trace.NameID // once it was asked for
	named    bool
	pid, tid owner
	start    int64
	dur      int64
	hasStart bool
	badStart bool // it has one, but not a number
	hasDur   bool
	id       int64
	args     span // of the whole object, braces included
	arguments
}

// span is a part of the buffer.
type span struct{ from, to int }

// owner is a process or a thread: a number, or a text where it is none.
type owner struct {
	number int64
	text   text
}

// parser turns events into rows of a batch. Each worker has its own.
type parser struct {
	lexicon *trace.Lexicon
	batch   *trace.Batch
	offset  int64 // of the buffer in the file
	scratch []byte

	inputs  blockReader
	configs blockReader

	details map[string]xla.Detail // of the texts already read

	tracked   bool // a track was looked up: the last one
	lastKey   trace.TrackKey
	lastTrack trace.TrackID

	// the last event added, for the arrows that follow it directly
	lastPID, lastTID, lastStart, lastCorrelation int64

	event fields
}

func newParser() *parser {
	p := &parser{lexicon: trace.NewLexicon(), details: map[string]xla.Detail{}}
	p.inputs = blockReader{ids: map[string]uint32{}, drop: inputValues, decode: decodeInputs(p.lexicon)}
	p.configs = blockReader{ids: map[string]uint32{}, drop: noPart, decode: decodeConfig(p.lexicon)}
	return p
}

// parse reads the event whose opening brace is at b[i] and adds what it says to the
// batch. It returns the position behind it, or cut, or malformed.
func (p *parser) parse(b []byte, i int) int {
	f := &p.event
	f.reset()
	start := i
	i++
	for {
		key, _, value, done := member(b, i)
		switch {
		case value < 0:
			return value
		case done:
			p.add(b, start)
			return value
		}
		if i = p.field(b, key, value); i < 0 {
			return i
		}
	}
}

// field reads the value at b[i] of one of the event's keys.
func (p *parser) field(b, key []byte, i int) int {
	f := &p.event
	switch string(key) {
	case "ph":
		s, next := stringOr(b, i)
		if len(s.raw) > 0 {
			f.phase = s.raw[0]
		}
		return next
	case "cat":
		s, next := stringOr(b, i)
		f.category = s.raw
		return next
	case "name":
		s, next := stringOr(b, i)
		f.name, f.named = s, false
		return next
	case "ts":
		ns, next, ok := number(b, i, micros)
		f.start, f.hasStart, f.badStart = ns, ok, !ok
		return next
	case "dur":
		ns, next, ok := number(b, i, micros)
		f.dur, f.hasDur = ns, ok
		return next
	case "pid":
		return f.pid.read(b, i)
	case "tid":
		return f.tid.read(b, i)
	case "id":
		v, next, ok := number(b, i, integer)
		if !ok && next > 0 && b[i] == '"' {
			v = hash(b[i:next])
		}
		f.id = v
		return next
	case "args":
		if b[i] != '{' {
			return skip(b, i)
		}
		next := p.readArgs(b, i)
		f.args = span{i, next}
		return next
	}
	return skip(b, i)
}

func (f *fields) reset() {
	f.phase, f.category, f.name, f.named = 0, nil, text{}, false
	f.pid, f.tid = owner{}, owner{}
	f.hasStart, f.badStart, f.hasDur = false, false, false
	f.start, f.dur, f.id = 0, 0, 0
	f.args = span{}
	f.arguments.reset()
}

// stringOr reads a string; other values are skipped and taken as empty.
func stringOr(b []byte, i int) (text, int) {
	if b[i] == '"' {
		return quoted(b, i)
	}
	return text{}, skip(b, i)
}

// number reads a number, bare or quoted, with micros or integer. Anything else is
// skipped and is not ok.
func number(b []byte, i int, read func([]byte, int) (int64, int, bool)) (v int64, next int, ok bool) {
	if b[i] == '"' {
		s, next := quoted(b, i)
		if next < 0 || len(s.raw) == 0 {
			return 0, next, false
		}
		// The quote behind it stops the reading.
		v, end, ok := read(b, i+1)
		return v, next, ok && end == next-1
	}
	v, next, ok = read(b, i)
	if ok && !bareByte[b[next]] {
		if b[next] == 0 && next >= len(b)-1 {
			return 0, cut, false
		}
		return v, next, true
	}
	return 0, skip(b, i), false
}

// read reads a process or thread at b[i].
func (o *owner) read(b []byte, i int) int {
	v, next, ok := number(b, i, integer)
	o.number = v
	if !ok {
		o.number = 0
		if next > 0 && b[i] == '"' {
			o.text, _ = quoted(b, i)
		}
	}
	return next
}

// trailing is the number a text ends with, as in "stream 7" or "GPU 0".
func (o owner) trailing() int64 {
	if len(o.text.raw) == 0 {
		return o.number
	}
	n, scale := int64(0), int64(1)
	for i := len(o.text.raw) - 1; i >= 0 && o.text.raw[i]-'0' <= 9 && scale < 1e9; i-- {
		n += scale * int64(o.text.raw[i]-'0')
		scale *= 10
	}
	return n
}

// hash makes a number of an arrow's name.
func hash(b []byte) int64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return int64(h >> 1)
}

// add decides what the event is and adds it to the batch.
func (p *parser) add(b []byte, at int) {
	f := &p.event
	p.batch.Seen++
	place := trace.Place{Event: p.batch.Seen, Byte: p.offset + int64(at)}
	switch f.phase {
	case 'X':
		p.addSlice(b, place, f.dur)
	case 'B':
		p.addSlice(b, place, trace.Open)
	case 'E':
		if !f.hasStart {
			p.batch.Dropped("without a start time", place)
			return
		}
		p.batch.End(p.hostTrack(), f.start)
	case 's', 't', 'f':
		p.addArrow()
	case 'i', 'I', 'R':
		p.addInstant(b, place)
	case 'C':
		p.addCounter(b)
	case 'M':
		p.addLabel(b)
	case 0:
		if f.args.to > 0 || f.hasStart || len(f.name.raw) > 0 { // an empty object ends JAX's files
			p.batch.Dropped("without a phase", place)
		}
	default:
		p.batch.Dropped("of the phase "+string(rune(f.phase))+", which is unsupported", place)
	}
}

func (p *parser) addSlice(b []byte, place trace.Place, dur int64) {
	f := &p.event
	switch {
	case f.badStart:
		p.batch.Dropped("with a start time that is not a number", place)
		return
	case !f.hasStart:
		p.batch.Dropped("without a start time", place)
		return
	case f.start >= beyond || f.start <= -beyond:
		p.batch.Dropped("far in time from all others", place)
		return
	case dur == trace.Open:
	case !f.hasDur:
		p.batch.Repaired("without a duration; using 0", place)
		dur = 0
	case dur < 0:
		p.batch.Repaired("with a negative duration; using 0", place)
		dur = 0
	}
	kind := p.kind()
	track := p.track(kind)
	p.batch.Add(f.start, dur, p.named(), track, kind)
	p.lastPID, p.lastTID, p.lastStart = f.pid.number, f.tid.number, f.start
	p.addArguments(b, kind)
}

// kind looks the event's category up. New ones are remembered.
func (p *parser) kind() trace.Kind {
	f := &p.event
	kind, known := kinds[string(f.category)]
	switch {
	case known:
		return rocmKind(kind, f.name.raw)
	case len(f.category) == 0:
		return trace.Uncategorised
	}
	return trace.Other
}

// named interns the event's name, once.
func (p *parser) named() trace.NameID {
	f := &p.event
	if !f.named {
		f.nameID, f.named = p.intern(f.name), true
	}
	return f.nameID
}

func (p *parser) intern(s text) trace.NameID {
	if s.escaped {
		p.scratch = s.unescape(p.scratch)
		return p.lexicon.Name(p.scratch)
	}
	return p.lexicon.Name(s.raw)
}

// track finds the event's track. Work of a GPU is on its stream; the process and thread
// in the file do not count.
func (p *parser) track(kind trace.Kind) trace.TrackID {
	f := &p.event
	d := domain(kind)
	if d == trace.HostThread || d == trace.Frame {
		return p.ownTrack(d)
	}
	key := trace.TrackKey{Domain: d, PID: f.pid.trailing(), TID: f.tid.trailing()}
	if f.device >= 0 {
		key.PID = f.device
	}
	if f.stream >= 0 {
		key.TID = f.stream
	} else if d == trace.StreamNotes && key.TID >= laneStep {
		key.TID -= laneStep
	}
	return p.lookup(key)
}

func (p *parser) hostTrack() trace.TrackID { return p.ownTrack(trace.HostThread) }

func (p *parser) ownTrack(d trace.Domain) trace.TrackID { return p.lookup(p.key(d)) }

func (p *parser) key(d trace.Domain) trace.TrackKey {
	f := &p.event
	key := trace.TrackKey{Domain: d, PID: f.pid.number, TID: f.tid.number}
	if len(f.pid.text.raw) > 0 {
		key.PIDText = p.intern(f.pid.text)
	}
	if len(f.tid.text.raw) > 0 {
		key.TIDText = p.intern(f.tid.text)
	}
	return key
}

func (p *parser) lookup(key trace.TrackKey) trace.TrackID {
	if key != p.lastKey || !p.tracked {
		p.lastKey, p.lastTrack, p.tracked = key, p.lexicon.Track(key), true
	}
	return p.lastTrack
}

// addArrow adds one end of an arrow. Kineto writes it directly behind the event it
// belongs to; where that event has the arrow's number as its correlation, the arrow says
// nothing new.
func (p *parser) addArrow() {
	f := &p.event
	launch := bytes.Equal(f.category, []byte("ac2g")) || bytes.HasPrefix(f.category, []byte("async"))
	backward := bytes.Equal(f.category, []byte("fwdbwd")) || bytes.Equal(f.category, []byte("forward_backward"))
	if !f.hasStart || !launch && !backward {
		return
	}
	atLast := p.batch.Len() > 0 && f.start == p.lastStart && f.pid.number == p.lastPID && f.tid.number == p.lastTID
	head := f.phase == 'f'
	owner := trace.Owner{PID: f.pid.trailing(), TID: f.tid.trailing()}
	switch {
	case backward:
		p.batch.BackwardArrow(f.id, head, atLast, owner, f.start)
	case !atLast || p.lastCorrelation != f.id:
		p.batch.LaunchArrow(f.id, head, atLast, owner, f.start)
	}
}
