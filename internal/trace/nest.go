package trace

import (
	"fmt"
	"iter"
	"sort"
)

// Parent is the event that the event lies in, on the same track; None at the top. Work
// on a stream has no parent.
func (t *Trace) Parent(id EventID) EventID { return t.parent[id] }

// Ancestors gives the events around an event, innermost first.
func (t *Trace) Ancestors(id EventID) iter.Seq[EventID] {
	return func(yield func(EventID) bool) {
		for p := t.parent[id]; p != None; p = t.parent[p] {
			if !yield(p) {
				return
			}
		}
	}
}

// Enclosing is the innermost event of one of the kinds around an event, which itself counts.
func (t *Trace) Enclosing(id EventID, kinds ...Kind) (EventID, bool) {
	for ; id != None; id = t.parent[id] {
		for _, k := range kinds {
			if t.kind[id] == k {
				return id, true
			}
		}
	}
	return None, false
}

// Descendants gives the events inside an event, by start. To sum something over all
// events, walk all rows once and add to Parent instead.
func (t *Trace) Descendants(id EventID) iter.Seq[EventID] {
	return func(yield func(EventID) bool) {
		last := t.tracks[t.track[id]].Last
		for i := id + 1; i < last && t.start[i] <= t.End(id); i++ {
			if t.inside(i, id) && !yield(i) {
				return
			}
		}
	}
}

// Children gives the events whose parent the event is, by start.
func (t *Trace) Children(id EventID) iter.Seq[EventID] {
	return func(yield func(EventID) bool) {
		for i := range t.Descendants(id) {
			if t.parent[i] == id && !yield(i) {
				return
			}
		}
	}
}

func (t *Trace) inside(id, ancestor EventID) bool {
	for p := t.parent[id]; p != None && p >= ancestor; p = t.parent[p] {
		if p == ancestor {
			return true
		}
	}
	return false
}

// At is the innermost event of the track that is running at the instant.
func (t *Trace) At(track TrackID, ns int64) (EventID, bool) {
	tr := &t.tracks[track]
	n := sort.Search(tr.Len(), func(i int) bool { return t.start[tr.First+EventID(i)] > ns })
	if n == 0 {
		return None, false
	}
	// The last one begun by then is running, or an event around it is, or nothing.
	for id := tr.First + EventID(n-1); id != None; id = t.parent[id] {
		if ns < t.End(id) || (ns == t.start[id]) {
			return id, true
		}
	}
	return None, false
}

// Before is the last event of the track that started at or before the instant, be it
// still running or not.
func (t *Trace) Before(track TrackID, ns int64) (EventID, bool) {
	tr := &t.tracks[track]
	n := sort.Search(tr.Len(), func(i int) bool { return t.start[tr.First+EventID(i)] > ns })
	if n == 0 {
		return None, false
	}
	return tr.First + EventID(n-1), true
}

// slack is how far a child may outlast its parent and still be its child: profilers
// round and read clocks twice.
const slack = 1000

// mostDepth is how deep events are nested: walks up from an event stay short in any file. Python itself
// stops a recursion at this depth.
const mostDepth = 1000

// nest finds every host event's parent, and marks events that overlap an earlier one
// without being inside it.
func (t *Trace) nest() {
	t.parent = make([]EventID, t.Len())
	t.overlap = make([]uint64, (t.Len()+63)/64)
	var open []EventID
	deeper := 0
	for i := range t.tracks {
		tr := &t.tracks[i]
		if tr.Domain == Stream {
			t.markOverlaps(tr)
			continue
		}
		open = open[:0]
		for id := tr.First; id < tr.Last; id++ {
			start, end := t.start[id], t.End(id)
			tr.longest = max(tr.longest, t.dur[id])
			overlaps := false
			for len(open) > 0 {
				top := t.End(open[len(open)-1])
				if start < top && end <= top+slack {
					break
				}
				overlaps = overlaps || start+slack < top
				open = open[:len(open)-1]
			}
			t.parent[id] = None
			if len(open) > 0 {
				t.parent[id] = open[len(open)-1]
			}
			if overlaps {
				t.markOverlap(id)
			}
			if len(open) < mostDepth {
				open = append(open, id)
			} else {
				deeper++
			}
		}
	}
	if deeper > 0 {
		t.quality.Notes = append(t.quality.Notes, Note{Reason: fmt.Sprintf("nested more than %d deep: they count as parts of the call at that depth", mostDepth), Count: deeper})
	}
}

// markOverlaps marks the work of a stream that starts before the work before it has ended.
func (t *Trace) markOverlaps(tr *Track) {
	for id := tr.First; id < tr.Last; id++ {
		t.parent[id] = None
	}
	if tr.Len() == 0 {
		return
	}
	end := t.End(tr.First)
	tr.longest = t.dur[tr.First]
	for id := tr.First + 1; id < tr.Last; id++ {
		tr.longest = max(tr.longest, t.dur[id])
		if t.start[id] < end {
			t.markOverlap(id)
		}
		end = max(end, t.End(id))
	}
}

func (t *Trace) markOverlap(id EventID) {
	t.overlap[id>>6] |= 1 << (id & 63)
	t.TrackOf(id).overlaps = true
	t.quality.Overlapping++
}
