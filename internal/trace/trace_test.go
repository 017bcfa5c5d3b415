package trace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// row is an event as tests write it.
type row struct {
	name       string
	kind       Kind
	thread     int64
	start, end int64
	attrs      map[Attr]int64
}

func domainOf(k Kind) Domain {
	switch {
	case k.Work():
		return Stream
	case k.OnGPU():
		return StreamNotes
	}
	return HostThread
}

// build makes a trace of rows. Threads of GPU work are streams of device 0.
func build(rows ...row) *Trace {
	b := NewBuilder()
	l := NewLexicon()
	batch := l.NewBatch()
	for _, r := range rows {
		pid := int64(100)
		if domainOf(r.kind) != HostThread {
			pid = 0
		}
		track := l.Track(TrackKey{Domain: domainOf(r.kind), PID: pid, TID: r.thread})
		batch.Add(r.start, r.end-r.start, l.Name([]byte(r.name)), track, r.kind)
		for a := range numAttrs {
			if v, ok := r.attrs[a]; ok {
				batch.SetInt(a, v)
			}
		}
	}
	b.Append(batch.Seal())
	return b.Finish()
}

func named(t *Trace, name string) EventID {
	for i := range t.Len() {
		if t.Name(EventID(i)) == name {
			return EventID(i)
		}
	}
	return None
}

func TestNesting(t *testing.T) {
	tr := build(
		row{"step", Annotation, 1, 0, 100_000, nil},
		row{"op", CPUOp, 1, 10_000, 50_000, nil},
		row{"call", Runtime, 1, 20_000, 50_400, nil}, // outlasts its parent by less than a microsecond
		row{"next", CPUOp, 1, 60_000, 90_000, nil},
		row{"crossing", CPUOp, 1, 80_000, 95_000, nil}, // begins inside next and ends outside it
		row{"inner", CPUOp, 1, 81_000, 82_000, nil},
		row{"other thread", CPUOp, 2, 20_000, 30_000, nil},
		row{"moment", Instant, 1, 100_000, 100_000, nil},
	)
	parents := map[string]string{}
	for i := range tr.Len() {
		parent := ""
		if p := tr.Parent(EventID(i)); p != None {
			parent = tr.Name(p)
		}
		parents[tr.Name(EventID(i))] = parent
	}
	want := map[string]string{
		"step": "", "op": "step", "call": "op", "next": "step", "crossing": "step", "inner": "crossing", "other thread": "", "moment": "",
	}
	for name, parent := range want {
		if parents[name] != parent {
			t.Errorf("parent of %s is %q, want %q", name, parents[name], parent)
		}
	}
	if q := tr.Quality(); q.Overlapping != 1 || !tr.Overlapping(named(tr, "crossing")) || tr.Overlapping(named(tr, "call")) {
		t.Errorf("%+v", q)
	}
	var inside []string
	for id := range tr.Descendants(named(tr, "step")) {
		inside = append(inside, tr.Name(id))
	}
	if got := strings.Join(inside, " "); got != "op call next crossing inner" {
		t.Errorf("inside the step: %s", got)
	}
	var children []string
	for id := range tr.Children(named(tr, "step")) {
		children = append(children, tr.Name(id))
	}
	if got := strings.Join(children, " "); got != "op next crossing" {
		t.Errorf("children of the step: %s", got)
	}
	for ns, want := range map[int64]string{-1: "", 5_000: "step", 10_000: "op", 50_200: "call", 55_000: "step", 81_500: "inner", 92_000: "crossing", 99_000: "step", 100_001: ""} {
		got := ""
		if id, ok := tr.At(0, ns); ok {
			got = tr.Name(id)
		}
		if got != want {
			t.Errorf("at %d runs %q, want %q", ns, got, want)
		}
	}
	if op, ok := tr.Enclosing(named(tr, "call"), CPUOp); !ok || tr.Name(op) != "op" {
		t.Errorf("operator around the call: %v", op)
	}
}

func TestStreamsDoNotNest(t *testing.T) {
	tr := build(
		row{"long", Kernel, 7, 0, 100, nil},
		row{"inside", Kernel, 7, 10, 20, nil},
		row{"after", Kernel, 7, 100, 110, nil},
		row{"other stream", Kernel, 8, 50, 60, nil},
		row{"range", GPUAnnotation, 7, 0, 200, nil},
	)
	for i := range tr.Len() {
		if p := tr.Parent(EventID(i)); p != None {
			t.Errorf("%s has the parent %s", tr.Name(EventID(i)), tr.Name(p))
		}
	}
	if q := tr.Quality(); q.Overlapping != 1 || !tr.Overlapping(named(tr, "inside")) {
		t.Errorf("%+v", q)
	}
	var order []string
	for id := range tr.OnDevice(0, tr.Window()) {
		order = append(order, tr.Name(id))
	}
	if got := strings.Join(order, ", "); got != "long, inside, other stream, after" {
		t.Error(got)
	}
	if w := tr.DeviceWindow(0); w != (Window{0, 110}) {
		t.Errorf("window of the device %v", w)
	}
	if w := tr.DeviceWindow(3); w != (Window{}) {
		t.Errorf("window of no device %v", w)
	}
}

// TestLinks finds the launch by correlation first, by external id second.
func TestLinks(t *testing.T) {
	tr := build(
		row{"op", CPUOp, 1, 0, 100, map[Attr]int64{External: 5}},
		row{"launch", Runtime, 1, 10, 20, map[Attr]int64{Correlation: 77, External: 5}},
		row{"graph", Runtime, 1, 30, 40, map[Attr]int64{Correlation: 78}},
		row{"again", Runtime, 1, 500, 510, map[Attr]int64{Correlation: 77}}, // the number was used twice
		row{"k1", Kernel, 7, 50, 60, map[Attr]int64{Correlation: 77}},
		row{"k2", Kernel, 7, 60, 70, map[Attr]int64{Correlation: 78}},
		row{"k3", Kernel, 7, 70, 80, map[Attr]int64{Correlation: 78}},
		row{"k4", Kernel, 7, 80, 90, map[Attr]int64{Correlation: 1000, External: 5}},
		row{"k5", Kernel, 7, 90, 95, nil},
		row{"k6", Kernel, 7, 600, 610, map[Attr]int64{Correlation: 77}},
		row{"twin a", Runtime, 1, 700, 710, map[Attr]int64{Correlation: 80, External: 8}}, // of two processes
		row{"twin b", Runtime, 2, 705, 715, map[Attr]int64{Correlation: 80, External: 9}},
		row{"k7", Kernel, 7, 720, 730, map[Attr]int64{Correlation: 80, External: 8}},
		row{"k8", Kernel, 8, 720, 730, map[Attr]int64{Correlation: 80, External: 9}},
	)
	for kernel, want := range map[string]string{"k1": "launch", "k2": "graph", "k3": "graph", "k4": "op", "k5": "", "k6": "again", "k7": "twin a", "k8": "twin b"} {
		got := ""
		if id, ok := tr.Launch(named(tr, kernel)); ok {
			got = tr.Name(id)
		}
		if got != want {
			t.Errorf("%s was launched by %q, want %q", kernel, got, want)
		}
	}
	if op, ok := tr.Operator(named(tr, "k1")); !ok || tr.Name(op) != "op" {
		t.Errorf("operator of k1: %v %v", op, ok)
	}
	var launched []string
	for id := range tr.Launched(named(tr, "graph")) {
		launched = append(launched, tr.Name(id))
	}
	if got := strings.Join(launched, " "); got != "k2 k3" {
		t.Errorf("the graph launched %q", got)
	}
	for range tr.Launched(named(tr, "k5")) {
		t.Error("a kernel launches nothing")
	}
	if tr.Quality().Unlinked != 1 {
		t.Errorf("%+v", tr.Quality())
	}
}

func TestArrows(t *testing.T) {
	b, l := NewBuilder(), NewLexicon()
	batch := l.NewBatch()
	thread := l.Track(TrackKey{PID: 100, TID: 1})
	autograd := l.Track(TrackKey{PID: 100, TID: 2})
	stream := l.Track(TrackKey{Domain: Stream, PID: 0, TID: 7})
	name := func(s string) NameID { return l.Name([]byte(s)) }
	batch.Add(0, 100, name("forward"), thread, CPUOp)
	batch.BackwardArrow(1, false, true, Owner{}, 0)
	batch.LaunchArrow(9, false, false, Owner{100, 1}, 10) // found by thread and time
	batch.Add(200, 50, name("backward"), autograd, CPUOp)
	batch.BackwardArrow(1, true, true, Owner{}, 0)
	batch.Add(300, 10, name("kernel"), stream, Kernel)
	batch.LaunchArrow(9, true, false, Owner{0, 7}, 300)
	b.Append(batch.Seal())
	tr := b.Finish()
	if id, ok := tr.Forward(named(tr, "backward")); !ok || tr.Name(id) != "forward" {
		t.Errorf("forward of backward: %v %v", id, ok)
	}
	if id, ok := tr.Backward(named(tr, "forward")); !ok || tr.Name(id) != "backward" {
		t.Errorf("backward of forward: %v %v", id, ok)
	}
	if _, ok := tr.Forward(named(tr, "forward")); ok {
		t.Error("forward has a forward")
	}
	if id, ok := tr.Launch(named(tr, "kernel")); !ok || tr.Name(id) != "forward" {
		t.Errorf("the kernel was launched by %v %v", id, ok)
	}
	if len(tr.Flows()) != 1 {
		t.Errorf("%v", tr.Flows())
	}
}

// TestWindows compares the events in random windows with those found by looking at all.
func TestWindows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, crossing := range []bool{false, true} {
		var rows []row
		for i := range 400 { // a tree: each one inside an earlier one, unless they may cross
			start, end := int64(0), int64(1_000_000)
			if i > 0 && !crossing {
				around := rows[random.IntN(i)]
				start = around.start + random.Int64N(around.end-around.start+1)
				end = start + random.Int64N(around.end-start+1)
				for _, r := range rows { // no crossing
					if start < r.start && end > r.start || start < r.end && end > r.end {
						end = start
					}
				}
			} else if i > 0 {
				start = random.Int64N(1_000_000)
				end = start + random.Int64N(50_000)
			}
			rows = append(rows, row{fmt.Sprint(i), CPUOp, 1, start, end, nil}, row{fmt.Sprint("k", i), Kernel, int64(i % 3), start, end, nil})
		}
		tr := build(rows...)
		for range 300 {
			w := Window{random.Int64N(1_000_000), 0}
			w.End = w.Start + random.Int64N(100_000)
			var got, want, gotGPU, wantGPU []EventID
			for id, ev := range tr.OnTrack(0, w) {
				got = append(got, id)
				if ev != tr.Event(id) || ev.Interval() != tr.Interval(id) || ev.Duration() != tr.Duration(id) {
					t.Fatal("the event is not the one of its id")
				}
			}
			for id := range tr.OnDevice(0, w) {
				gotGPU = append(gotGPU, id)
			}
			for i := range tr.Len() {
				id := EventID(i)
				if !w.touches(tr.Start(id), tr.End(id)) {
					continue
				}
				if tr.Kind(id).Work() {
					wantGPU = append(wantGPU, id)
				} else {
					want = append(want, id)
				}
			}
			slices.Sort(gotGPU)
			if !slices.Equal(got, want) || !slices.Equal(gotGPU, wantGPU) {
				t.Fatalf("window %v: got %v, want %v; on the GPU %v, want %v", w, got, want, gotGPU, wantGPU)
			}
		}
	}
}

// TestOrder gives a trace its rows in random order.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var rows []row
	for i := range 2000 {
		start := random.Int64N(5000)
		rows = append(rows, row{fmt.Sprint(i), CPUOp, int64(i % 3), start, start + random.Int64N(5000), map[Attr]int64{External: int64(i), Bytes: int64(i) << 33}})
		if i%2 == 0 {
			rows[i].attrs = nil
		}
	}
	for range 3 {
		tr := build(rows...)
		for i := 1; i < tr.Len(); i++ {
			a, b := tr.Event(EventID(i-1)), tr.Event(EventID(i))
			if a.Track > b.Track || a.Track == b.Track && (a.Start > b.Start || a.Start == b.Start && a.End < b.End) {
				t.Fatalf("row %d %v comes before %v", i, a, b)
			}
		}
		for i := range tr.Len() {
			id := EventID(i)
			var number int64
			_, _ = fmt.Sscan(tr.Name(id), &number)
			external, ok := tr.Int(id, External)
			bytes, _ := tr.Int(id, Bytes)
			if ok != (number%2 == 1) || ok && (external != number || bytes != number<<33) {
				t.Fatalf("event %d has the external id %d %v and the bytes %d", number, external, ok, bytes)
			}
		}
		slices.SortFunc(rows, func(a, b row) int { return int(random.Int64N(3)) - 1 })
		slices.SortFunc(rows, func(a, b row) int { return compare(a.start, b.start) })
		random.Shuffle(100, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
}

func TestStepMarkers(t *testing.T) {
	tr := build(
		row{"ProfilerStep#8", Annotation, 1, 100, 200, nil},
		row{"ProfilerStep#7", Annotation, 1, 0, 100, nil},
		row{"ProfilerStep#7", GPUAnnotation, 7, 20, 120, nil},
		row{"ProfilerStep#x", Annotation, 1, 0, 10, nil},
		row{"train", Annotation, 2, 300, 400, map[Attr]int64{StepNumber: 9}},
		row{"other", Annotation, 2, 300, 350, nil},
	)
	var got []string
	for _, s := range tr.StepMarkers() {
		got = append(got, fmt.Sprint(s.Number, s.Window))
	}
	if s := strings.Join(got, " "); s != "7 {0 100} 8 {100 200} 9 {300 400}" {
		t.Error(s)
	}
}

func TestWithOrigin(t *testing.T) {
	a := build(row{"a", CPUOp, 1, 0, 1, nil})
	b := a.WithOrigin("rank3.json", 3)
	if b.Meta().Rank != 3 || b.Meta().Path != "rank3.json" || a.Meta().Rank != -1 || b.Len() != 1 {
		t.Errorf("%+v %+v", a.Meta(), b.Meta())
	}
}

func TestSparse(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, wide := range []bool{false, true} {
		want := map[uint32]int64{}
		var c sparse
		for row := uint32(0); row < 5000; row++ {
			if random.IntN(3) > 0 {
				continue
			}
			v := int64(random.Int32()) - 1<<30
			if wide && row > 2000 {
				v <<= 20
			}
			c.add(row, v)
			if row%7 == 0 { // a second value replaces the first
				v++
				c.add(row, v)
			}
			want[row] = v
		}
		c.seal()
		order := make([]uint32, 5000)
		for i := range order {
			order[i] = uint32(len(order) - 1 - i)
		}
		p := c.permuted(order)
		for row := uint32(0); row < 5100; row++ {
			v, ok := want[row]
			if got, has := c.get(row); has != ok || got != v || c.has(row) != ok {
				t.Fatalf("row %d is %d %v, want %d %v", row, got, has, v, ok)
			}
			if row < 5000 {
				if got, has := p.get(4999 - row); has != ok || got != v {
					t.Fatalf("permuted row %d is %d %v, want %d %v", row, got, has, v, ok)
				}
			}
		}
		if (c.wide != nil) != wide || c.len() != len(want) {
			t.Errorf("%d values, wide %v", c.len(), c.wide != nil)
		}
	}
}

func TestNames(t *testing.T) {
	l := NewLexicon()
	a := l.Name([]byte("a\nb\x1b[31m\xffc"))
	if got := l.Text(a); got != "a b [31m\uFFFDc" {
		t.Errorf("%q", got)
	}
	if b := l.Name([]byte("a\nb\x1b[31m\xffc")); b != a {
		t.Error("the same name has two numbers")
	}
	if l.Name(nil) != 0 {
		t.Error("the empty name is not 0")
	}
	for kind := range numKinds {
		if kind.String() == "" {
			t.Errorf("kind %d has no name", kind)
		}
	}
	seen := map[string]bool{}
	for _, a := range Attrs() {
		if seen[a.String()] || a.String() == "" {
			t.Errorf("column %d is called %q", a, a)
		}
		seen[a.String()] = true
	}
}

func TestNotes(t *testing.T) {
	for note, want := range map[Note]string{
		{Reason: "the file is odd"}:                                           "the file is odd",
		{Reason: "without a start time", Count: 1234}:                         "1,234 events without a start time",
		{Reason: "without a start time", Count: 1, First: Place{2000000, 17}}: "1 event without a start time, first at event 2,000,000 (byte 17)",
	} {
		if got := note.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
