package trace

import "slices"

// closeOpen gives the events their ends that were written apart from their starts.
func (b *Builder) closeOpen() {
	b.rows = len(b.start)
	if !b.open && len(b.ends) == 0 {
		return
	}
	type mark struct {
		time  int64
		order uint64 // in the file; ends are even, starts odd
	}
	marks := make([][]mark, len(b.lexicon.tracks))
	latest := make([]int64, len(marks)) // of each track
	for row, tr := range b.track {
		if b.dur[row] == Open {
			marks[tr] = append(marks[tr], mark{b.start[row], 2*uint64(row) + 1})
			latest[tr] = max(latest[tr], b.start[row])
		} else {
			latest[tr] = max(latest[tr], b.start[row]+b.dur[row])
		}
	}
	for _, e := range b.ends {
		marks[e.track] = append(marks[e.track], mark{e.time, 2 * uint64(e.order)})
		latest[e.track] = max(latest[e.track], e.time)
	}
	for tr, list := range marks {
		slices.SortStableFunc(list, func(x, y mark) int {
			if x.time != y.time {
				return compare(x.time, y.time)
			}
			return compare(int64(x.order), int64(y.order))
		})
		var running []uint32
		for _, m := range list {
			switch {
			case m.order%2 == 1:
				running = append(running, uint32(m.order/2))
			case len(running) == 0:
				b.fault(fault{reason: "without a start", count: 1})
			default:
				row := running[len(running)-1]
				running = running[:len(running)-1]
				b.dur[row] = m.time - b.start[row]
			}
		}
		for _, row := range running {
			b.dur[row] = max(0, latest[tr]-b.start[row])
			b.fault(fault{reason: "without an end; extended to the end of its thread", count: 1, repaired: true})
		}
	}
}

const hour = 3600e9

// outliers finds events that cannot be true: far in time from all others, as profilers
// write them when a clock was not ready, or longer than the recording.
func (b *Builder) outliers() map[uint32]bool {
	// The recording is where nine tenths of the starts are; zeros say nothing.
	sample := make([]int64, 0, 4096)
	for row := 0; row < len(b.start); row += 1 + len(b.start)/4096 {
		if b.start[row] != 0 {
			sample = append(sample, b.start[row])
		}
	}
	if len(sample) == 0 {
		return nil
	}
	slices.Sort(sample)
	low, high := sample[len(sample)/20], sample[len(sample)-1-len(sample)/20]
	margin := 10*saturate(high-low, hour*24*365) + hour
	near := Interval{low - margin, high + margin}

	drop := map[uint32]bool{}
	recording := Interval{high, low}
	for row, start := range b.start {
		if near.Contains(start) {
			recording.Start, recording.End = min(recording.Start, start), max(recording.End, start)
		} else {
			drop[uint32(row)] = true
			b.fault(fault{reason: "far in time from all others", count: 1})
		}
	}
	longest := recording.Length() + 1e9
	for row, dur := range b.dur {
		if limit := longest; dur > limit && (b.kind[row].OnGPU() || dur > 10*limit+hour) && !drop[uint32(row)] {
			drop[uint32(row)] = true
			b.fault(fault{reason: "longer than the recording", count: 1})
		}
	}
	return drop
}

func saturate(v, limit int64) int64 { return min(v, limit) }
