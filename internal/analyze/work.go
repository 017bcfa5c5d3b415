package analyze

import (
	"strings"

	"saturate/internal/trace"
)

// class is what a piece of GPU work is for.
type class uint8

const (
	compute class = iota
	communication
	copyIn  // from the host to the GPU
	copyOut // from the GPU to the host
	copyOther
	fill
	numClasses
)

// isMemory reports whether the work only moves or fills memory.
func (c class) isMemory() bool { return c >= copyIn }

// classOf tells what a piece of GPU work is for.
func (v *view) classOf(id trace.EventID) class {
	switch v.t.Kind(id) {
	case trace.Memset:
		return fill
	case trace.Memcpy:
		return v.endsOf(id).class()
	}
	switch {
	case v.means(id, isComm):
		return communication
	case v.means(id, isDMA):
		return copyOther
	}
	return compute
}

// ends are the memories on both sides of a copy.
type ends struct{ from, to string }

func (e ends) class() class {
	switch {
	case e.to == "device" && e.from != "device":
		return copyIn
	case e.from == "device" && e.to != "device":
		return copyOut
	}
	return copyOther
}

// kind is the direction as people write it.
func (e ends) kind() string {
	switch {
	case e.from == "device" && e.to == "device":
		return "D2D"
	case e.to == "device":
		return "H2D"
	case e.from == "device":
		return "D2H"
	}
	return "H2H"
}

// memory is the kind of memory on the host's side.
func (e ends) memory() string {
	if e.from != "device" {
		return e.from
	}
	return e.to
}

// endsOf reads what a copy joins from its name, "Memcpy HtoD (Pageable -> Device)", or from
// what XLA writes beside it, "pinned -> device".
func (v *view) endsOf(id trace.EventID) ends {
	name := v.t.NameID(id)
	detail := v.t.Text(id, trace.CopyKind)
	if detail == "" {
		if e, ok := v.copies[name]; ok {
			return e
		}
	}
	e := readEnds(v.t.String(name), detail)
	if detail == "" {
		v.copies[name] = e
	}
	return e
}

func readEnds(name, detail string) (e ends) {
	if from, to, ok := strings.Cut(detail, " -> "); ok {
		return ends{from, to}
	}
	lower := strings.ToLower(name)
	e = ends{"unknown", "unknown"}
	for _, side := range []struct{ text, from, to string }{
		{"htod", "unknown", "device"},
		{"h2d", "unknown", "device"},
		{"hosttodevice", "unknown", "device"},
		{"host_to_device", "unknown", "device"},
		{"dtoh", "device", "unknown"},
		{"d2h", "device", "unknown"},
		{"devicetohost", "device", "unknown"},
		{"device_to_host", "device", "unknown"},
		{"dtod", "device", "device"},
		{"d2d", "device", "device"},
		{"ptop", "device", "device"},
		{"p2p", "device", "device"},
		{"copybuffer", "device", "device"},
	} {
		if strings.Contains(lower, side.text) {
			e = ends{side.from, side.to}
			break
		}
	}
	if _, sides, ok := strings.Cut(lower, "("); ok {
		if from, to, ok := strings.Cut(strings.TrimSuffix(sides, ")"), " -> "); ok {
			if e.from == "unknown" {
				e.from = from
			}
			if e.to == "unknown" {
				e.to = to
			}
		}
	}
	return e
}
