package xplane

import (
	"math"
	"strconv"
	"strings"

	"saturate/internal/trace"
	"saturate/internal/trace/wire"
	"saturate/internal/trace/xla"
)

// The fields of XPlane, XLine, XEvent, XStat and of the two tables of names.
const (
	planeID     = 1 // always 0
	planeName   = 2
	planeLines  = 3
	planeEvents = 4 // map from id to XEventMetadata
	planeStats  = 5 // map from id to XStatMetadata
	planeOwn    = 6

	lineID          = 1
	lineName        = 2
	lineStart       = 3 // ns
	lineEvents      = 4
	lineDisplayID   = 10
	lineDisplayName = 11

	eventKind     = 1
	eventOffset   = 2 // ps
	eventDuration = 3 // ps
	eventStats    = 4
	eventCount    = 5 // of occurrences, in place of an offset

	statKind   = 1
	statDouble = 2
	statUint   = 3
	statInt    = 4
	statText   = 5
	statBytes  = 6
	statRef    = 7 // a name in the table of statistics

	entryKey   = 1
	entryValue = 2

	kindName        = 2
	kindDisplayName = 4
	kindStats       = 5
)

// eventName is an entry of a plane's table of events.
type eventName struct {
	name  trace.NameID
	text  string
	stats []wire.Message // what all events of that name have in common
}

// plane reads one plane, whole or cut.
type plane struct {
	*reader
	name    string
	process int64
	events  map[uint64]eventName
	stats   map[uint64]string
	batch   *trace.Batch
	offset  int64
	seen    int
}

func (x *reader) plane(body wire.Message, offset int64) {
	p := &plane{reader: x, events: map[uint64]eventName{}, stats: map[uint64]string{}, offset: offset}
	var lines []wire.Message
	var own []wire.Message
	for m := body; ; {
		f, ok := m.Next()
		if !ok {
			break
		}
		switch {
		case f.Wire != wire.Delimited:
		case f.Number == planeName:
			p.name = string(f.Bytes)
		case f.Number == planeLines:
			lines = append(lines, f.Bytes)
		case f.Number == planeEvents:
			p.learnEvent(f.Bytes)
		case f.Number == planeStats:
			p.learnStat(f.Bytes)
		case f.Number == planeOwn:
			own = append(own, f.Bytes)
		}
	}
	switch p.about(own); {
	case strings.HasPrefix(p.name, "/host:") && p.name != "/host:CPU", !strings.HasPrefix(p.name, "/"):
		return // a table about the run, not a timeline
	}
	p.batch = x.lexicon.NewBatch()
	for _, line := range lines {
		p.line(line)
	}
	p.batch.Seen = p.seen
	x.builder.Append(p.batch.Seal())
}

// entry splits an entry of a map field.
func entry(m wire.Message) (key uint64, value wire.Message) {
	for {
		f, ok := m.Next()
		switch {
		case !ok:
			return key, value
		case f.Number == entryKey && f.Wire == wire.Varint:
			key = f.Value
		case f.Number == entryValue && f.Wire == wire.Delimited:
			value = f.Bytes
		}
	}
}

func (p *plane) learnEvent(m wire.Message) {
	key, value := entry(m)
	var e eventName
	for {
		f, ok := value.Next()
		if !ok {
			break
		}
		switch {
		case f.Wire != wire.Delimited:
		case f.Number == kindName && e.text == "", f.Number == kindDisplayName && len(f.Bytes) > 0:
			e.text = string(f.Bytes)
		case f.Number == kindStats:
			e.stats = append(e.stats, f.Bytes)
		}
	}
	e.name = p.lexicon.Name([]byte(e.text))
	p.events[key] = e
}

func (p *plane) learnStat(m wire.Message) {
	key, value := entry(m)
	for {
		f, ok := value.Next()
		if !ok {
			return
		}
		if f.Number == kindName && f.Wire == wire.Delimited {
			p.stats[key] = string(f.Bytes)
		}
	}
}

// about keeps what a plane says about itself: the GPU, the versions, the beginning.
func (p *plane) about(own []wire.Message) {
	m := &p.builder.Meta
	dev, isGPU := xla.Device(p.name)
	g := trace.GPU{Device: dev}
	for _, own := range own {
		s := p.stat(own)
		switch s.name {
		case "gpu_device_name":
			g.Name = s.text
		case "memory_size":
			g.Memory = s.value
		case "compute_cap_major":
			g.Major = int(s.value)
		case "compute_cap_minor":
			g.Minor = int(s.value)
		case "core_count":
			g.SMs = int(s.value)
		case "process_id":
			p.process = s.value
		case "profile_start_time":
			m.Base = s.value
		default:
			if strings.HasSuffix(s.name, "_version") {
				m.Versions[s.name] = s.text
			}
		}
	}
	if isGPU {
		m.GPUs = append(m.GPUs, g)
	}
}

// line reads a thread or a stream.
func (p *plane) line(m wire.Message) {
	var id, displayID, start int64
	var name, displayName string
	var events []wire.Message
	for {
		f, ok := m.Next()
		if !ok {
			break
		}
		switch {
		case f.Number == lineID && f.Wire == wire.Varint:
			id = int64(f.Value)
		case f.Number == lineDisplayID && f.Wire == wire.Varint:
			displayID = int64(f.Value)
		case f.Number == lineStart && f.Wire == wire.Varint:
			start = int64(f.Value)
		case f.Wire != wire.Delimited:
		case f.Number == lineName:
			name = string(f.Bytes)
		case f.Number == lineDisplayName:
			displayName = string(f.Bytes)
		case f.Number == lineEvents:
			events = append(events, f.Bytes)
		}
	}
	if displayID != 0 {
		id = displayID
	}
	if displayName != "" {
		name = displayName
	}
	key := xla.Place(p.name, name, trace.TrackKey{Domain: trace.HostThread, PID: p.process, TID: id})
	track := p.lexicon.Track(key)
	p.batch.Label(trace.ProcessName, key, p.lexicon.Name([]byte(p.name)))
	p.batch.Label(trace.ThreadName, key, p.lexicon.Name([]byte(name)))
	for _, e := range events {
		p.event(e, key.Domain, track, start)
	}
}

// rawEvent is an event as the file has it; offset and duration are in ps.
type rawEvent struct {
	kind             uint64
	offset, duration int64
	stats            []stat
	isSum            bool // over many events, without a place in time
}

// fields reads the fields of an event; ok is false if it cannot be read.
func (p *plane) fields(m wire.Message) (e rawEvent, ok bool) {
	for len(m) > 0 && !e.isSum {
		f, ok := m.Next()
		if !ok {
			return e, false
		}
		switch {
		case f.Number == eventKind && f.Wire == wire.Varint:
			e.kind = f.Value
		case f.Number == eventOffset && f.Wire == wire.Varint:
			e.offset = int64(f.Value)
		case f.Number == eventDuration && f.Wire == wire.Varint:
			e.duration = int64(f.Value)
		case f.Number == eventCount && f.Wire == wire.Varint:
			e.isSum = true
		case f.Number == eventStats && f.Wire == wire.Delimited:
			e.stats = append(e.stats, p.stat(f.Bytes))
		}
	}
	return e, true
}

// event reads one event of a line that starts at lineStart ns.
func (p *plane) event(m wire.Message, domain trace.Domain, track trace.TrackID, lineStart int64) {
	p.seen++
	place := trace.Place{Event: p.seen, Byte: p.offset}
	raw, ok := p.fields(m)
	switch {
	case !ok:
		p.batch.Dropped("not readable", place)
		return
	case raw.isSum:
		return
	}
	e, known := p.events[raw.kind]
	if !known {
		e.text = "event " + strconv.FormatUint(raw.kind, 10)
		e.name = p.lexicon.Name([]byte(e.text))
	}
	stats := raw.stats
	for _, m := range e.stats {
		stats = append(stats, p.stat(m))
	}
	start, ok := add(lineStart, roundPico(raw.offset))
	if !ok {
		p.batch.Dropped("far in time from all others", place)
		return
	}
	dur := roundPico(raw.duration)
	if dur < 0 {
		p.batch.Repaired("with a negative duration; using 0", place)
		dur = 0
	}
	if domain == trace.HostThread && (e.text == "MemoryAllocation" || e.text == "MemoryDeallocation") {
		p.memory(stats, e.text, track, start)
		return
	}
	about := trace.Unclassified{Domain: domain, Name: e.text}
	for _, s := range stats {
		about.Correlated = about.Correlated || s.name == "correlation_id"
		about.Step = about.Step || s.name == "step_num"
	}
	p.batch.Add(start, dur, e.name, track, xla.Kind(about))
	for _, s := range stats {
		p.set(s)
	}
}

// memory adds a change of XLA's allocator.
func (p *plane) memory(stats []stat, name string, track trace.TrackID, time int64) {
	m := trace.MemoryChange{Time: time, Allocated: -1, Reserved: -1, Track: track, OnGPU: true}
	for _, s := range stats {
		switch s.name {
		case "allocator_name": // "GPU_0_bfc", "xla_gpu_host_bfc"
			m.OnGPU = !strings.Contains(s.text, "host")
			if _, rest, ok := strings.Cut(s.text, "GPU_"); ok {
				number, _, _ := strings.Cut(rest, "_")
				n, _ := strconv.ParseInt(number, 10, 32)
				m.Device = trace.Device(n)
			}
		case "allocation_bytes":
			m.Bytes = s.value
		case "bytes_allocated":
			m.Allocated = s.value
		case "bytes_reserved":
			m.Reserved = s.value
		case "addr":
			m.Address = uint64(s.value)
		}
	}
	if name == "MemoryDeallocation" {
		m.Bytes = -m.Bytes
	}
	p.batch.Memory(m)
}

// set gives the event just added one of its statistics.
func (p *plane) set(s stat) {
	if attr, ok := integers[s.name]; ok {
		p.batch.SetInt(attr, s.value)
		return
	}
	if strings.HasSuffix(s.name, "_details") {
		xla.Details(s.text).Set(p.batch, p.lexicon)
		return
	}
	if attr, ok := texts[s.name]; ok && s.text != "" {
		p.batch.SetText(attr, p.lexicon.Name([]byte(s.text)))
	}
}

// The statistics that are kept.
var (
	integers = map[string]trace.Attr{
		"correlation_id": trace.Correlation, "step_num": trace.StepNumber, "cuda_graph_id": trace.GraphID,
		"cuda_graph_node_id": trace.GraphNode, "run_id": trace.RunID,
	}
	texts = map[string]trace.Attr{
		"hlo_op": trace.HLOOp, "hlo_module": trace.HLOModule, "tf_op": trace.FrameworkOp,
	}
)

// stat is a named value: a number, a text, or both.
type stat struct {
	name  string
	value int64
	text  string
}

func (p *plane) stat(m wire.Message) (s stat) {
	for {
		f, ok := m.Next()
		if !ok {
			return s
		}
		switch {
		case f.Number == statKind && f.Wire == wire.Varint:
			s.name = p.stats[f.Value]
		case f.Number == statDouble && f.Wire == wire.EightBytes:
			s.value = int64(math.Float64frombits(f.Value))
		case (f.Number == statUint || f.Number == statInt) && f.Wire == wire.Varint:
			s.value = int64(f.Value)
		case (f.Number == statText || f.Number == statBytes) && f.Wire == wire.Delimited:
			s.text = string(f.Bytes)
			if n, err := strconv.ParseInt(s.text, 10, 64); err == nil {
				s.value = n
			}
		case f.Number == statRef && f.Wire == wire.Varint:
			s.text = p.stats[f.Value]
		}
	}
}

// roundPico turns picoseconds into nanoseconds, halves up.
func roundPico(ps int64) int64 {
	if ps > math.MaxInt64-500 {
		return ps / 1000
	}
	return (ps + 500) / 1000
}

func add(a, b int64) (int64, bool) {
	const far = math.MaxInt64 / 4
	return a + b, a > -far && a < far && b > -far && b < far
}
