package timeline

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
)

// Tile is the rectangles of a group in one tile of a level.
func (x *Index) Tile(group, shift int, index int64) ([]byte, error) {
	if group < 0 || group >= len(x.head.Groups) || shift < 0 || shift > x.head.Top {
		return nil, errors.New("there is no such tile")
	}
	if index < 0 || index > x.head.SpanNS>>shift/buckets {
		return nil, nil // beside the trace
	}
	g := &x.head.Groups[group]
	if len(g.Levels) > 0 && shift >= g.Levels[0].Shift {
		return x.stored(&g.Levels[shift-g.Levels[0].Shift], index)
	}
	items, err := x.within(g, index*buckets<<shift, (index+1)*buckets<<shift)
	if err != nil {
		return nil, err
	}
	begin, end := index*buckets<<shift, (index+1)*buckets<<shift
	var out []byte
	for _, it := range fold(items, g.Lanes, shift) {
		if it.start < end && it.start+max(it.dur, 1) > begin {
			out = appendRect(out, it, begin, shift, func(it item) uint8 { return palette(it.kind, x.shades[it.name]) })
		}
	}
	return out, nil
}

// stored reads a tile that Build made.
func (x *Index) stored(l *level, index int64) ([]byte, error) {
	n := len(l.Tiles) / 3
	at := sort.Search(n, func(i int) bool { return l.Tiles[3*i] >= index })
	if at == n || l.Tiles[3*at] != index {
		return nil, nil
	}
	out := make([]byte, l.Tiles[3*at+2]*RectSize)
	if _, err := x.tiles.ReadAt(out, l.Tiles[3*at+1]); err != nil {
		return nil, fmt.Errorf("cannot read the timeline: %w", err)
	}
	return out, nil
}

// within is the events of a group that have a part in [from, to), by start.
func (x *Index) within(g *Group, from, to int64) (items []item, err error) {
	err = x.each(g, from, to, func(it item) bool {
		items = append(items, it)
		return true
	})
	return items, err
}

// each calls f for the events of a group that have a part in [from, to), by start, until it returns false.
func (x *Index) each(g *Group, from, to int64, f func(item) bool) error {
	since := int64(math.MinInt64)
	if len(g.Levels) > 0 {
		since = from - 1<<g.Levels[0].Shift
		long, err := x.running(g, from, since)
		if err != nil {
			return err
		}
		for _, it := range long {
			if !f(it) {
				return nil
			}
		}
	}
	return x.scan(g, since, to, func(id uint32, r record) bool {
		return r.start+max(r.dur, 1) <= from || f(r.item(id))
	})
}

// running is the events that began before since and still run at an instant. Events longer than a bucket of the finest
// level are drawn there one by one, so its tile knows them; shorter ones began since then.
func (x *Index) running(g *Group, at, since int64) (items []item, err error) {
	l := &g.Levels[0]
	rects, err := x.stored(l, at>>l.Shift/buckets)
	if err != nil {
		return nil, err
	}
	seen := map[uint32]bool{}
	bucket := float32(at >> l.Shift % buckets)
	for ; len(rects) > 0; rects = rects[RectSize:] {
		id := binary.LittleEndian.Uint32(rects[12:])
		x0, x1 := math.Float32frombits(binary.LittleEndian.Uint32(rects)), math.Float32frombits(binary.LittleEndian.Uint32(rects[4:]))
		if x0 > bucket+1 || x1+1 < bucket || seen[id] {
			continue
		}
		seen[id] = true
		r, err := x.record(id)
		if err != nil {
			return nil, err
		}
		if r.start < since && r.start+r.dur > at {
			items = append(items, r.item(id))
		}
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].start < items[j].start })
	return items, nil
}
