package trace

import "fmt"

// Builder puts batches together. It belongs to one goroutine.
type Builder struct {
	Meta Meta

	lexicon *Lexicon // the trace's own ids
	words   map[*Lexicon]*translation

	start, dur []int64
	name       []NameID
	track      []TrackID
	kind       []Kind
	attrs      [numAttrs]sparse
	inputsOf   sparse
	configOf   sparse

	arrows   []arrow
	ends     []endMark
	memory   []MemoryChange
	counters []Sample
	labels   map[labelKey]NameID

	inputIDs map[string]uint32

	seen    int
	rows    int  // events appended; set by Finish
	open    bool // some events still wait for their end
	quality Quality
	long    int // names that were cut
}

type labelKey struct {
	of  LabelOf
	key TrackKey
}

// translation turns the ids of a worker's lexicon into the trace's.
type translation struct {
	names   []NameID
	tracks  []TrackID
	inputs  []uint32
	configs []uint32
}

// NewBuilder makes an empty one.
func NewBuilder() *Builder {
	return &Builder{
		Meta:     Meta{Rank: -1, Versions: map[string]string{}, Settings: map[string]string{}},
		lexicon:  NewLexicon(),
		words:    map[*Lexicon]*translation{},
		labels:   map[labelKey]NameID{},
		inputIDs: map[string]uint32{},
	}
}

// Seen is how many events the appended batches met, whole or not.
func (b *Builder) Seen() int { return b.seen }

// Len is how many events there are so far.
func (b *Builder) Len() int { return len(b.start) }

// Note adds a sentence about the file to the trace's quality.
func (b *Builder) Note(sentence string) {
	b.quality.Notes = append(b.quality.Notes, Note{Reason: sentence})
}

// Truncated notes, with a sentence, that the file ends before its end.
func (b *Builder) Truncated(sentence string) {
	b.quality.Truncated = true
	b.Note(sentence)
}

// Append adds a sealed batch. The batch may be reset and reused afterwards.
func (b *Builder) Append(batch *Batch) {
	tr := b.learn(batch)
	base := uint32(len(b.start))
	b.start = append(b.start, batch.start...)
	b.dur = append(b.dur, batch.dur...)
	b.kind = append(b.kind, batch.kind...)
	for i, name := range batch.name {
		b.name = append(b.name, tr.names[name])
		b.track = append(b.track, tr.tracks[batch.track[i]])
		b.open = b.open || batch.dur[i] == Open
	}
	for a := range batch.attrs {
		column := &batch.attrs[a]
		for i, row := range column.row {
			v := column.value[i]
			if Attr(a).IsText() {
				v = int64(tr.names[v])
			}
			b.attrs[a].add(base+row, v)
		}
	}
	for i, row := range batch.inputsOf.row {
		b.inputsOf.add(base+row, int64(tr.inputs[batch.inputsOf.value[i]]))
	}
	for i, row := range batch.configOf.row {
		b.configOf.add(base+row, int64(tr.configs[batch.configOf.value[i]]))
	}
	for _, a := range batch.arrows {
		if a.event != None {
			a.event += EventID(base)
		}
		b.arrows = append(b.arrows, a)
	}
	for _, e := range batch.ends {
		b.ends = append(b.ends, endMark{e.time, tr.tracks[e.track], e.order + base})
	}
	for _, m := range batch.memory {
		m.Track = tr.tracks[m.Track]
		b.memory = append(b.memory, m)
	}
	for _, s := range batch.counters {
		s.Series = tr.names[s.Series]
		b.counters = append(b.counters, s)
	}
	for _, l := range batch.labels {
		b.labels[labelKey{l.of, tr.key(l.key)}] = tr.names[l.text]
	}
	for _, f := range batch.faults {
		f.at.Event += b.seen
		b.fault(f)
	}
	b.seen += batch.Seen
}

// IsTruncated reports whether the file was found to end before its end.
func (b *Builder) IsTruncated() bool { return b.quality.Truncated }

// Learn takes from a batch only what its lexicon has learnt meanwhile. A batch that is
// not appended must be learnt, for later ones of the same lexicon rely on it.
func (b *Builder) Learn(batch *Batch) { b.learn(batch) }

func (b *Builder) learn(batch *Batch) *translation {
	tr := b.words[batch.lexicon]
	if tr == nil {
		tr = &translation{names: []NameID{0}}
		b.words[batch.lexicon] = tr
	}
	b.long += batch.long
	for _, name := range batch.names {
		tr.names = append(tr.names, b.lexicon.Name([]byte(name)))
	}
	for _, key := range batch.tracks {
		tr.tracks = append(tr.tracks, b.lexicon.Track(tr.key(key)))
	}
	for _, in := range batch.inputs {
		key := fmt.Sprintf("%d %d %q %q %d", in.Dims, in.Strides, in.Types, in.Values, in.Lists)
		id, ok := b.inputIDs[key]
		if !ok {
			id = b.lexicon.Inputs(in)
			b.inputIDs[key] = id
		}
		tr.inputs = append(tr.inputs, id)
	}
	for _, c := range batch.configs {
		tr.configs = append(tr.configs, b.lexicon.Config(c))
	}
	return tr
}

func (tr *translation) key(key TrackKey) TrackKey {
	key.PIDText, key.TIDText = tr.names[key.PIDText], tr.names[key.TIDText]
	return key
}

func (b *Builder) fault(f fault) {
	if f.repaired {
		b.quality.Repaired += f.count
	} else {
		b.quality.Dropped += f.count
	}
	for i := range b.quality.Notes {
		if n := &b.quality.Notes[i]; n.Reason == f.reason && n.Count > 0 {
			n.Count += f.count
			return
		}
	}
	b.quality.Notes = append(b.quality.Notes, Note{f.reason, f.count, f.at})
}

// label returns the name given to a track's process or thread.
func (b *Builder) label(of LabelOf, key TrackKey) string {
	if of != ThreadName {
		key.TID, key.TIDText = 0, 0
	}
	id, ok := b.labels[labelKey{of, key}]
	if !ok {
		key.Domain = HostThread
		id = b.labels[labelKey{of, key}]
	}
	return b.lexicon.Text(id)
}

// Classify decides what events are whose file does not say, once everything is read:
// track decides, from the names of its process and thread, where a track belongs; kind
// decides, from the domain and the event, what an event is. It is called for
// [Uncategorised] events and their tracks only.
func (b *Builder) Classify(track func(process, thread string, key TrackKey) TrackKey, kind func(Unclassified) Kind) {
	moved := make([]bool, len(b.lexicon.tracks))
	for i, k := range b.kind {
		if k != Uncategorised {
			continue
		}
		t := b.track[i]
		if !moved[t] {
			moved[t] = true
			key := b.lexicon.tracks[t]
			process, thread := b.label(ProcessName, key), b.label(ThreadName, key)
			if to := track(process, thread, key); to != key {
				b.move(to, process, thread)
				b.lexicon.tracks[t] = to
			}
		}
		row := uint32(i)
		b.kind[i] = kind(Unclassified{
			Domain: b.lexicon.tracks[t].Domain, Name: b.lexicon.Text(b.name[i]),
			Correlated: b.attrs[Correlation].has(row), Step: b.attrs[StepNumber].has(row),
		})
	}
}

// Unclassified is what is known of an event whose file does not say its kind.
type Unclassified struct {
	Domain           Domain
	Name             string
	Correlated, Step bool
}

// move lets a track keep its names under another key.
func (b *Builder) move(to TrackKey, process, thread string) {
	b.labels[labelKey{ThreadName, to}] = b.lexicon.Name([]byte(thread))
	to.TID, to.TIDText = 0, 0
	b.labels[labelKey{ProcessName, to}] = b.lexicon.Name([]byte(process))
}
