package timeline

import (
	"cmp"
	"slices"
	"strings"

	"saturate/internal/trace"
)

// Hit is a name that was searched for.
type Hit struct {
	Number  uint32 `json:"number"`
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Count   int    `json:"count"`
	TotalNS int64  `json:"total_ns"`
	Longest uint32 `json:"longest"` // event
}

// Find lists the names that hold a text, the most time first, and says how many there are.
func (x *Index) Find(text string, most int) (hits []Hit, total int) {
	text = strings.ToLower(text)
	hits = []Hit{} // a list in the JSON, also where nothing has the text
	for i, name := range x.texts {
		if s := x.stats[i]; s.count > 0 && strings.Contains(strings.ToLower(name), text) {
			hits = append(hits, Hit{uint32(i), name, kindName(s.kind), int(s.count), s.total, s.longest})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
	return hits[:min(most, len(hits))], len(hits)
}

// Selection is what happened in a part of the trace.
type Selection struct {
	StartNS int64         `json:"start_ns"`
	EndNS   int64         `json:"end_ns"`
	Busy    []DeviceBusy  `json:"busy"`
	Rows    []SelectedRow `json:"rows"`    // the most time first
	Skipped []string      `json:"skipped"` // groups that have too much in this part to be summed
}

// DeviceBusy is how long a GPU was busy.
type DeviceBusy struct {
	Device int     `json:"device"`
	BusyNS int64   `json:"busy_ns"`
	Ratio  float64 `json:"ratio"`
}

// SelectedRow sums the events of one name in one sort of group, clipped to the part.
type SelectedRow struct {
	Sort    string `json:"sort"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Count   int    `json:"count"`
	TotalNS int64  `json:"total_ns"`
	MaxNS   int64  `json:"max_ns"`
	Longest uint32 `json:"longest"`
}

// mostScanned is how many events are read for one selection: about a second's work.
const mostScanned = 16 << 20

// tally sums the events of one name.
type tally struct {
	count   int
	total   int64
	max     int64
	longest uint32
	kind    trace.Kind
}

// Select sums up what happened in [from, to). It reads every event in there once and keeps sums only.
func (x *Index) Select(from, to int64, most int) (Selection, error) {
	from, to = max(0, from), min(to, x.head.SpanNS)
	s := Selection{StartNS: from, EndNS: to, Busy: []DeviceBusy{}, Rows: []SelectedRow{}, Skipped: []string{}}
	busy := map[int][][2]int64{}
	left := mostScanned
	for _, sort := range []string{"steps", "idle", "gpu", "ranges", "path", "host"} {
		sums := make([]tally, len(x.texts))
		for i := range x.head.Groups {
			g := &x.head.Groups[i]
			if g.Sort != sort {
				continue
			}
			if left -= x.about(g, from, to); left < 0 {
				s.Skipped = append(s.Skipped, g.Name)
				continue
			}
			var spans [][2]int64
			err := x.each(g, from, to, func(it item) bool {
				start, end := max(it.start, from), min(it.start+it.dur, to)
				t := &sums[it.name]
				t.count++
				t.total += end - start
				if t.count == 1 || end-start > t.max {
					t.max, t.longest, t.kind = end-start, it.event, it.kind
				}
				if sort == "gpu" {
					if n := len(spans); n > 0 && start <= spans[n-1][1] {
						spans[n-1][1] = max(end, spans[n-1][1])
					} else {
						spans = append(spans, [2]int64{start, end})
					}
				}
				return true
			})
			if err != nil {
				return s, err
			}
			if len(spans) > 0 {
				busy[g.Device] = append(busy[g.Device], spans...)
			}
		}
		for name, t := range sums {
			if t.count > 0 {
				s.Rows = append(s.Rows, SelectedRow{sort, kindName(t.kind), x.Name(uint32(name)), t.count, t.total, t.max, t.longest})
			}
		}
	}
	for device, spans := range busy {
		ns := union(spans)
		s.Busy = append(s.Busy, DeviceBusy{device, ns, float64(ns) / float64(max(1, to-from))})
	}
	slices.SortFunc(s.Busy, func(a, b DeviceBusy) int { return cmp.Compare(a.Device, b.Device) })
	slices.SortFunc(s.Rows, func(a, b SelectedRow) int {
		return cmp.Or(cmp.Compare(order[a.Sort], order[b.Sort]), cmp.Compare(b.TotalNS, a.TotalNS), cmp.Compare(a.Name, b.Name))
	})
	s.Rows = firstOfEach(s.Rows, most)
	return s, nil
}

// about is how many events of a group start in [from, to), to a few thousand.
func (x *Index) about(g *Group, from, to int64) int {
	first, _ := slices.BinarySearch(g.Starts, from)
	last, _ := slices.BinarySearch(g.Starts, to)
	return (last - first) * sampled
}

// firstOfEach keeps the first rows of each sort.
func firstOfEach(rows []SelectedRow, most int) []SelectedRow {
	n := map[string]int{}
	return slices.DeleteFunc(rows, func(r SelectedRow) bool {
		n[r.Sort]++
		return n[r.Sort] > most
	})
}

// union is how much time spans cover together.
func union(spans [][2]int64) (total int64) {
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	end := int64(-1 << 62)
	for _, s := range spans {
		if s[1] > end {
			total += s[1] - max(s[0], end)
			end = s[1]
		}
	}
	return total
}
