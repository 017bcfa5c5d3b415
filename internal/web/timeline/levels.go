package timeline

import (
	"math/bits"
	"slices"

	"saturate/internal/trace"
)

// item is an event, or the short events of one bucket together.
type item struct {
	start, dur int64 // of the event; of a bucket, its start and length
	busy       int64 // how much of it is filled
	longest    int64 // the duration of the longest event in it
	name       uint32
	event      uint32
	count      uint32
	lane       uint8
	kind       trace.Kind
	sum        bool // a bucket, not an event
}

// folder folds the items of one lane, which come by start, into buckets of 1<<shift ns.
type folder struct {
	shift int
	out   []item
}

// add takes an event or a bucket of a finer level.
func (f *folder) add(it item) {
	if !it.sum && it.dur >= 1<<f.shift {
		f.out = append(f.out, it)
		return
	}
	at := it.start >> f.shift
	end := (at + 1) << f.shift
	part := min(it.busy, end-it.start)
	if it.sum {
		part = it.busy // buckets of a finer level lie within one of ours
	}
	f.into(at, it, part, it.count)
	if rest := it.busy - part; rest > 0 { // the event ends in the next bucket
		f.into(at+1, it, rest, 0)
	}
}

func (f *folder) into(bucket int64, it item, busy int64, count uint32) {
	start := bucket << f.shift
	if n := len(f.out); n > 0 && f.out[n-1].sum && f.out[n-1].start == start {
		b := &f.out[n-1]
		b.busy += busy
		b.count += count
		if it.longest > b.longest {
			b.longest, b.name, b.event, b.kind = it.longest, it.name, it.event, it.kind
		}
		return
	}
	// A long event may stand between two parts of one bucket: the parts are then two rectangles.
	b := it
	b.start, b.dur, b.busy, b.count, b.sum = start, 1<<f.shift, busy, count, true
	f.out = append(f.out, b)
}

// coarsest is the shift at which the whole trace fits one tile.
func coarsest(span int64) int {
	return max(0, bits.Len64(uint64(max(span, 1)-1))-9)
}

// event makes an item of a record.
func (r *record) item(id uint32) item {
	return item{start: r.start, dur: r.dur, busy: r.dur, longest: r.dur, name: r.name, event: id, count: 1, lane: r.lane, kind: r.kind}
}

// fold folds the lanes' items to a coarser level and puts them in order of start again.
func fold(items []item, lanes, shift int) []item {
	folders := make([]folder, lanes)
	for i := range folders {
		folders[i].shift = shift
	}
	for _, it := range items {
		folders[it.lane].add(it)
	}
	return merge(folders)
}

func merge(folders []folder) (all []item) {
	n := 0
	for _, f := range folders {
		n += len(f.out)
	}
	if len(folders) == 1 {
		return folders[0].out
	}
	all = make([]item, 0, n)
	for _, f := range folders {
		all = append(all, f.out...)
	}
	slices.SortStableFunc(all, func(a, b item) int {
		switch {
		case a.start != b.start:
			if a.start < b.start {
				return -1
			}
			return 1
		default:
			return int(a.lane) - int(b.lane)
		}
	})
	return all
}

// tiled cuts items into tiles and calls emit for each that has any, in order. An item is in every tile that it reaches
// into.
func tiled(items []item, shift int, color func(item) uint8, emit func(index int64, rects []byte) error) error {
	length := int64(buckets) << shift
	var running []item // that began before the tile and reach into it
	for i, index := 0, int64(-1); i < len(items) || len(running) > 0; {
		if index++; len(running) == 0 {
			index = items[i].start / length
		}
		begin := index * length
		var rects []byte
		var next []item
		draw := func(it item) {
			rects = appendRect(rects, it, begin, shift, color)
			if it.start+it.dur > begin+length {
				next = append(next, it)
			}
		}
		for _, it := range running {
			draw(it)
		}
		for ; i < len(items) && items[i].start < begin+length; i++ {
			draw(items[i])
		}
		if err := emit(index, rects); err != nil {
			return err
		}
		running = next
	}
	return nil
}

// appendRect clips an item to a tile.
func appendRect(b []byte, it item, begin int64, shift int, color func(item) uint8) []byte {
	bucket := float64(int64(1) << shift)
	x0, x1 := float64(it.start-begin)/bucket, float64(it.start+it.dur-begin)/bucket
	r := rect{
		x0: float32(max(x0, 0)), x1: float32(min(x1, buckets)), name: it.name, event: it.event, count: it.count,
		lane: it.lane, busy: 255, color: color(it), kind: uint8(it.kind),
	}
	if it.sum {
		r.busy = uint8(max(1, min(255, it.busy*255/max(it.dur, 1))))
	}
	return r.append(b)
}
