package timeline

import (
	"encoding/binary"
	"math"

	"saturate/internal/trace"
)

// none is not an event, in a record.
const none = math.MaxUint32

// Kinds of events that are not in the trace itself. They begin above those of package trace.
const (
	StepKind trace.Kind = 200 + iota // a training step
	GapKind                          // a time in which a GPU had nothing to do; named for its cause
	PathKind                         // a piece of the critical path
)

// record is an event on disk.
type record struct {
	start, dur int64 // ns after the beginning of the trace
	name       uint32
	parent     uint32 // the event around it; none at the top
	link       uint32 // of GPU work the call that started it; of a call the first work it started; none without one
	group      uint16
	lane       uint8
	kind       trace.Kind
	extra      uint64 // where its extras begin; 0 without any
}

const recordSize = 40

func (r *record) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(r.start))
	b = le.AppendUint64(b, uint64(r.dur))
	b = le.AppendUint32(b, r.name)
	b = le.AppendUint32(b, r.parent)
	b = le.AppendUint32(b, r.link)
	b = le.AppendUint16(b, r.group)
	b = append(b, r.lane, byte(r.kind))
	return le.AppendUint64(b, r.extra)
}

func decode(b []byte) record {
	le := binary.LittleEndian
	return record{
		start: int64(le.Uint64(b)), dur: int64(le.Uint64(b[8:])),
		name: le.Uint32(b[16:]), parent: le.Uint32(b[20:]), link: le.Uint32(b[24:]),
		group: le.Uint16(b[28:]), lane: b[30], kind: trace.Kind(b[31]), extra: le.Uint64(b[32:]),
	}
}

// rect is what is drawn: 24 bytes, in the order in which the browser hands them to the GPU.
type rect struct {
	x0, x1 float32 // in buckets of the tile, 0 to 512
	name   uint32
	event  uint32 // the only one, or the longest
	count  uint32 // 0: the end of an event of the bucket before
	lane   uint8
	busy   uint8 // 255: filled
	color  uint8
	kind   uint8
}

// RectSize is the size of a rectangle in a tile.
const RectSize = 24

func (r *rect) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, math.Float32bits(r.x0))
	b = le.AppendUint32(b, math.Float32bits(r.x1))
	b = le.AppendUint32(b, r.name)
	b = le.AppendUint32(b, r.event)
	b = le.AppendUint32(b, r.count)
	return append(b, r.lane, r.busy, r.color, r.kind)
}

// Group is a part of the timeline with rows of its own: a thread, a stream, the steps.
type Group struct {
	Name   string  `json:"name"`
	Sort   string  `json:"sort"` // steps, idle, path, gpu, notes, ranges, host, frame
	Device int     `json:"device"`
	Lanes  int     `json:"lanes"`
	First  uint32  `json:"first"` // its events are First … Last-1
	Last   uint32  `json:"last"`
	BusyNS int64   `json:"busy_ns"` // of its top lane
	Levels []level `json:"levels,omitempty"`
	Starts []int64 `json:"starts,omitempty"` // the start of every sampled event, to find a time without reading
}

// level is one stored level of detail of a group.
type level struct {
	Shift int     `json:"shift"` // a bucket is 1<<Shift ns
	Tiles []int64 `json:"tiles"` // index, offset, rectangles of each tile that has any
}

// sampled is how many events one value of Group.Starts stands for.
const sampled = 1024

// buckets is how many buckets a tile has.
const buckets = 512
