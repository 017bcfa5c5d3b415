package snapshot

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Answer is what a snapshot tells about one GPU.
type Answer struct {
	Device         int      `json:"device"`                   // index of the GPU
	PeakBytes      int64    `json:"peak_bytes"`               // most that was in use at one time, as far as it was recorded
	AllocatedBytes int64    `json:"in_use_bytes"`             // at the end
	ReservedBytes  int64    `json:"reserved_bytes"`           // that the allocator holds at the end
	UnusedBytes    int64    `json:"unused_bytes"`             // of it, free
	LargestFree    int64    `json:"largest_free_block_bytes"` // largest free block
	RoundingBytes  int64    `json:"rounding_bytes"`           // blocks are larger than what was asked for
	Blocks         int      `json:"blocks"`                   // in use at the peak
	Holders        []Holder `json:"holders"`                  // of the memory at the peak, most first
	Changes        int      `json:"changes"`                  // that the recording has
	Complete       bool     `json:"complete"`                 // everything was recorded from the first allocation
	OOM            *OOM     `json:"out_of_memory,omitempty"`
	Curve          []Usage  `json:"curve,omitempty"` // memory in use over time, at most 500 points
}

// Usage is how much memory was in use at a time: the most of a stretch of the recording.
type Usage struct {
	Micros int64 `json:"at_us"` // after the first change that was recorded
	Bytes  int64 `json:"bytes"` // in use
}

// Holder is a line of the program that memory was allocated for.
type Holder struct {
	Frame
	Bytes   int64   `json:"bytes"`   // held at the peak
	Blocks  int     `json:"blocks"`  // number of blocks
	Grows   bool    `json:"grows"`   // what it holds became more until the peak, and nothing of it was freed for long
	Callers []Frame `json:"callers"` // of the program, the nearest first
	Library Frame   `json:"library"` // the innermost frame, where that is in a library
}

// OOM is an allocation that failed.
type OOM struct {
	Bytes      int64   `json:"bytes"`        // asked for
	FreeBytes  int64   `json:"free_bytes"`   // of the device
	Fragmented bool    `json:"fragmented"`   // the allocator held enough free memory, but in pieces
	Stack      []Frame `json:"stack"`        // of the program, the nearest first
	Count      int     `json:"count"`        // such failures in the recording; this is the last
	InUseBytes int64   `json:"in_use_bytes"` // then
}

// Explain answers for each GPU that has memory.
func (s *Snapshot) Explain() (out []Answer) {
	for i := range s.devices {
		if d := &s.devices[i]; len(d.segments) > 0 || len(d.changes) > 0 {
			out = append(out, s.explain(i, d))
		}
	}
	return out
}

func (s *Snapshot) explain(number int, d *device) Answer {
	a := Answer{Device: number, Changes: len(d.changes), Holders: []Holder{}}
	live := map[int64]block{}
	for _, seg := range d.segments {
		a.ReservedBytes += seg.size
		for _, b := range seg.blocks {
			if b.active {
				live[b.address] = b
				a.AllocatedBytes += b.size
				if b.requested > 0 {
					a.RoundingBytes += b.size - b.requested
				}
			} else {
				a.UnusedBytes += b.size
				a.LargestFree = max(a.LargestFree, b.size)
			}
		}
	}
	peak := d.peak(a.AllocatedBytes)
	a.PeakBytes = peak.bytes
	a.Complete = peak.earliest <= 0
	a.OOM = s.outOfMemory(d, a)
	held := d.at(peak.at, live)
	a.Blocks = len(held)
	a.Holders = s.holders(held, d, peak.at)
	a.Curve = d.curve(peak.earliest)
	return a
}

// curve is the memory in use over time, from what was in use before the first change.
func (d *device) curve(inUse int64) (out []Usage) {
	const most = 500
	if len(d.changes) == 0 {
		return nil
	}
	first := d.changes[0].micros
	each := (len(d.changes) + most - 1) / most
	for i := range d.changes {
		c := &d.changes[i]
		switch c.action {
		case "alloc":
			inUse += c.size
		case "free_requested":
			inUse -= c.size
		}
		if i%each == 0 {
			out = append(out, Usage{c.micros - first, inUse})
		} else if last := &out[len(out)-1]; inUse > last.Bytes {
			*last = Usage{c.micros - first, inUse}
		}
	}
	return out
}

// peak is when most memory was in use: after so many changes.
type peak struct {
	at       int
	bytes    int64
	earliest int64 // in use before the first change
}

// peak walks back from the end, where all that is in use is known.
func (d *device) peak(inUse int64) peak {
	p := peak{len(d.changes), inUse, inUse}
	for i := len(d.changes) - 1; i >= 0; i-- {
		switch c := &d.changes[i]; c.action {
		case "alloc":
			inUse -= c.size
		case "free_requested":
			inUse += c.size
		}
		if inUse > p.bytes {
			p.at, p.bytes = i, inUse
		}
	}
	p.earliest = inUse
	return p
}

// at is what was in use after so many changes. A block that was freed later has the stack of its allocation, where that
// was recorded.
func (d *device) at(n int, end map[int64]block) []block {
	live := maps.Clone(end)
	for i := len(d.changes) - 1; i >= n; i-- {
		switch c := &d.changes[i]; c.action {
		case "alloc":
			delete(live, c.address)
		case "free_requested":
			live[c.address] = block{address: c.address, size: c.size, active: true}
		}
	}
	for i := n - 1; i >= 0; i-- { // the last allocation of an address before then is the one that is live
		c := &d.changes[i]
		if c.action != "alloc" {
			continue
		}
		if b, ok := live[c.address]; ok && b.frames == nil {
			b.frames = c.frames
			live[c.address] = b
		}
	}
	out := make([]block, 0, len(live))
	for _, b := range live {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b block) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.address, b.address))
	})
	return out
}

// holders sums blocks up by the line of the program that they were allocated for. The callers of a line are those of
// the first of its blocks.
func (s *Snapshot) holders(held []block, d *device, peakAt int) []Holder {
	const most = 50
	of := map[Frame]*Holder{}
	for _, b := range held {
		user, callers, library := s.place(b.frames)
		h := of[user]
		if h == nil {
			h = &Holder{Frame: user, Callers: callers, Library: library}
			of[user] = h
		}
		h.Bytes += b.size
		h.Blocks++
	}
	for _, f := range s.growing(d, peakAt) {
		if h := of[f]; h != nil {
			h.Grows = true
		}
	}
	out := make([]Holder, 0, len(of))
	for _, h := range of {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out[:min(most, len(out))]
}

// growing are the lines whose memory is still in use at the peak from every quarter of the time before it, and in much
// the same amount: they gather memory step by step, and nothing frees it. What a single step holds is all from the last
// quarter.
func (s *Snapshot) growing(d *device, peakAt int) (out []Frame) {
	const quarters = 4
	if peakAt < 64 {
		return nil
	}
	freed := map[int64]bool{} // addresses whose allocation, as the walk goes back, was freed before the peak
	sums := map[Frame]*[quarters]int64{}
	for i := peakAt - 1; i >= 0; i-- {
		c := &d.changes[i]
		switch c.action {
		case "free_requested":
			freed[c.address] = true
		case "alloc":
			if freed[c.address] {
				delete(freed, c.address)
				continue
			}
			user, _, _ := s.place(c.frames)
			if sums[user] == nil {
				sums[user] = &[quarters]int64{}
			}
			sums[user][i*quarters/peakAt] += c.size
		}
	}
	for f, q := range sums {
		if low, high := min(q[1], q[2], q[3]), max(q[1], q[2], q[3]); low > 0 && 4*low > high {
			out = append(out, f)
		}
	}
	return out
}

// place is the line of the user's program that a stack is at, its callers, and the innermost frame of a library below
// it.
func (s *Snapshot) place(l *list) (user Frame, callers []Frame, library Frame) {
	stack := s.stack(l)
	found := false
	for i, f := range stack {
		switch {
		case ofLibrary(f.File):
			if i == 0 {
				library = f
			}
		case !found:
			user, found = f, true
		default:
			callers = append(callers, f)
		}
	}
	if !found && len(stack) > 0 {
		user = stack[len(stack)-1]
	}
	return user, callers, library
}

// ofLibrary reports whether a file is not the user's: of an installed package, of Python, or compiled code.
func ofLibrary(file string) bool {
	return file == "" || file == "??" || strings.HasPrefix(file, "<") || strings.Contains(file, "site-packages/") || strings.Contains(file, "dist-packages/") ||
		strings.Contains(file, "/lib/python") || strings.HasPrefix(file, "torch/") || !strings.HasSuffix(file, ".py")
}

// outOfMemory finds the last allocation that failed.
func (s *Snapshot) outOfMemory(d *device, a Answer) (o *OOM) {
	inUse := a.AllocatedBytes
	count := 0
	for i := len(d.changes) - 1; i >= 0; i-- {
		c := &d.changes[i]
		switch c.action {
		case "alloc":
			inUse -= c.size
		case "free_requested":
			inUse += c.size
		case "oom":
			if count++; o != nil {
				continue
			}
			o = &OOM{Bytes: c.size, FreeBytes: c.free, InUseBytes: inUse, Fragmented: a.ReservedBytes-inUse >= c.size && a.LargestFree < c.size}
			user, callers, _ := s.place(c.frames)
			if user != (Frame{}) {
				o.Stack = append([]Frame{user}, callers...)
			}
		}
	}
	if o != nil {
		o.Count = count
	}
	return o
}

// String is a frame as people read it.
func (f Frame) String() string {
	switch {
	case f.File == "":
		return "unknown (no stacks were recorded)"
	case f.Function == "":
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Function)
}
