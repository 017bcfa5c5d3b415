package trace

import "strings"

// Lexicon interns what one worker of an importer meets: names, tracks, operators' inputs,
// kernels' configurations. Ids given by a lexicon are valid in batches made from it.
// A lexicon must not be used by two goroutines.
type Lexicon struct {
	names    []string
	nameIDs  map[string]NameID
	tracks   []TrackKey
	trackIDs map[TrackKey]TrackID
	inputs   []Inputs
	configs  []Config
	configID map[Config]uint32

	long  int                                          // names that were cut since the last batch
	given struct{ names, tracks, inputs, configs int } // how many of each the batches have got
}

// TrackKey is what tells tracks apart. For a [Stream] and [StreamNotes], PID is the
// device and TID the stream. PIDText and TIDText are for those that are not numbers.
type TrackKey struct {
	Domain           Domain
	PID, TID         int64
	PIDText, TIDText NameID
}

// NewLexicon makes an empty one.
func NewLexicon() *Lexicon {
	l := &Lexicon{
		names:    []string{""},
		nameIDs:  map[string]NameID{"": 0},
		trackIDs: map[TrackKey]TrackID{},
		configID: map[Config]uint32{},
	}
	l.given.names = 1 // all agree on the empty one
	return l
}

// LongestName is where names are cut, in bytes: those of templates have some thousand.
const LongestName = 64 << 10

// Name interns a name; a very long one is cut. Control characters become spaces and invalid UTF-8 is replaced,
// so that a name can be shown anywhere.
func (l *Lexicon) Name(text []byte) NameID {
	if len(text) > LongestName {
		text = text[:LongestName]
		l.long++
	}
	if id, ok := l.nameIDs[string(text)]; ok {
		return id
	}
	raw := string(text)
	clean := printable(raw)
	id, ok := l.nameIDs[clean]
	if !ok {
		id = NameID(len(l.names))
		l.names = append(l.names, clean)
		l.nameIDs[clean] = id
	}
	if raw != clean {
		l.nameIDs[raw] = id
	}
	return id
}

// Text returns what a name id stands for.
func (l *Lexicon) Text(id NameID) string { return l.names[id] }

// Track interns a track.
func (l *Lexicon) Track(key TrackKey) TrackID {
	id, ok := l.trackIDs[key]
	if !ok {
		id = TrackID(len(l.tracks))
		l.tracks = append(l.tracks, key)
		l.trackIDs[key] = id
	}
	return id
}

// Inputs keeps an operator's inputs and returns their number. It does not look for equal
// ones: importers do, by the text they read.
func (l *Lexicon) Inputs(in Inputs) uint32 {
	l.inputs = append(l.inputs, in)
	return uint32(len(l.inputs) - 1)
}

// Config interns a kernel's configuration.
func (l *Lexicon) Config(c Config) uint32 {
	id, ok := l.configID[c]
	if !ok {
		id = uint32(len(l.configs))
		l.configs = append(l.configs, c)
		l.configID[c] = id
	}
	return id
}

func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}
