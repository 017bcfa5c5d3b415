// Package snapshot reads torch's memory snapshots (torch.cuda.memory._dump_snapshot): who held the GPU's memory at its
// peak, by Python line, what the allocator could not use, and what made a program run out of memory.
//
// A snapshot is a pickle. It is read by a machine that builds data only (pickle.go); nothing in it is executed. Its
// records become a [Snapshot], and [Snapshot.Explain] answers from that (explain.go).
package snapshot

import (
	"bytes"
	"errors"
	"io"
)

// Frame is a place in a program.
type Frame struct {
	File     string `json:"file"`     // of the program or a library
	Line     int    `json:"line"`     // of that file
	Function string `json:"function"` // name of the function
}

// block is memory that the allocator gave out.
type block struct {
	address, size int64
	requested     int64
	active        bool
	frames        *list
}

// change is one action of the allocator.
type change struct {
	action  string
	address int64
	size    int64
	free    int64 // of the device, when it ran out of memory
	micros  int64
	frames  *list
}

// Snapshot is the memory of one process, device by device.
type Snapshot struct {
	devices []device
	frames  map[*dict]Frame
	stacks  map[*list][]Frame
}

type device struct {
	segments []segment
	changes  []change // in the order of time; the recording may have begun late
}

type segment struct {
	size   int64
	blocks []block
}

// Sniff reports whether a file begins like a pickle of a dictionary, as a memory snapshot does.
func Sniff(head []byte) bool {
	if len(head) < 3 || head[0] != 0x80 || head[1] < 2 || head[1] > 5 {
		return false
	}
	rest := head[2:]
	if rest[0] == 0x95 && len(rest) > 9 {
		rest = rest[9:]
	}
	return len(rest) > 0 && rest[0] == '}' && bytes.Contains(head, []byte("segments"))
}

// errNotSnapshot is a pickle of something else.
var errNotSnapshot = errors.New("not a memory snapshot: this pickle has no segments; save one with torch.cuda.memory._dump_snapshot")

// Read reads a snapshot.
func Read(r io.Reader) (*Snapshot, error) {
	v, err := unpickle(r)
	if err != nil {
		return nil, err
	}
	root, ok := v.(*dict)
	if !ok {
		return nil, errNotSnapshot
	}
	segments, ok := root.of["segments"].(*list)
	if !ok {
		return nil, errNotSnapshot
	}
	s := &Snapshot{frames: map[*dict]Frame{}, stacks: map[*list][]Frame{}}
	for _, item := range segments.items {
		d, ok := item.(*dict)
		if !ok {
			continue
		}
		if dev := s.device(int(number(d, "device"))); dev != nil {
			dev.segments = append(dev.segments, segmentOf(d))
		}
	}
	if traces, ok := root.of["device_traces"].(*list); ok {
		for i, item := range traces.items {
			entries, ok := item.(*list)
			if !ok || len(entries.items) == 0 {
				continue
			}
			dev := s.device(i)
			if dev == nil {
				continue
			}
			for _, e := range entries.items {
				if d, ok := e.(*dict); ok {
					dev.changes = append(dev.changes, changeOf(d))
				}
			}
		}
	}
	return s, nil
}

// mostDevices is more than any machine has.
const mostDevices = 256

func (s *Snapshot) device(i int) *device {
	if i < 0 || i >= mostDevices {
		return nil
	}
	for len(s.devices) <= i {
		s.devices = append(s.devices, device{})
	}
	return &s.devices[i]
}

func segmentOf(d *dict) segment {
	seg := segment{size: number(d, "total_size")}
	address := number(d, "address")
	if blocks, ok := d.of["blocks"].(*list); ok {
		for _, item := range blocks.items {
			b, ok := item.(*dict)
			if !ok {
				continue
			}
			x := block{address: address, size: number(b, "size"), requested: number(b, "requested_size"), frames: framesOf(b)}
			if _, known := b.of["address"]; known {
				x.address = number(b, "address")
			}
			state, _ := b.of["state"].(string)
			x.active = state == "active_allocated"
			if x.frames == nil { // as torch wrote it before 2.1
				if history, ok := b.of["history"].(*list); ok && len(history.items) > 0 {
					if h, ok := history.items[0].(*dict); ok {
						x.frames = framesOf(h)
					}
				}
			}
			seg.blocks = append(seg.blocks, x)
			address = x.address + x.size
		}
	}
	return seg
}

func changeOf(d *dict) change {
	action, _ := d.of["action"].(string)
	return change{action: action, address: number(d, "addr"), size: number(d, "size"), free: number(d, "device_free"), micros: number(d, "time_us"), frames: framesOf(d)}
}

func framesOf(d *dict) *list {
	l, _ := d.of["frames"].(*list)
	return l
}

func number(d *dict, name string) int64 {
	switch v := d.of[name].(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}

// stack is a call stack, innermost first.
func (s *Snapshot) stack(l *list) []Frame {
	if l == nil {
		return nil
	}
	if known, ok := s.stacks[l]; ok {
		return known
	}
	var out []Frame
	for _, item := range l.items {
		d, ok := item.(*dict)
		if !ok {
			continue
		}
		f, known := s.frames[d]
		if !known {
			f.File, _ = d.of["filename"].(string)
			f.Function, _ = d.of["name"].(string)
			f.Line = int(number(d, "line"))
			s.frames[d] = f
		}
		out = append(out, f)
	}
	s.stacks[l] = out
	return out
}
