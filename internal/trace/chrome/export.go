package chrome

import (
	"bufio"
	"cmp"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"saturate/internal/trace"
)

// Export writes the part of a trace that lies in the window as Chrome JSON in Kineto's
// vocabulary, for Perfetto, chrome://tracing and this package. Events that reach into
// the window are written whole.
//
// Viewers draw a row as a stack and drop what does not nest. So work of a stream that
// overlaps is spread over several rows; its args tell the stream it belongs to.
// Lanes are written beside them.
func Export(w io.Writer, t *trace.Trace, window trace.Window, lanes ...Lane) error {
	e := &exporter{t: t, w: bufio.NewWriterSize(w, 1<<16), rows: map[row]string{}}
	e.head()
	for i := range t.Tracks() {
		if tr := t.Track(trace.TrackID(i)); tr.Process != lanesProcess {
			e.track(tr, window)
		}
	}
	e.lanes(lanes, window)
	e.memory(window)
	e.counters(window)
	e.labels()
	e.text("\n]")
	if name := t.Meta().Name; name != "" {
		e.text(",\n\"traceName\": ").quote(name)
	}
	e.text("\n}\n")
	return e.w.Flush()
}

// Mark is at the beginning of what Export writes. It distinguishes such files from the traces of profilers.
const Mark = `"writtenBy": "saturate"`

type exporter struct {
	t      *trace.Trace
	w      *bufio.Writer
	buf    []byte
	began  bool           // an event was written
	rows   map[row]string // the rows used, with their names
	arrows int64
}

// row is a line of the timeline as it is written.
type row struct {
	pid, tid int64
	process  string // where the process has no number
}

// laneStep is added to a stream's number for each further row it needs, as Kineto does
// for what is written beside streams.
const laneStep = 1_000_000

// notesLane is where ranges and waits beside a stream are written, beyond any lane that overlapping kernels need.
const notesLane = 1000

func (e *exporter) text(s string) *exporter {
	_, _ = e.w.WriteString(s) // the writer remembers its error until Flush
	return e
}

func (e *exporter) int(v int64) *exporter {
	e.buf = strconv.AppendInt(e.buf[:0], v, 10)
	_, _ = e.w.Write(e.buf)
	return e
}

func (e *exporter) float(v float64) *exporter {
	e.buf = strconv.AppendFloat(e.buf[:0], v, 'g', -1, 64)
	_, _ = e.w.Write(e.buf)
	return e
}

// micros writes nanoseconds as microseconds with three decimals.
func (e *exporter) micros(ns int64) *exporter {
	if ns < 0 {
		e.text("-")
		ns = -ns
	}
	e.int(ns / 1000)
	rest := ns % 1000
	_, _ = e.w.Write([]byte{'.', '0' + byte(rest/100), '0' + byte(rest/10%10), '0' + byte(rest%10)})
	return e
}

// quote writes a JSON string.
func (e *exporter) quote(s string) *exporter {
	const hex = "0123456789abcdef"
	b := append(e.buf[:0], '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	e.buf = append(b, '"')
	_, _ = e.w.Write(e.buf)
	return e
}

func (e *exporter) head() {
	m := e.t.Meta()
	e.text("{\n" + Mark + ",\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ns\",\n\"baseTimeNanoseconds\": ").int(m.Base)
	if m.Rank >= 0 {
		e.text(",\n\"distributedInfo\": {\"rank\": ").int(int64(m.Rank)).text(", \"world_size\": ").int(int64(m.World)).
			text(", \"backend\": ").quote(m.Backend).text("}")
	}
	if len(m.GPUs) > 0 {
		e.text(",\n\"deviceProperties\": [")
		for i, g := range m.GPUs {
			if i > 0 {
				e.text(", ")
			}
			e.gpu(g)
		}
		e.text("]")
	}
	for _, key := range slices.Sorted(maps.Keys(m.Versions)) {
		e.text(",\n").quote(key).text(": ").quote(m.Versions[key])
	}
	e.text(",\n\"traceEvents\": [")
}

func (e *exporter) gpu(g trace.GPU) {
	e.text("{\"id\": ").int(int64(g.Device)).text(", \"name\": ").quote(g.Name)
	for _, p := range []struct {
		key   string
		value int64
	}{
		{"totalGlobalMem", g.Memory},
		{"computeMajor", int64(g.Major)},
		{"computeMinor", int64(g.Minor)},
		{"numSms", int64(g.SMs)},
		{"warpSize", int64(g.WarpSize)},
		{"maxThreadsPerBlock", int64(g.ThreadsPerBlock)},
		{"maxThreadsPerMultiprocessor", int64(g.ThreadsPerSM)},
		{"regsPerBlock", int64(g.RegistersPerBlock)},
		{"regsPerMultiprocessor", int64(g.RegistersPerSM)},
		{"sharedMemPerBlock", g.SharedPerBlock},
		{"sharedMemPerBlockOptin", g.SharedPerBlockOptIn},
		{"sharedMemPerMultiprocessor", g.SharedPerSM},
	} {
		e.text(", ").quote(p.key).text(": ").int(p.value)
	}
	e.text("}")
}

// track writes the events of a track. Each goes to the first row that is free.
func (e *exporter) track(tr *trace.Track, window trace.Window) {
	var free []int64 // when each row is free again
	for id, ev := range e.t.OnTrack(tr.ID, window) {
		lane := 0
		if tr.Domain == trace.Stream {
			for lane < len(free) && free[lane] > ev.Start {
				lane++
			}
			if lane == len(free) {
				free = append(free, 0)
			}
			free[lane] = ev.End
		}
		e.slice(id, ev, e.row(tr, lane))
	}
}

// row is where the events of a track are written, and remembers its name. Perfetto takes the numbers of threads as
// 32 bits without a sign, and JAX gives them 64: those get others.
func (e *exporter) row(tr *trace.Track, lane int) row {
	r, name := row{pid: tr.PID, tid: tr.TID}, tr.Thread
	if tr.TID < 0 || tr.TID > math.MaxUint32 {
		r.tid = math.MaxUint32 - int64(tr.ID)
	}
	switch tr.Domain {
	case trace.Stream:
		r.tid += int64(lane) * laneStep
		if lane > 0 {
			name += " (overlapping " + strconv.Itoa(lane) + ")"
		}
	case trace.StreamNotes:
		r.tid += notesLane * laneStep
		name += " (ranges and waits)"
	case trace.Frame:
		if tr.PID == 0 {
			r.process = tr.Process
		}
	}
	e.rows[r] = name
	return r
}

// open begins an event.
func (e *exporter) open(phase string, r row, start int64) *exporter {
	if e.began {
		e.text(",")
	}
	e.began = true
	e.text("\n{\"ph\": \"").text(phase).text("\", \"pid\": ")
	if r.process != "" {
		e.quote(r.process)
	} else {
		e.int(r.pid)
	}
	return e.text(", \"tid\": ").int(r.tid).text(", \"ts\": ").micros(start)
}

func (e *exporter) slice(id trace.EventID, ev trace.Event, r row) {
	t := e.t
	if ev.Kind == trace.Instant {
		e.open("i", r, ev.Start).text(", \"s\": \"t\"")
		if t.Track(ev.Track).Domain != trace.Frame {
			e.text(", \"cat\": \"cpu_instant_event\"")
		}
	} else {
		e.open("X", r, ev.Start).text(", \"dur\": ").micros(ev.Duration()).text(", \"cat\": ").quote(e.category(id, ev.Kind))
	}
	e.text(", \"name\": ").quote(t.String(ev.Name)).text(", \"args\": {")
	e.args(id, ev)
	e.text("}}")
	e.launch(id, ev, r)
}

func (e *exporter) category(id trace.EventID, kind trace.Kind) string {
	switch kind {
	case trace.Other, trace.Uncategorised:
		return e.t.Text(id, trace.Category)
	case trace.Collective:
		return "collective_comm"
	case trace.Span:
		return "Trace"
	}
	return kind.String()
}

var allAttrs = trace.Attrs()

// args writes what the side columns hold.
func (e *exporter) args(id trace.EventID, ev trace.Event) {
	t, first := e.t, true
	key := func(name string) *exporter {
		if !first {
			e.text(", ")
		}
		first = false
		return e.quote(name).text(": ")
	}
	if tr := t.Track(ev.Track); tr.Domain == trace.Stream || tr.Domain == trace.StreamNotes {
		key("device").int(int64(tr.Device))
		key("stream").int(tr.Stream)
	}
	for _, attr := range allAttrs {
		v, ok := t.Int(id, attr)
		if name := argByAttr[attr]; ok && name != "" {
			if key(name); attr.IsText() {
				e.quote(t.Text(id, attr))
			} else {
				e.int(v)
			}
		}
	}
	if c := t.Config(id); c != nil {
		key(partNames[configRegisters]).int(int64(c.Registers))
		key(partNames[configShared]).int(int64(c.SharedMemory))
		key(partNames[configBlocks]).float(float64(c.BlocksPerSM))
		key(partNames[configWarps]).float(float64(c.WarpsPerSM))
		key(partNames[configGrid]).triple(c.Grid)
		key(partNames[configBlock]).triple(c.Block)
		key(partNames[configOccupancy]).float(float64(c.Occupancy))
	}
	if in := t.Inputs(id); in != nil {
		key(partNames[inputValues]).quotes(in.Values)
		key(partNames[inputTypes]).quotes(in.Types)
		key(partNames[inputStrides]).lists(in.Strides, nil)
		key(partNames[inputDims]).lists(in.Dims, in.Lists)
	}
}

func (e *exporter) triple(v [3]int32) {
	e.text("[").int(int64(v[0])).text(", ").int(int64(v[1])).text(", ").int(int64(v[2])).text("]")
}

func (e *exporter) quotes(list []string) {
	e.array(len(list), func(i int) { e.quote(list[i]) })
}

func (e *exporter) lists(lists [][]int64, deep map[int][][]int64) {
	e.array(len(lists), func(i int) {
		if nested, ok := deep[i]; ok {
			e.lists(nested, nil)
			return
		}
		e.array(len(lists[i]), func(j int) { e.int(lists[i][j]) })
	})
}

func (e *exporter) array(n int, element func(i int)) {
	e.text("[")
	for i := range n {
		if i > 0 {
			e.text(", ")
		}
		element(i)
	}
	e.text("]")
}

// launch writes the arrow to a piece of GPU work from what started it, and to a backward
// operator from its forward one. Numbers above all correlations keep the two apart from
// arrows that readers make of correlations.
func (e *exporter) launch(id trace.EventID, ev trace.Event, r row) {
	if host, ok := e.t.Launch(id); ok {
		e.arrow("ac2g", host, ev.Start, r)
	}
	if forward, ok := e.t.Forward(id); ok {
		e.arrow("fwdbwd", forward, ev.Start, r)
	}
}

func (e *exporter) arrow(category string, from trace.EventID, headStart int64, head row) {
	e.arrows++
	tail := e.row(e.t.TrackOf(from), 0)
	// The head comes first: it must stand directly behind its event.
	e.open("f", head, headStart).text(", \"bp\": \"e\", \"id\": ").int(e.arrows).text(", \"cat\": \"").text(category).text("\", \"name\": \"").text(category).text("\"}")
	e.open("s", tail, e.t.Start(from)).text(", \"id\": ").int(e.arrows).text(", \"cat\": \"").text(category).text("\", \"name\": \"").text(category).text("\"}")
}

func (e *exporter) memory(window trace.Window) {
	for _, m := range e.t.Memory() {
		if !window.Contains(m.Time) {
			continue
		}
		device := int64(0)
		if m.OnGPU {
			device = 1
		}
		e.open("i", e.row(e.t.Track(m.Track), 0), m.Time).text(`, "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "args": {"Addr": `).
			int(int64(m.Address)).text(`, "Bytes": `).int(m.Bytes).text(`, "Device Type": `).int(device).text(`, "Device Id": `).int(int64(m.Device))
		if m.Allocated >= 0 {
			e.text(`, "Total Allocated": `).int(m.Allocated)
		}
		if m.Reserved >= 0 {
			e.text(`, "Total Reserved": `).int(m.Reserved)
		}
		e.text("}}")
	}
}

func (e *exporter) counters(window trace.Window) {
	for _, s := range e.t.Counters() {
		if !window.Contains(s.Time) || strings.HasPrefix(e.t.String(s.Series), lanesCounter) {
			continue
		}
		name, key, _ := strings.Cut(e.t.String(s.Series), "/")
		e.open("C", row{}, s.Time).text(", \"name\": ").quote(name).text(", \"args\": {").quote(key).text(": ").float(s.Value).text("}}")
	}
}

// labels writes the names of the rows used, and of their processes.
func (e *exporter) labels() {
	label := func(what string, r row, name string) {
		if name != "" {
			e.open("M", r, 0).text(", \"name\": \"").text(what).text("\", \"args\": {\"name\": ").quote(name).text("}}")
		}
	}
	order := slices.SortedFunc(maps.Keys(e.rows), func(a, b row) int {
		return cmp.Or(cmp.Compare(a.pid, b.pid), cmp.Compare(a.tid, b.tid))
	})
	for _, r := range order {
		label("thread_name", r, e.rows[r])
	}
	seen := map[row]bool{}
	for i := range e.t.Tracks() {
		tr := e.t.Track(trace.TrackID(i))
		process := row{pid: tr.PID}
		if seen[process] || tr.Domain == trace.Frame {
			continue
		}
		seen[process] = true
		label("process_name", process, tr.Process)
		if tr.Label != "" {
			e.open("M", process, 0).text(", \"name\": \"process_labels\", \"args\": {\"labels\": ").quote(tr.Label).text("}}")
		}
	}
}
