package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
)

// Finish mends, sorts, nests and links what was appended. The builder must not be used
// afterwards.
func (b *Builder) Finish() *Trace {
	b.closeOpen()
	if b.long > 0 {
		b.Note(fmt.Sprintf("%s longer than %d KiB and cut there", human.Plural(b.long, "name")+human.Choose(b.long, " was", " were"), LongestName>>10))
	}
	drop := b.outliers()
	t := &Trace{meta: b.Meta, quality: b.quality, names: b.lexicon.names, inputs: b.lexicon.inputs, configs: b.lexicon.configs}
	order, moved := b.order(t, drop)
	b.fill(t, order)
	arrows := b.place(t, order, moved)
	b.lexicon, b.words, b.labels, b.inputIDs = nil, nil, nil, nil

	t.nest()
	for i := range arrows {
		t.bind(&arrows[i])
	}
	t.link(arrows)
	t.indexDevices()
	t.quality.Events = t.Len()
	t.window = t.extent()
	return t
}

// rank orders the tracks: threads, streams, the notes beside them, frames.
func (b *Builder) rank() (order []TrackID) {
	keys := b.lexicon.tracks
	order = make([]TrackID, len(keys))
	for i := range order {
		order[i] = TrackID(i)
	}
	slices.SortStableFunc(order, func(x, y TrackID) int {
		a, c := keys[x], keys[y]
		return cmp.Or(cmp.Compare(a.Domain, c.Domain), cmp.Compare(a.PID, c.PID), cmp.Compare(a.TID, c.TID))
	})
	return order
}

// order makes the trace's tracks and returns the old row of each new one, and the new
// number of each old track.
func (b *Builder) order(t *Trace, drop map[uint32]bool) (order []uint32, moved []TrackID) {
	next := make([]int, len(b.lexicon.tracks)) // where the track's next row goes
	for row, tr := range b.track {
		if !drop[uint32(row)] {
			next[tr]++
		}
	}
	moved = make([]TrackID, len(next))
	total := 0
	for i, old := range b.rank() {
		key := b.lexicon.tracks[old]
		moved[old] = TrackID(i)
		track := Track{
			ID: TrackID(i), Domain: key.Domain, PID: key.PID, TID: key.TID,
			Process: b.label(ProcessName, key), Thread: b.label(ThreadName, key), Label: b.label(ProcessLabel, key),
			First: EventID(total), Last: EventID(total + next[old]),
		}
		if track.Thread == "" {
			track.Thread = b.lexicon.Text(key.TIDText)
		}
		if track.Process == "" {
			track.Process = b.lexicon.Text(key.PIDText)
		}
		if key.Domain == Stream || key.Domain == StreamNotes {
			track.Device, track.Stream = Device(key.PID), key.TID
		}
		t.tracks = append(t.tracks, track)
		next[old], total = total, total+next[old]
	}
	order = make([]uint32, total)
	for row, tr := range b.track {
		if !drop[uint32(row)] {
			order[next[tr]] = uint32(row)
			next[tr]++
		}
	}
	var spare []uint32
	for i := range t.tracks {
		spare = b.sortRows(order[t.tracks[i].First:t.tracks[i].Last], spare)
	}
	return order, moved
}

// fill moves the columns into the trace in their new order, one by one, so that never
// more than one exists twice.
func (b *Builder) fill(t *Trace, order []uint32) {
	t.start = permuted(&b.start, order)
	t.dur = permuted(&b.dur, order)
	t.name = permuted(&b.name, order)
	t.kind = permuted(&b.kind, order)
	for a := range b.attrs {
		t.attrs[a] = b.attrs[a].permuted(order)
		b.attrs[a] = sparse{}
	}
	t.inputsOf, b.inputsOf = b.inputsOf.permuted(order), sparse{}
	t.configOf, b.configOf = b.configOf.permuted(order), sparse{}
	b.track = nil
	t.track = make([]TrackID, len(order))
	for i := range t.tracks {
		for id := t.tracks[i].First; id < t.tracks[i].Last; id++ {
			t.track[id] = TrackID(i)
		}
	}
}

func permuted[T any](column *[]T, order []uint32) []T {
	out := make([]T, len(order))
	for i, row := range order {
		out[i] = (*column)[row]
	}
	*column = nil
	return out
}

// place translates what refers to events and tracks by their old numbers.
func (b *Builder) place(t *Trace, order []uint32, moved []TrackID) []arrow {
	if len(b.arrows) > 0 {
		renumbered := make([]EventID, b.rows)
		for i := range renumbered {
			renumbered[i] = None
		}
		for i, row := range order {
			renumbered[row] = EventID(i)
		}
		for i := range b.arrows {
			a := &b.arrows[i]
			if a.event != None {
				a.event = renumbered[a.event]
				a.time = math.MinInt64 // nothing to look for when the event was dropped
			}
		}
	}
	for i := range b.memory {
		b.memory[i].Track = moved[b.memory[i].Track]
	}
	t.memory = slices.Clip(b.memory)
	slices.SortStableFunc(t.memory, func(x, y MemoryChange) int { return compare(x.Time, y.Time) })
	t.counters = slices.Clip(b.counters)
	slices.SortStableFunc(t.counters, func(x, y Sample) int { return compare(x.Time, y.Time) })
	return b.arrows
}

// bind finds the event at an arrow's end by thread and time. The file does not say
// whether a process number means a process or a GPU, so both are tried.
func (t *Trace) bind(a *arrow) {
	if a.event != None || a.time == math.MinInt64 {
		return
	}
	for i := range t.tracks {
		tr := &t.tracks[i]
		if (tr.Domain == HostThread || tr.Domain == Stream) && tr.PID == a.owner.PID && tr.TID == a.owner.TID {
			if id, ok := t.At(tr.ID, a.time); ok {
				a.event = id
				return
			}
		}
	}
}

// indexDevices lists each GPU's work over all its streams by start.
func (t *Trace) indexDevices() {
	at := map[Device]int{}
	for i := range t.tracks {
		tr := &t.tracks[i]
		if tr.Domain != Stream || tr.Len() == 0 {
			continue
		}
		i, known := at[tr.Device]
		if !known {
			i = len(t.devices)
			at[tr.Device] = i
			t.devices = append(t.devices, deviceEvents{device: tr.Device})
		}
		d := &t.devices[i]
		for id := tr.First; id < tr.Last; id++ {
			if t.kind[id].Work() {
				d.events = append(d.events, id)
				d.longest = max(d.longest, t.dur[id])
			}
		}
	}
	t.devices = slices.DeleteFunc(t.devices, func(d deviceEvents) bool { return len(d.events) == 0 })
	t.deviceAt = make(map[Device]int, len(t.devices))
	for i := range t.devices {
		t.deviceAt[t.devices[i].device] = i
		slices.SortStableFunc(t.devices[i].events, func(a, b EventID) int { return compare(t.start[a], t.start[b]) })
		t.devices[i].events = slices.Clip(t.devices[i].events)
	}
}

// extent is the time of all events but the profiler's own frames.
func (t *Trace) extent() Window {
	w := Window{math.MaxInt64, math.MinInt64}
	for i, start := range t.start {
		if t.tracks[t.track[i]].Domain != Frame {
			w.Start, w.End = min(w.Start, start), max(w.End, start+t.dur[i])
		}
	}
	if w.End < w.Start {
		return Window{}
	}
	return w
}
