package trace

import "slices"

// sortRows sorts the rows of one track by start, then longest first, then as in the file.
// Profilers write most of a track in order already, in a few runs: one for operators, one
// for calls. So neighboring runs are merged until one is left.
func (b *Builder) sortRows(rows, spare []uint32) []uint32 {
	runs := []int{0}
	for i := 1; i < len(rows); i++ {
		if b.after(rows[i-1], rows[i]) {
			runs = append(runs, i)
		}
	}
	runs = append(runs, len(rows))
	if len(runs) == 2 {
		return spare
	}
	if len(runs) > len(rows)/8 { // no order to speak of
		slices.SortFunc(rows, b.compareRows)
		return spare
	}
	if cap(spare) < len(rows) {
		spare = make([]uint32, len(rows))
	}
	from, to := rows, spare[:len(rows)]
	for len(runs) > 2 {
		kept := runs[:1]
		for i := 0; i+1 < len(runs); i += 2 {
			lo, mid, hi := runs[i], runs[i+1], runs[i+1]
			if i+2 < len(runs) {
				hi = runs[i+2]
			}
			b.merge(to[lo:hi], from[lo:mid], from[mid:hi])
			kept = append(kept, hi)
		}
		runs = kept
		from, to = to, from
	}
	if &from[0] != &rows[0] {
		copy(rows, from)
	}
	return spare
}

func (b *Builder) merge(out, x, y []uint32) {
	for i := range out {
		if len(x) == 0 || len(y) > 0 && b.after(x[0], y[0]) {
			out[i], y = y[0], y[1:]
		} else {
			out[i], x = x[0], x[1:]
		}
	}
}

// after reports whether row x belongs after row y, where x stands before y in the file.
func (b *Builder) after(x, y uint32) bool {
	if b.start[x] != b.start[y] {
		return b.start[x] > b.start[y]
	}
	return b.dur[x] < b.dur[y]
}

func (b *Builder) compareRows(x, y uint32) int {
	switch {
	case b.start[x] != b.start[y]:
		return compare(b.start[x], b.start[y])
	case b.dur[x] != b.dur[y]:
		return compare(b.dur[y], b.dur[x])
	}
	return compare(int64(x), int64(y))
}
