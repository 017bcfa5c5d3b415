package perfetto

import "saturate/internal/trace/wire"

// sequence is what packets of one writer have in common.
type sequence struct {
	events, categories, keys, texts map[uint64]string // by number
	clock                           uint64            // of packets that do not say theirs; 0 for the trace's
	track                           uint64            // of events that do not say theirs
	clocks                          map[uint64]*clock // its own, numbered from 64
}

// clock is one that belongs to a sequence.
type clock struct {
	now         int64 // of an incremental one: the time of the packet before
	offset      int64 // to the trace's clock
	unit        int64 // nanoseconds
	incremental bool
}

// ownClocks is the first number of clocks that belong to a sequence, and afterOwn the first after them.
const ownClocks, afterOwn, bootTime = 64, 128, 6

func (x *reader) sequence(id uint64) *sequence {
	s := x.sequences[id]
	if s == nil {
		s = &sequence{clocks: map[uint64]*clock{}}
		s.forget()
		x.sequences[id] = s
	}
	return s
}

// forget is what a writer asks for when it starts to give names again.
func (s *sequence) forget() {
	s.events, s.categories, s.keys, s.texts = map[uint64]string{}, map[uint64]string{}, map[uint64]string{}, map[uint64]string{}
}

// Fields of InternedData, of its entries, of the defaults, and of clocks.
const (
	namesCategories = 1
	namesEvents     = 2
	namesKeys       = 3
	namesTexts      = 29
	entryNumber     = 1
	entryText       = 2
	defaultsEvent   = 11
	defaultsClock   = 58
	defaultTrack    = 11
	clocksClock     = 1
	clockID         = 1
	clockTime       = 2
	clockSteps      = 3
	clockUnit       = 4
)

// learn takes names and their numbers.
func (s *sequence) learn(m wire.Message) {
	for f, ok := m.Next(); ok; f, ok = m.Next() {
		to := map[int]map[uint64]string{namesCategories: s.categories, namesEvents: s.events, namesKeys: s.keys, namesTexts: s.texts}[f.Number]
		if to == nil {
			continue
		}
		var id uint64
		var text []byte
		e := wire.Message(f.Bytes)
		for g, ok := e.Next(); ok; g, ok = e.Next() {
			switch g.Number {
			case entryNumber:
				id = g.Value
			case entryText:
				text = g.Bytes
			}
		}
		to[id] = string(text)
	}
}

func (s *sequence) defaults(m wire.Message) {
	s.clock, s.track = 0, 0
	for f, ok := m.Next(); ok; f, ok = m.Next() {
		switch f.Number {
		case defaultsClock:
			s.clock = f.Value
		case defaultsEvent:
			e := wire.Message(f.Bytes)
			for g, ok := e.Next(); ok; g, ok = e.Next() {
				if g.Number == defaultTrack {
					s.track = g.Value
				}
			}
		}
	}
}

// snapshot tells clocks at one instant. The trace's own is that of the time since boot, else the first.
func (x *reader) snapshot(s *sequence, m wire.Message) {
	type reading struct {
		id, time, unit uint64
		steps          bool
	}
	var list []reading
	main := -1
	for f, ok := m.Next(); ok; f, ok = m.Next() {
		if f.Number != clocksClock || f.Wire != wire.Delimited {
			continue
		}
		r := reading{unit: 1}
		e := wire.Message(f.Bytes)
		for g, ok := e.Next(); ok; g, ok = e.Next() {
			switch g.Number {
			case clockID:
				r.id = g.Value
			case clockTime:
				r.time = g.Value
			case clockSteps:
				r.steps = g.Value != 0
			case clockUnit:
				r.unit = max(1, g.Value)
			}
		}
		if r.id < ownClocks && (main < 0 || r.id == bootTime) {
			main = len(list)
		}
		list = append(list, r)
	}
	if main < 0 {
		return
	}
	for _, r := range list {
		now := int64(r.time) * int64(r.unit)
		c := &clock{now: now, offset: int64(list[main].time) - now, unit: int64(r.unit), incremental: r.steps}
		switch {
		case r.id >= ownClocks && r.id < afterOwn:
			s.clocks[r.id] = c
		case x.clocks[r.id] == nil:
			x.clocks[r.id] = c
		}
	}
}

// time is a packet's time by the trace's clock.
func (x *reader) time(s *sequence, written uint64, id uint64) int64 {
	if id == 0 {
		id = s.clock
	}
	c := x.clocks[id]
	if id >= ownClocks && id < afterOwn {
		c = s.clocks[id]
	}
	if c == nil {
		return int64(written)
	}
	now := int64(written) * c.unit
	if c.incremental {
		c.now += now
		now = c.now
	}
	return now + c.offset
}
