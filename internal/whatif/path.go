package whatif

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Kind is what a part of the critical path is.
type Kind string

// The kinds.
const (
	LoaderPart     Kind = "loader"          // a batch is fetched
	HostPart       Kind = "host"            // an operator, Python code, or a call that launches nothing
	LaunchPart     Kind = "launch"          // a call that launches work, and the way from there to the GPU
	KernelPart     Kind = "kernel"          // a kernel runs
	QueuePart      Kind = "queue"           // between one piece of work and the next, or for room in the queue
	SyncPart       Kind = "synchronization" // the host returns from a wait
	CopyPart       Kind = "copy"            // a copy or a fill runs
	CollectivePart Kind = "collective"      // a collective runs
)

// Part is what one thing takes of the critical path.
type Part struct {
	Kind  Kind   `json:"kind"`
	NS    int64  `json:"ns"`    // a step
	Place string `json:"place"` // function, operator or kernel
}

// Path is the chain of work that decides how long a step takes: nothing beside it would make the step shorter.
type Path struct {
	TotalNS int64  `json:"total_ns"` // the mean step
	Parts   []Part `json:"parts"`    // most time first; they add up to total_ns

	segments []Segment
	g        *Graph
}

// Segments are the pieces of the path by time, as long as they were recorded.
func (p *Path) Segments() []Segment { return p.segments }

// Segment is a piece of the critical path.
type Segment struct {
	trace.Interval
	Kind Kind
	name trace.NameID
	how  how
}

// how says what the name of a segment is.
type how uint8

const (
	itself how = iota
	before     // the name is what follows
)

// Place names what a segment is.
func (p *Path) Place(s Segment) string { return p.g.place(s) }

func (g *Graph) place(s Segment) string {
	name := g.t.String(s.name)
	if s.how == before && name != "" {
		return "before " + name
	}
	return name
}

// Path is the critical path of the recorded steps. By the GPU they end when their work is done, else at the host's
// marks.
func (g *Graph) Path(t *Times, byGPU bool) Path {
	w := &walker{g: g, t: t}
	begins, lengths := t.hostBegins, t.hostSteps
	if byGPU {
		begins, lengths = t.begins, t.steps
	}
	var total int64
	for k := range begins {
		total += lengths[k]
		first := len(w.segments)
		w.step(k, begins[k], begins[k]+lengths[k])
		slices.Reverse(w.segments[first:])
	}
	n := int64(len(begins))
	path := Path{TotalNS: total / n, segments: w.segments, g: g}
	if byStart := func(a, b Segment) int { return cmp.Compare(a.Start, b.Start) }; !slices.IsSortedFunc(path.segments, byStart) {
		slices.SortStableFunc(path.segments, byStart) // steps that overlap
	}
	type what struct {
		name trace.NameID
		how  how
		kind Kind
	}
	sums := map[what]int64{}
	for _, s := range path.segments {
		sums[what{s.name, s.how, s.Kind}] += s.Length()
	}
	left := path.TotalNS
	for s, ns := range sums {
		path.Parts = append(path.Parts, Part{s.kind, ns / n, g.place(Segment{name: s.name, how: s.how})})
		left -= ns / n
	}
	slices.SortFunc(path.Parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Place, b.Place))
	})
	if len(path.Parts) > 0 {
		path.Parts[0].NS += left // what the divisions dropped
	}
	path.Parts = slices.DeleteFunc(path.Parts, func(p Part) bool { return p.NS == 0 })
	return path
}

// walker walks back from the end of a step over what held each node up.
type walker struct {
	g        *Graph
	t        *Times
	from     int64 // where the step begins
	segments []Segment
}

// add puts a piece in that ends at an instant, and returns where it begins.
func (w *walker) add(kind Kind, begin, end int64, name trace.NameID, how how) int64 {
	begin = max(begin, w.from)
	if begin < end {
		w.segments = append(w.segments, Segment{trace.Interval{Start: begin, End: end}, kind, name, how})
		return begin
	}
	return end
}

func (w *walker) step(k int, from, until int64) {
	w.from = from
	m := w.g.marks[2*k+1]
	if host := w.t.hostBegins[k] + w.t.hostSteps[k]; host >= until {
		w.host(m, until)
		return
	}
	last := none // the work that ends the step
	for k := w.g.works[m.call] - 1; k >= 0; k-- {
		if w.t.workEnd[k] == until {
			last = k
			break
		}
	}
	w.work(last, until)
}

// host walks back from a mark.
func (w *walker) host(m mark, now int64) {
	if i := m.call; now > w.t.callEnd[i-1] || m.offset <= w.g.gap[i] {
		now = w.gapBefore(i, now)
	}
	w.calls(m.call-1, now)
}

// calls walks back along the host's timeline from inside a call, until work of the GPU turns up that held the host.
func (w *walker) calls(i int32, now int64) {
	for ; i >= 0 && now > w.from; i-- {
		now = min(now, w.t.callEnd[i])
		if on := w.g.on[i]; on != none && w.g.wait[i] != queueWait && w.t.workEnd[on] > w.t.launched[i] &&
			w.t.callEnd[i] == w.t.workEnd[on]+w.g.waitRest[i] {
			w.work(on, w.add(SyncPart, min(now, w.t.workEnd[on]), now, w.nameOf(i), itself))
			return
		}
		kind := HostPart
		if w.g.works[i] < w.g.works[i+1] {
			kind = LaunchPart
		}
		if now > w.t.launched[i] {
			now = w.add(kind, w.t.launched[i], now, w.nameOf(i), itself)
		}
		if w.launchedBack(&now, i) {
			return
		}
	}
}

// launchedBack goes on from where a call launches: to the work that left room in the queue, or to the gap before the
// call. It reports whether the walk is over.
func (w *walker) launchedBack(now *int64, i int32) bool {
	if on := w.g.on[i]; on != none && w.g.wait[i] == queueWait && w.t.launched[i] > w.t.callBegin[i] {
		w.work(on, w.add(QueuePart, min(*now, w.t.workEnd[on]), *now, w.nameOf(i), itself))
		return true
	}
	if i == 0 {
		return false
	}
	if *now > w.t.callBegin[i] {
		*now = w.add(HostPart, w.t.callBegin[i], *now, w.nameOf(i), itself)
	}
	*now = w.gapBefore(i, min(*now, w.t.callBegin[i]))
	return false
}

// work walks back from inside a piece of work.
func (w *walker) work(k int32, now int64) {
	for k != none && now > w.from {
		kind := KernelPart
		switch class := w.g.class[k]; {
		case class == Collective:
			kind = CollectivePart
		case class.isCopy():
			kind = CopyPart
		}
		now = w.add(kind, w.t.workBegin[k], now, w.g.t.NameID(w.g.work[k]), itself)
		i := w.g.from[k]
		switch w.t.held[k] {
		case byStream:
			k = w.g.before[k]
		case byOther:
			k = w.g.after[k]
		default:
			if w.t.launched[i] < now {
				now = w.add(LaunchPart, w.t.launched[i], now, w.nameOf(i), itself)
			}
			if !w.launchedBack(&now, i) {
				w.calls(i-1, now)
			}
			return
		}
		now = w.add(QueuePart, min(now, w.t.workEnd[k]), now, w.g.t.NameID(w.g.work[k]), itself)
	}
	if now > w.from {
		w.add(HostPart, w.from, now, 0, itself)
	}
}

func (w *walker) nameOf(i int32) trace.NameID {
	if id := w.g.call[i]; id != trace.None {
		return w.g.t.NameID(id)
	}
	return 0
}
