package trace

import "math"

// Batch is what a worker read from one piece of a file, in file order. Fill it with Add
// and its sisters, Seal it, and give it to [Builder.Append].
type Batch struct {
	lexicon *Lexicon
	// what the lexicon learnt while this batch was filled; set by Seal
	names   []string
	tracks  []TrackKey
	inputs  []Inputs
	configs []Config
	long    int // names that were cut

	start, dur []int64
	name       []NameID
	track      []TrackID
	kind       []Kind
	attrs      [numAttrs]values
	inputsOf   values
	configOf   values

	arrows   []arrow
	ends     []endMark
	memory   []MemoryChange
	counters []Sample
	labels   []label
	faults   []fault
	Seen     int // events met, of any sort, whole or not; importers count them
}

// Open as a duration says that the event's end comes separately; see [Batch.End].
const Open int64 = math.MinInt64

// values are a side column of a batch.
type values struct {
	row   []uint32
	value []int64
}

func (v *values) set(row int, value int64) {
	v.row = append(v.row, uint32(row))
	v.value = append(v.value, value)
}

// flowKind says what an arrow joins.
type flowKind uint8

const (
	launchFlow   flowKind = iota // a host call and the GPU work it started
	backwardFlow                 // a forward operator and its backward
)

// arrow is one end of an arrow.
type arrow struct {
	number int64
	time   int64
	event  EventID // None until found by thread and time
	owner  Owner
	kind   flowKind
	head   bool
}

// Owner is a process and thread as written, which may stand for a GPU and its stream.
type Owner struct{ PID, TID int64 }

// endMark is the end of an event whose start was written separately.
type endMark struct {
	time  int64
	track TrackID
	order uint32 // events of the batch before it; of the trace, once appended
}

// LabelOf says what a label names.
type LabelOf uint8

// What a label names.
const (
	ProcessName LabelOf = iota
	ThreadName
	ProcessLabel
)

type label struct {
	of   LabelOf
	key  TrackKey
	text NameID
}

// fault is something that was left out or mended.
type fault struct {
	reason   string
	at       Place
	count    int
	repaired bool
}

// NewBatch starts a batch of the lexicon. Batches of one lexicon must be filled one after
// the other and appended in that order.
func (l *Lexicon) NewBatch() *Batch {
	b := new(Batch)
	b.Reset(l)
	return b
}

// Reset empties the batch for reuse with a lexicon.
func (b *Batch) Reset(l *Lexicon) {
	attrs := b.attrs
	for i := range attrs {
		attrs[i] = values{attrs[i].row[:0], attrs[i].value[:0]}
	}
	*b = Batch{
		lexicon: l,
		start:   b.start[:0], dur: b.dur[:0], name: b.name[:0], track: b.track[:0], kind: b.kind[:0], attrs: attrs,
		inputsOf: values{b.inputsOf.row[:0], b.inputsOf.value[:0]},
		configOf: values{b.configOf.row[:0], b.configOf.value[:0]},
		arrows:   b.arrows[:0], ends: b.ends[:0], memory: b.memory[:0], counters: b.counters[:0], labels: b.labels[:0], faults: b.faults[:0],
	}
}

// Seal ends the filling. The batch may then be appended while its lexicon learns more.
func (b *Batch) Seal() *Batch {
	l := b.lexicon
	b.names, b.tracks = handOut(l.names, &l.given.names), handOut(l.tracks, &l.given.tracks)
	b.inputs, b.configs = handOut(l.inputs, &l.given.inputs), handOut(l.configs, &l.given.configs)
	b.long, l.long = l.long, 0
	return b
}

// handOut returns the entries of a list that no batch has got yet. They are never changed,
// so another goroutine may read them while the list grows.
func handOut[T any](list []T, given *int) []T {
	fresh := list[*given:len(list):len(list)]
	*given = len(list)
	return fresh
}

// Len is how many events were added.
func (b *Batch) Len() int { return len(b.start) }

// Add adds an event. The setters below then speak of it.
func (b *Batch) Add(start, dur int64, name NameID, track TrackID, kind Kind) {
	b.start = append(b.start, start)
	b.dur = append(b.dur, dur)
	b.name = append(b.name, name)
	b.track = append(b.track, track)
	b.kind = append(b.kind, kind)
}

// SetInt gives the last event a number.
func (b *Batch) SetInt(a Attr, v int64) { b.attrs[a].set(len(b.start)-1, v) }

// SetText gives the last event a name.
func (b *Batch) SetText(a Attr, name NameID) { b.attrs[a].set(len(b.start)-1, int64(name)) }

// SetInputs gives the last event its inputs.
func (b *Batch) SetInputs(id uint32) { b.inputsOf.set(len(b.start)-1, int64(id)) }

// SetConfig gives the last event its configuration.
func (b *Batch) SetConfig(id uint32) { b.configOf.set(len(b.start)-1, int64(id)) }

// End ends the innermost open event of the track.
func (b *Batch) End(track TrackID, time int64) {
	b.ends = append(b.ends, endMark{time, track, uint32(len(b.start))})
}

// LaunchArrow adds the tail (host call) or the head (GPU work) of an arrow. atLast says
// that it belongs to the last event added; otherwise it is found by thread and time.
func (b *Batch) LaunchArrow(number int64, head, atLast bool, owner Owner, time int64) {
	b.arrow(launchFlow, number, head, atLast, owner, time)
}

// BackwardArrow adds the tail (forward operator) or the head (backward operator) of an arrow.
func (b *Batch) BackwardArrow(number int64, head, atLast bool, owner Owner, time int64) {
	b.arrow(backwardFlow, number, head, atLast, owner, time)
}

func (b *Batch) arrow(kind flowKind, number int64, head, atLast bool, owner Owner, time int64) {
	event := None
	if atLast {
		event = EventID(len(b.start) - 1)
	}
	b.arrows = append(b.arrows, arrow{number, time, event, owner, kind, head})
}

// Memory adds a change of the allocator.
func (b *Batch) Memory(m MemoryChange) { b.memory = append(b.memory, m) }

// Counter adds a counter's sample.
func (b *Batch) Counter(s Sample) { b.counters = append(b.counters, s) }

// Label names a process or a thread. With the domain [HostThread] it is also valid for a
// GPU and stream of the same numbers, unless they have a label of their own.
func (b *Batch) Label(of LabelOf, key TrackKey, text NameID) {
	if of != ThreadName {
		key.TID, key.TIDText = 0, 0
	}
	b.labels = append(b.labels, label{of, key, text})
}

// Place is where in a file something was met.
type Place struct {
	Event int   // number of the event in the batch, from 1; the builder adds those before
	Byte  int64 // offset in the (decompressed) file
}

// Dropped notes an event that was left out, with the reason as in "without a start time".
func (b *Batch) Dropped(reason string, at Place) { b.fault(reason, at, false) }

// Repaired notes an event that was kept after mending it.
func (b *Batch) Repaired(reason string, at Place) { b.fault(reason, at, true) }

func (b *Batch) fault(reason string, at Place, repaired bool) {
	for i := range b.faults {
		if f := &b.faults[i]; f.reason == reason && f.repaired == repaired {
			f.count++
			return
		}
	}
	b.faults = append(b.faults, fault{reason, at, 1, repaired})
}
