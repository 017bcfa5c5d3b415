package timeline

import (
	"encoding/binary"

	"saturate/internal/trace"
)

// Tags of extras beside the side columns of package trace.
const (
	extraInputs = 100 + iota // a number in header.Inputs
	extraConfig              // a number in header.Configs
	extraPlace               // a name: where the host was
	extraNext                // a name: the work that ended a gap
	extraEnd    = 255
)

// shapes are an operator's inputs, as shown.
type shapes struct {
	Dims   [][]int64 `json:"dims,omitempty"`
	Types  []string  `json:"types,omitempty"`
	Values []string  `json:"values,omitempty"`
}

// geometry is a kernel's launch configuration, as shown.
type geometry struct {
	Grid         [3]int32 `json:"grid"`
	Block        [3]int32 `json:"block"`
	Registers    int32    `json:"registers,omitempty"`
	SharedMemory int32    `json:"shared_memory,omitempty"`
	Occupancy    float32  `json:"occupancy,omitempty"` // percent
}

// extraTables hold what many events share.
type extraTables struct {
	inputs   []shapes
	configs  []geometry
	inputOf  map[*trace.Inputs]uint64
	configOf map[*trace.Config]uint64
	columns  []trace.Attr
	ready    bool
	buf      []byte
}

// extra writes what only some events have and returns where; 0 when the event has nothing.
func (b *builder) extra(id trace.EventID) uint64 {
	s := &b.seen
	if !s.ready {
		s.ready, s.inputOf, s.configOf = true, map[*trace.Inputs]uint64{}, map[*trace.Config]uint64{}
		for _, a := range trace.Attrs() {
			if b.t.Has(a) && a != trace.PythonID && a != trace.PythonParent {
				s.columns = append(s.columns, a)
			}
		}
	}
	out := s.buf[:0]
	put := func(tag byte, v uint64) { out = binary.AppendUvarint(append(out, tag), v) }
	for _, a := range s.columns {
		if a.IsText() {
			if text := b.t.Text(id, a); text != "" {
				put(byte(a), uint64(b.names.of(text)))
			}
		} else if v, ok := b.t.Int(id, a); ok {
			put(byte(a), uint64(v<<1)^uint64(v>>63))
		}
	}
	if in := b.t.Inputs(id); in != nil {
		n, ok := s.inputOf[in]
		if !ok {
			n = uint64(len(s.inputs))
			s.inputOf[in] = n
			s.inputs = append(s.inputs, shapes{in.Dims, in.Types, in.Values})
		}
		put(extraInputs, n)
	}
	if c := b.t.Config(id); c != nil {
		n, ok := s.configOf[c]
		if !ok {
			n = uint64(len(s.configs))
			s.configOf[c] = n
			s.configs = append(s.configs, geometry{c.Grid, c.Block, c.Registers, c.SharedMemory, c.Occupancy})
		}
		put(extraConfig, n)
	}
	s.buf = out
	return b.writeExtra(out)
}

// extraTexts writes pairs of a tag and a text.
func (b *builder) extraTexts(pairs ...any) uint64 {
	var out []byte
	for i := 0; i < len(pairs); i += 2 {
		if text := pairs[i+1].(string); text != "" {
			out = binary.AppendUvarint(append(out, byte(pairs[i].(int))), uint64(b.names.of(text)))
		}
	}
	return b.writeExtra(out)
}

func (b *builder) writeExtra(out []byte) uint64 {
	if len(out) == 0 {
		return 0
	}
	at := b.extraAt
	b.extras.Write(out)
	b.extras.WriteByte(extraEnd)
	b.extraAt += int64(len(out)) + 1
	return uint64(at)
}
