package trace

import (
	"iter"
	"math"
	"slices"
	"sort"
)

// EventID is the number of an event: its row in the columns.
type EventID uint32

// None means no event.
const None EventID = math.MaxUint32

// NameID stands for an interned name; equal names have equal ids. 0 is the empty name.
type NameID uint32

// Event is the part of a row that every event has.
type Event struct {
	Start, End int64
	Name       NameID
	Track      TrackID
	Kind       Kind
}

// Interval is when the event ran.
func (e Event) Interval() Interval { return Interval{e.Start, e.End} }

// Duration is how long it ran.
func (e Event) Duration() int64 { return e.End - e.Start }

// Trace is one recording, as the package comment describes. It is never changed.
type Trace struct {
	meta    Meta
	quality Quality
	names   []string
	tracks  []Track

	start, dur []int64
	name       []NameID
	track      []TrackID
	kind       []Kind
	overlap    []uint64 // one bit an event
	parent     []EventID

	attrs    [numAttrs]sparse
	inputs   []Inputs
	inputsOf sparse
	configs  []Config
	configOf sparse

	launch   sparse    // GPU event to the host event that caused it
	launched []EventID // GPU events sorted by that host event, then by start
	forward  []Flow    // sorted by To
	backward []Flow    // sorted by From

	devices  []deviceEvents
	deviceAt map[Device]int // where each stands in devices
	memory   []MemoryChange
	counters []Sample
	window   Window
}

// deviceEvents is the work of one GPU over all its streams, by start.
type deviceEvents struct {
	device  Device
	events  []EventID
	longest int64
}

// Meta tells what the file says about itself.
func (t *Trace) Meta() *Meta { return &t.meta }

// Quality tells how far the trace can be believed.
func (t *Trace) Quality() Quality { return t.quality }

// WithOrigin returns the same trace known under another path and rank.
func (t *Trace) WithOrigin(path string, rank int) *Trace {
	renamed := *t
	renamed.meta.Path, renamed.meta.Rank = path, rank
	return &renamed
}

// Len is the number of events; ids run from 0 to Len()-1.
func (t *Trace) Len() int { return len(t.start) }

// Window is the time from the first start to the last end of all events, the profiler's
// own frames aside.
func (t *Trace) Window() Window { return t.window }

// Absolute turns a time of the trace into nanoseconds since 1970, where the file tells
// its base; otherwise it returns ns unchanged.
func (t *Trace) Absolute(ns int64) int64 { return ns + t.meta.Base }

// Event returns the columns that every event has.
func (t *Trace) Event(id EventID) Event {
	start := t.start[id]
	return Event{start, start + t.dur[id], t.name[id], t.track[id], t.kind[id]}
}

// Start is when the event began.
func (t *Trace) Start(id EventID) int64 { return t.start[id] }

// End is when the event ended.
func (t *Trace) End(id EventID) int64 { return t.start[id] + t.dur[id] }

// Duration is how long the event lasted.
func (t *Trace) Duration(id EventID) int64 { return t.dur[id] }

// Interval is when the event ran.
func (t *Trace) Interval(id EventID) Interval { return Interval{t.start[id], t.End(id)} }

// Kind is what the event is.
func (t *Trace) Kind(id EventID) Kind { return t.kind[id] }

// NameID is the event's name as a number.
func (t *Trace) NameID(id EventID) NameID { return t.name[id] }

// Name is the event's name.
func (t *Trace) Name(id EventID) string { return t.names[t.name[id]] }

// String returns the name that the id stands for.
func (t *Trace) String(id NameID) string { return t.names[id] }

// Names is the number of different names; their ids run from 0 to Names()-1.
func (t *Trace) Names() int { return len(t.names) }

// Overlapping reports whether the event overlaps an earlier one of its track without
// being inside it. Kernels of one stream do so under programmatic dependent launch.
func (t *Trace) Overlapping(id EventID) bool {
	return t.overlap[id>>6]&(1<<(id&63)) != 0
}

// Int returns a number from a side column.
func (t *Trace) Int(id EventID, a Attr) (int64, bool) { return t.attrs[a].get(uint32(id)) }

// Text returns a name from a side column, or "".
func (t *Trace) Text(id EventID, a Attr) string {
	if v, ok := t.attrs[a].get(uint32(id)); ok {
		return t.names[v]
	}
	return ""
}

// Has reports whether any event has the side column.
func (t *Trace) Has(a Attr) bool { return t.attrs[a].len() > 0 }

// Tracks lists all tracks: threads first, then streams by device, then the rest.
func (t *Trace) Tracks() []Track { return t.tracks }

// Track returns the track of that number.
func (t *Trace) Track(id TrackID) *Track { return &t.tracks[id] }

// TrackOf returns the track an event lies on.
func (t *Trace) TrackOf(id EventID) *Track { return &t.tracks[t.track[id]] }

// OnTrack gives the track's events that have a part in the window, by start. Events are
// not clipped to the window.
func (t *Trace) OnTrack(track TrackID, w Window) iter.Seq2[EventID, Event] {
	return func(yield func(EventID, Event) bool) {
		tr := &t.tracks[track]
		first := tr.First
		switch from := t.firstAt(tr, w.Start); {
		case tr.overlaps: // only the longest duration bounds how far back to look
			first = t.firstAt(tr, w.Start-tr.longest)
		case from > tr.First: // what still runs encloses the last event that began before
			var running []EventID
			for id := from - 1; id != None; id = t.parent[id] {
				running = append(running, id)
			}
			for _, id := range slices.Backward(running) {
				if w.touches(t.start[id], t.End(id)) && !yield(id, t.Event(id)) {
					return
				}
			}
			first = from
		}
		for id := first; id < tr.Last && t.start[id] < w.End; id++ {
			if w.touches(t.start[id], t.End(id)) && !yield(id, t.Event(id)) {
				return
			}
		}
	}
}

// firstAt is the first event of the track that starts at the instant or later.
func (t *Trace) firstAt(tr *Track, ns int64) EventID {
	return tr.First + EventID(sort.Search(tr.Len(), func(i int) bool { return t.start[tr.First+EventID(i)] >= ns }))
}

// Devices lists the GPUs that did any work, by number.
func (t *Trace) Devices() []Device {
	list := make([]Device, len(t.devices))
	for i := range t.devices {
		list[i] = t.devices[i].device
	}
	return list
}

// OnDevice gives the GPU's work (kernels, copies, fills) of all its streams that has a
// part in the window, by start. Events are not clipped to the window.
func (t *Trace) OnDevice(dev Device, w Window) iter.Seq2[EventID, Event] {
	return func(yield func(EventID, Event) bool) {
		d := t.device(dev)
		if d == nil {
			return
		}
		// Nothing that starts more than the longest duration before the window reaches into it.
		from := sort.Search(len(d.events), func(i int) bool { return t.start[d.events[i]] >= w.Start-d.longest })
		for _, id := range d.events[from:] {
			if t.start[id] >= w.End {
				return
			}
			if w.touches(t.start[id], t.End(id)) && !yield(id, t.Event(id)) {
				return
			}
		}
	}
}

// DeviceWindow is the time from the first start to the last end of the GPU's work.
func (t *Trace) DeviceWindow(dev Device) Window {
	d := t.device(dev)
	if d == nil {
		return Window{}
	}
	w := Window{t.start[d.events[0]], math.MinInt64}
	for _, id := range d.events {
		w.End = max(w.End, t.End(id))
	}
	return w
}

// DeviceEvents is how many pieces of work the GPU did.
func (t *Trace) DeviceEvents(dev Device) int {
	if d := t.device(dev); d != nil {
		return len(d.events)
	}
	return 0
}

func (t *Trace) device(dev Device) *deviceEvents {
	if i, ok := t.deviceAt[dev]; ok {
		return &t.devices[i]
	}
	return nil
}

// OfKind gives all events of the given kinds, by track and start.
func (t *Trace) OfKind(kinds ...Kind) iter.Seq[EventID] {
	var wanted [256]bool
	for _, k := range kinds {
		wanted[k] = true
	}
	return func(yield func(EventID) bool) {
		for i, k := range t.kind {
			if wanted[k] && !yield(EventID(i)) {
				return
			}
		}
	}
}

// Bytes is the memory that the trace's columns take.
func (t *Trace) Bytes() int {
	n := 8*cap(t.start) + 8*cap(t.dur) + 4*cap(t.name) + 4*cap(t.track) + cap(t.kind) + 8*cap(t.overlap) + 4*cap(t.parent)
	for i := range t.attrs {
		n += t.attrs[i].bytes()
	}
	n += t.inputsOf.bytes() + t.configOf.bytes() + t.launch.bytes()
	n += 4*cap(t.launched) + 8*cap(t.forward) + 8*cap(t.backward)
	for i := range t.devices {
		n += 4 * cap(t.devices[i].events)
	}
	n += 56*cap(t.memory) + 24*cap(t.counters)
	for _, s := range t.names {
		n += 16 + len(s)
	}
	return n
}
