package perfetto

import (
	"saturate/internal/trace"
	"saturate/internal/trace/wire"
)

type reader struct {
	b         *trace.Builder
	l         *trace.Lexicon
	batch     *trace.Batch
	tracks    map[uint64]*track
	sequences map[uint64]*sequence
	clocks    map[uint64]*clock // those of the whole trace
	events    int
}

// track is a row of the timeline, as its descriptor says.
type track struct {
	id       uint64
	parent   uint64
	name     string
	pid, tid int64
	thread   bool // it says its thread
	counter  bool
	closed   []bool // of each slice that has begun and not ended: whether its end is known already
}

// Fields of TrackDescriptor, ProcessDescriptor and ThreadDescriptor.
const (
	trackID      = 1
	trackName    = 2
	trackProcess = 3
	trackThread  = 4
	trackParent  = 5
	trackCounter = 8
	trackStatic  = 10
	processPID   = 1
	processName  = 6
	threadPID    = 1
	threadTID    = 2
	threadName   = 5
)

// packet is what a packet holds, of the fields that matter here.
type packet struct {
	sequence                         uint64
	time, clock                      uint64
	timed                            bool
	flags                            uint64
	event, names, defaults           wire.Message
	clocks, described, packedPackets wire.Message
}

func packetOf(m wire.Message) (p packet) {
	for f, ok := m.Next(); ok; f, ok = m.Next() {
		switch f.Number {
		case packetSequence:
			p.sequence = f.Value
		case packetTime:
			p.time, p.timed = f.Value, true
		case packetClock:
			p.clock = f.Value
		case packetFlags:
			p.flags |= f.Value
		case packetCleared:
			p.flags |= f.Value & namesAreGone
		case packetEvent:
			p.event = f.Bytes
		case packetNames:
			p.names = f.Bytes
		case packetDefaults:
			p.defaults = f.Bytes
		case packetClocks:
			p.clocks = f.Bytes
		case packetTrack:
			p.described = f.Bytes
		case packetPacked:
			p.packedPackets = f.Bytes
		}
	}
	return p
}

func (x *reader) packet(m wire.Message, mayUnpack bool) {
	p := packetOf(m)
	if p.packedPackets != nil && mayUnpack {
		x.unpack(p.packedPackets)
	}
	if x.clocks == nil {
		x.clocks = map[uint64]*clock{}
	}
	s := x.sequence(p.sequence)
	if p.flags&namesAreGone != 0 {
		s.forget()
	}
	if p.names != nil {
		s.learn(p.names)
	}
	if p.defaults != nil {
		s.defaults(p.defaults)
	}
	if p.clocks != nil {
		x.snapshot(s, p.clocks)
	}
	if p.described != nil {
		x.describe(p.described)
	}
	at := int64(0)
	if p.timed {
		at = x.time(s, p.time, p.clock) // also without an event: an incremental clock goes on
	}
	if p.event != nil {
		x.event(s, p.event, at)
	}
}

func (x *reader) track(id uint64) *track {
	t := x.tracks[id]
	if t == nil {
		t = &track{id: id}
		x.tracks[id] = t
	}
	return t
}

func (x *reader) describe(m wire.Message) {
	var t track
	var process, thread string
	for f, ok := m.Next(); ok; f, ok = m.Next() {
		switch f.Number {
		case trackID:
			t.id = f.Value
		case trackName, trackStatic:
			t.name = string(f.Bytes)
		case trackParent:
			t.parent = f.Value
		case trackCounter:
			t.counter = true
		case trackProcess:
			e := wire.Message(f.Bytes)
			for g, ok := e.Next(); ok; g, ok = e.Next() {
				switch g.Number {
				case processPID:
					t.pid = int64(int32(g.Value))
				case processName:
					process = string(g.Bytes)
				}
			}
		case trackThread:
			t.thread = true
			e := wire.Message(f.Bytes)
			for g, ok := e.Next(); ok; g, ok = e.Next() {
				switch g.Number {
				case threadPID:
					t.pid = int64(int32(g.Value))
				case threadTID:
					t.tid = int64(g.Value)
				case threadName:
					thread = string(g.Bytes)
				}
			}
		}
	}
	known := x.track(t.id)
	t.closed = known.closed
	*known = t
	if thread == "" {
		thread = t.name
	}
	key := x.hostTrack(known)
	if process != "" {
		x.batch.Label(trace.ProcessName, key, x.l.Name([]byte(process)))
	}
	if thread != "" && !t.counter {
		x.batch.Label(trace.ThreadName, key, x.l.Name([]byte(thread)))
	}
}

// hostTrack is where slices of the host lie. A track that is not a thread lies in its parent's process, under a number
// of its own.
func (x *reader) hostTrack(t *track) trace.TrackKey {
	key := trace.TrackKey{Domain: trace.HostThread, PID: t.pid, TID: t.tid}
	if !t.thread {
		key.TID = int64(t.id >> 1) // tracks are numbered by hashes of 64 bits
		for p, depth := t, 0; key.PID == 0 && p.parent != 0 && depth < 16; depth++ {
			p = x.track(p.parent)
			key.PID = p.pid
		}
	}
	return key
}
