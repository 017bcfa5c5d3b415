package trace

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
)

// Flow is an arrow from one event to another.
type Flow struct{ From, To EventID }

// Launch is the host event that started a piece of GPU work: the call of the runtime or
// driver, or the operator where no call was recorded.
func (t *Trace) Launch(gpu EventID) (EventID, bool) {
	if v, ok := t.launch.get(uint32(gpu)); ok {
		return EventID(v), true
	}
	return None, false
}

// Launched gives the GPU work that a host event itself started, by start. A graph launch
// starts many.
func (t *Trace) Launched(host EventID) iter.Seq[EventID] {
	return func(yield func(EventID) bool) {
		from := sort.Search(len(t.launched), func(i int) bool { return t.launchOf(t.launched[i]) >= host })
		for _, gpu := range t.launched[from:] {
			if t.launchOf(gpu) != host || !yield(gpu) {
				return
			}
		}
	}
}

func (t *Trace) launchOf(gpu EventID) EventID {
	host, _ := t.Launch(gpu)
	return host
}

// Operator is the innermost operator around the call that started a piece of GPU work.
func (t *Trace) Operator(gpu EventID) (EventID, bool) {
	host, ok := t.Launch(gpu)
	if !ok {
		return None, false
	}
	return t.Enclosing(host, CPUOp)
}

// Forward is the forward operator that a backward operator belongs to.
func (t *Trace) Forward(op EventID) (EventID, bool) {
	i := sort.Search(len(t.forward), func(i int) bool { return t.forward[i].To >= op })
	if i < len(t.forward) && t.forward[i].To == op {
		return t.forward[i].From, true
	}
	return None, false
}

// Backward is the first backward operator of a forward operator.
func (t *Trace) Backward(op EventID) (EventID, bool) {
	i := sort.Search(len(t.backward), func(i int) bool { return t.backward[i].From >= op })
	if i < len(t.backward) && t.backward[i].From == op {
		return t.backward[i].To, true
	}
	return None, false
}

// Flows lists the arrows from forward to backward operators, by the backward one.
func (t *Trace) Flows() []Flow { return t.forward }

// callIndex finds host events by a number they share with GPU work.
type callIndex struct {
	byStart    []numbered // by number, then by start
	byExternal []numbered // by number, then by external id, then by start; only where numbers are shared
}

type numbered struct {
	number int64
	id     EventID
}

// indexBy lists the events of some kinds by an attribute.
func (t *Trace) indexBy(a Attr, kinds ...Kind) (index callIndex) {
	if !t.Has(a) {
		return index
	}
	for id := range t.OfKind(kinds...) {
		if n, ok := t.Int(id, a); ok && n > 0 {
			index.byStart = append(index.byStart, numbered{n, id})
		}
	}
	slices.SortFunc(index.byStart, func(x, y numbered) int {
		return cmp.Or(compare(x.number, y.number), compare(t.start[x.id], t.start[y.id]))
	})
	for i := 1; i < len(index.byStart); i++ {
		if index.byStart[i].number == index.byStart[i-1].number {
			index.byExternal = slices.Clone(index.byStart)
			slices.SortStableFunc(index.byExternal, func(x, y numbered) int {
				return cmp.Or(compare(x.number, y.number), compare(t.external(x.id), t.external(y.id)))
			})
			break
		}
	}
	return index
}

// external is an event's external id, or one that no event has.
func (t *Trace) external(id EventID) int64 {
	if n, ok := t.Int(id, External); ok {
		return n
	}
	return math.MinInt64
}

// find is the host event of that number that a piece of GPU work belongs to. Several have
// the same number where processes share a file or a recording was restarted; then the
// external id decides, and then the last one begun before the work.
func (index callIndex) find(t *Trace, number int64, work EventID) (EventID, bool) {
	if external, ok := t.Int(work, External); ok {
		id, ok := t.lastBegun(index.byExternal, work, func(n numbered) int {
			return cmp.Or(compare(n.number, number), compare(t.external(n.id), external))
		})
		if ok {
			return id, true
		}
	}
	return t.lastBegun(index.byStart, work, func(n numbered) int { return compare(n.number, number) })
}

// lastBegun is, of the events whose order is 0, the last one begun before the work, or the first of all.
func (t *Trace) lastBegun(list []numbered, work EventID, order func(numbered) int) (EventID, bool) {
	first := sort.Search(len(list), func(i int) bool { return order(list[i]) >= 0 })
	if first == len(list) || order(list[first]) != 0 {
		return None, false
	}
	after := first + sort.Search(len(list)-first, func(i int) bool {
		return order(list[first+i]) > 0 || t.start[list[first+i].id] > t.start[work]
	})
	return list[max(first, after-1)].id, true
}

// link finds what started each piece of GPU work: by correlation, else by external id,
// else by the arrows in the file.
func (t *Trace) link(arrows []arrow) {
	calls := t.indexBy(Correlation, Runtime, Driver)
	var ops callIndex
	opsIndexed := false
	launches := make([]EventID, 0)
	byArrow := t.pairArrows(arrows, launchFlow)

	for id := range t.OfKind(Kernel, Memcpy, Memset) {
		host := None
		if n, ok := t.Int(id, Correlation); ok {
			if call, ok := calls.find(t, n, id); ok {
				host = call
			}
		}
		if host == None {
			if n, ok := t.Int(id, External); ok {
				if !opsIndexed {
					ops, opsIndexed = t.indexBy(External, CPUOp, Annotation), true
				}
				if op, ok := ops.find(t, n, id); ok {
					host = op
				}
			}
		}
		if host == None {
			i := sort.Search(len(byArrow), func(i int) bool { return byArrow[i].To >= id })
			if i < len(byArrow) && byArrow[i].To == id {
				host = byArrow[i].From
			}
		}
		if host == None {
			t.quality.Unlinked++
			continue
		}
		t.launch.add(uint32(id), int64(host))
		launches = append(launches, id)
	}
	t.launch.seal()
	slices.SortFunc(launches, func(a, b EventID) int {
		if c := compare(int64(t.launchOf(a)), int64(t.launchOf(b))); c != 0 {
			return c
		}
		return compare(t.start[a], t.start[b])
	})
	t.launched = slices.Clip(launches)

	t.forward = t.pairArrows(arrows, backwardFlow)
	t.backward = slices.Clone(t.forward)
	slices.SortFunc(t.backward, func(a, b Flow) int {
		if a.From != b.From {
			return compare(int64(a.From), int64(b.From))
		}
		return compare(t.start[a.To], t.start[b.To])
	})
}

// pairArrows joins the tails and heads of one kind of arrows that carry the same number.
func (t *Trace) pairArrows(arrows []arrow, kind flowKind) []Flow {
	var ends []arrow
	for _, a := range arrows {
		if a.kind == kind && a.event != None {
			ends = append(ends, a)
		}
	}
	slices.SortStableFunc(ends, func(a, b arrow) int {
		if a.number != b.number {
			return compare(a.number, b.number)
		}
		if a.head != b.head && !a.head {
			return -1
		} else if a.head != b.head {
			return 1
		}
		return 0
	})
	var flows []Flow
	tail := None
	for i, e := range ends {
		if i == 0 || ends[i-1].number != e.number {
			tail = None
		}
		switch {
		case !e.head:
			tail = e.event
		case tail != None && tail != e.event:
			flows = append(flows, Flow{tail, e.event})
		}
	}
	slices.SortFunc(flows, func(a, b Flow) int { return compare(int64(a.To), int64(b.To)) })
	return slices.Clip(flows)
}
