package timeline

import (
	"cmp"
	"slices"
	"strings"
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
const mostScanned = 8 << 20

// Select sums up what happened in [from, to).
func (x *Index) Select(from, to int64, most int) (Selection, error) {
	from, to = max(0, from), min(to, x.head.SpanNS)
	s := Selection{StartNS: from, EndNS: to, Busy: []DeviceBusy{}, Rows: []SelectedRow{}, Skipped: []string{}}
	type key struct {
		sort string
		name uint32
	}
	sums := map[key]*SelectedRow{}
	busy := map[int][][2]int64{}
	left := mostScanned
	for _, sort := range []string{"steps", "idle", "gpu", "ranges", "path", "host"} {
		for i := range x.head.Groups {
			g := &x.head.Groups[i]
			if g.Sort != sort {
				continue
			}
			if left <= 0 {
				s.Skipped = append(s.Skipped, g.Name)
				continue
			}
			items, err := x.within(g, from, min(to, x.reach(g, from, left)))
			if err != nil {
				return s, err
			}
			if left -= len(items); left <= 0 {
				s.Skipped = append(s.Skipped, g.Name)
				continue
			}
			for _, it := range items {
				part := min(it.start+it.dur, to) - max(it.start, from)
				k := key{sort, it.name}
				row := sums[k]
				if row == nil {
					row = &SelectedRow{Sort: sort, Kind: kindName(it.kind), Name: x.Name(it.name), Longest: it.event}
					sums[k] = row
				}
				row.Count++
				row.TotalNS += part
				if part > row.MaxNS {
					row.MaxNS, row.Longest = part, it.event
				}
				if sort == "gpu" {
					busy[g.Device] = append(busy[g.Device], [2]int64{max(it.start, from), min(it.start+it.dur, to)})
				}
			}
		}
	}
	for device, spans := range busy {
		ns := union(spans)
		s.Busy = append(s.Busy, DeviceBusy{device, ns, float64(ns) / float64(max(1, to-from))})
	}
	slices.SortFunc(s.Busy, func(a, b DeviceBusy) int { return cmp.Compare(a.Device, b.Device) })
	for _, row := range sums {
		s.Rows = append(s.Rows, *row)
	}
	slices.SortFunc(s.Rows, func(a, b SelectedRow) int {
		return cmp.Or(cmp.Compare(order[a.Sort], order[b.Sort]), cmp.Compare(b.TotalNS, a.TotalNS), cmp.Compare(a.Name, b.Name))
	})
	s.Rows = firstOfEach(s.Rows, most)
	return s, nil
}

// reach is the time until which so many events can be read.
func (x *Index) reach(g *Group, from int64, events int) int64 {
	at, _ := slices.BinarySearch(g.Starts, from)
	if end := at + events/sampled; end < len(g.Starts) {
		return g.Starts[end]
	}
	return x.head.SpanNS + 1
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
