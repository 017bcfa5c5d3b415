package timeline

import (
	"encoding/binary"
	"fmt"

	"saturate/internal/trace"
)

// Event is one event with what belongs to it.
type Event struct {
	Brief
	Attributes []Attribute `json:"attributes,omitempty"`
	Ancestors  []Brief     `json:"ancestors,omitempty"` // innermost first
	Launch     *Brief      `json:"launch,omitempty"`    // of GPU work: the call that started it
	Operator   *Brief      `json:"operator,omitempty"`  // the innermost operator around that call
	Frames     []Brief     `json:"frames,omitempty"`    // Python frames around that call, innermost first
	Started    *Brief      `json:"started,omitempty"`   // of a call: the first work that it started
}

// Brief is an event in short.
type Brief struct {
	ID    uint32 `json:"id"`
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Start int64  `json:"start_ns"`
	Dur   int64  `json:"dur_ns"`
	Group int    `json:"group"`
	Lane  int    `json:"lane"`
}

// Attribute is a value with its name.
type Attribute struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// mostAncestors bounds a damaged chain.
const mostAncestors = 512

// Event tells everything about one event.
func (x *Index) Event(id uint32) (Event, error) {
	r, err := x.record(id)
	if err != nil {
		return Event{}, err
	}
	e := Event{Brief: x.brief(id, r)}
	if e.Attributes, err = x.attributes(r.extra); err != nil {
		return e, err
	}
	if r.kind == trace.Annotation && r.link != none && int(id) >= x.head.Events { // a copy in the group of ranges
		original, err := x.record(r.link)
		if err != nil {
			return e, err
		}
		e.Ancestors, err = x.ancestors(original)
		return e, err
	}
	if e.Ancestors, err = x.ancestors(r); err != nil || r.link == none {
		if !r.kind.Work() {
			e.Frames = ofKind(e.Ancestors, trace.Python)
		}
		return e, err
	}
	other, err := x.record(r.link)
	if err != nil {
		return e, err
	}
	brief := x.brief(r.link, other)
	if !r.kind.Work() {
		e.Started = &brief
		e.Frames = ofKind(e.Ancestors, trace.Python)
		return e, nil
	}
	e.Launch = &brief
	around, err := x.ancestors(other)
	if other.kind == trace.CPUOp {
		around = append([]Brief{brief}, around...)
	}
	if ops := ofKind(around, trace.CPUOp); len(ops) > 0 {
		e.Operator = &ops[0]
	}
	e.Frames = ofKind(around, trace.Python)
	return e, err
}

func ofKind(list []Brief, kind trace.Kind) (out []Brief) {
	for _, b := range list {
		if b.Kind == kind.String() {
			out = append(out, b)
		}
	}
	return out
}

func (x *Index) brief(id uint32, r record) Brief {
	return Brief{id, x.Name(r.name), kindName(r.kind), r.start, r.dur, int(r.group), int(r.lane)}
}

func kindName(k trace.Kind) string {
	switch k {
	case StepKind:
		return "step"
	case GapKind:
		return "GPU idle"
	case PathKind:
		return "critical path"
	}
	return k.String()
}

func (x *Index) ancestors(r record) (list []Brief, err error) {
	for r.parent != none && len(list) < mostAncestors {
		id := r.parent
		if r, err = x.record(id); err != nil {
			return list, err
		}
		list = append(list, x.brief(id, r))
	}
	return list, nil
}

// attributes reads the extras that begin at a place.
func (x *Index) attributes(at uint64) (list []Attribute, err error) {
	if at == 0 {
		return nil, nil
	}
	var buf [512]byte
	n, err := x.extras.ReadAt(buf[:], int64(at))
	if n == 0 {
		return nil, fmt.Errorf("cannot read the timeline: %w", err)
	}
	for b := buf[:n]; len(b) > 1 && b[0] != extraEnd; {
		tag := b[0]
		v, size := binary.Uvarint(b[1:])
		if size <= 0 {
			break
		}
		b = b[1+size:]
		list = append(list, x.attribute(tag, v))
	}
	return list, nil
}

func (x *Index) attribute(tag byte, v uint64) Attribute {
	switch tag {
	case extraPlace:
		return Attribute{"place", x.Name(uint32(v))}
	case extraNext:
		return Attribute{"ended by", x.Name(uint32(v))}
	case extraInputs:
		if v < uint64(len(x.head.Inputs)) {
			return Attribute{"inputs", x.head.Inputs[v]}
		}
	case extraConfig:
		if v < uint64(len(x.head.Configs)) {
			return Attribute{"launch configuration", x.head.Configs[v]}
		}
	default:
		a := trace.Attr(tag)
		if a.IsText() {
			return Attribute{a.String(), x.Name(uint32(v))}
		}
		return Attribute{a.String(), int64(v>>1) ^ -int64(v&1)}
	}
	return Attribute{"damaged", nil}
}
