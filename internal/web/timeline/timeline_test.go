package timeline

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/analyze"
	_ "saturate/internal/rule" // what trace rules point to
	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

// built is a real trace and its timeline.
func built(t *testing.T, name string) (*trace.Trace, *analyze.Analysis, *Index) {
	t.Helper()
	traces, err := open.Read(t.Context(), []string{filepath.Join("..", "..", "..", "testdata", "traces", name)}, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt := analyze.All
	opt.Top = -1
	a, err := analyze.Everything(t.Context(), traces, opt)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Build(t.Context(), traces[0], &a, dir); err != nil {
		t.Fatal(err)
	}
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return traces[0], &a, x
}

// rects decodes a tile.
func rects(b []byte) (list []rect) {
	le := binary.LittleEndian
	for ; len(b) > 0; b = b[RectSize:] {
		list = append(list, rect{
			math.Float32frombits(le.Uint32(b)), math.Float32frombits(le.Uint32(b[4:])), le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:]),
			b[20], b[21], b[22], b[23],
		})
	}
	return list
}

// TestEveryEventIsDrawn: at every level, each event is in the tiles once, alone or counted in a bucket, and buckets are
// as busy as the events in them.
func TestEveryEventIsDrawn(t *testing.T) {
	_, _, x := built(t, "starved.pt.trace.json.gz")
	for number, g := range x.head.Groups {
		if g.Sort == "frame" {
			continue // the profiler's own rows begin before the trace and are not shown
		}
		n := int(g.Last - g.First)
		var busy int64
		for id := g.First; id < g.Last; id++ {
			r, err := x.record(id)
			if err != nil {
				t.Fatal(err)
			}
			busy += r.dur
		}
		lowest := x.head.Top - 6
		if len(g.Levels) > 0 {
			lowest = g.Levels[0].Shift - 1 // one level below is made from the events
		}
		for shift := max(0, lowest); shift <= x.head.Top; shift++ {
			seen, count, sum := map[uint32]bool{}, 0, 0.0
			for i := range x.head.SpanNS>>shift/buckets + 1 {
				b, err := x.Tile(number, shift, i)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range rects(b) {
					if r.x0 < 0 || r.x1 > buckets || r.x1 < r.x0 || int(r.lane) >= g.Lanes {
						t.Fatalf("%s level %d tile %d: %+v", g.Name, shift, i, r)
					}
					whole := r.busy == 255 && r.count == 1
					if !whole || !seen[r.event] { // a long event is in each tile it reaches into
						count += int(r.count)
					}
					if whole {
						seen[r.event] = true
					}
					sum += float64(r.x1-r.x0) * float64(r.busy) / 255 * float64(int64(1)<<shift)
				}
			}
			if count != n {
				t.Errorf("%s level %d: %d events are drawn, of %d", g.Name, shift, count, n)
			}
			// A bucket's busy part is one of 255, and at least one.
			if slack := 0.02*float64(busy) + float64(n)*float64(int64(1)<<shift)/200; math.Abs(sum-float64(busy)) > slack {
				t.Errorf("%s level %d: busy %.0f ns, of %d", g.Name, shift, sum, busy)
			}
		}
	}
}

// TestWithin: what lies in a part of a group is what the trace itself says, whichever level finds the long events.
func TestWithin(t *testing.T) {
	tr, _, x := built(t, "compiled.pt.trace.json.gz")
	rng := rand.New(rand.NewPCG(1, 2))
	base := tr.Window().Start
	for i := range tr.Tracks() {
		track := &tr.Tracks()[i]
		at := slices.IndexFunc(x.head.Groups, func(g Group) bool { return g.First == uint32(track.First) && g.Last == uint32(track.Last) })
		if at < 0 {
			continue // it has no events
		}
		for range 60 {
			length := int64(math.Exp(rng.Float64() * math.Log(float64(x.head.SpanNS))))
			from := rng.Int64N(x.head.SpanNS)
			got := map[uint32]bool{}
			items, err := x.within(&x.head.Groups[at], from, from+length)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range items {
				if got[it.event] {
					t.Errorf("%s: event %d twice", track, it.event)
				}
				got[it.event] = true
			}
			for id, ev := range tr.OnTrack(track.ID, trace.Window{Start: base + from, End: base + from + length}) {
				if ev.Duration() > 0 && !got[uint32(id)] {
					t.Errorf("%s [%d, +%d): event %d at %d (%d ns) is missing", track, from, length, id, ev.Start-base, ev.Duration())
				}
			}
		}
	}
}

// TestDetails: a kernel knows its launch and its operator, as the trace does.
func TestDetails(t *testing.T) {
	tr, a, x := built(t, "starved.pt.trace.json.gz")
	checked := 0
	for id := range tr.OfKind(trace.Kernel) {
		if checked++; checked > 300 {
			break
		}
		e, err := x.Event(uint32(id))
		if err != nil {
			t.Fatal(err)
		}
		if e.Name != tr.Name(id) || e.Dur != tr.Duration(id) {
			t.Errorf("event %d is %q", id, e.Name)
		}
		launch, ok := tr.Launch(id)
		if ok != (e.Launch != nil) || ok && e.Launch.ID != uint32(launch) {
			t.Errorf("kernel %d: launch %v, want %d", id, e.Launch, launch)
		}
		op, ok := tr.Operator(id)
		if ok && (e.Operator == nil || e.Operator.ID != uint32(op)) {
			t.Errorf("kernel %d: operator %v, want %s", id, e.Operator, tr.Name(op))
		}
	}
	longest := a.Kernels[0]
	hits, total := x.Find(strings.ToUpper(longest.Name[:12]), 50)
	if total == 0 || !slices.ContainsFunc(hits, func(h Hit) bool {
		return h.Name == longest.Name && h.Count == longest.Count && h.TotalNS == longest.TotalNS
	}) {
		t.Errorf("the kernel is not found: %+v", hits)
	}
	sel, err := x.Select(0, x.head.SpanNS, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(sel.Busy) != 1 || sel.Busy[0].BusyNS != a.GPUs[0].Span.BusyNS {
		t.Errorf("busy %+v, want %d", sel.Busy, a.GPUs[0].Span.BusyNS)
	}
	steps := 0
	for _, r := range sel.Rows {
		if r.Sort == "steps" {
			steps++
		}
	}
	if steps != len(a.Steps) {
		t.Errorf("%d steps of %d", steps, len(a.Steps))
	}
}
