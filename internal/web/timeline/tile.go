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
func (x *Index) within(g *Group, from, to int64) ([]item, error) {
	var items []item
	since := int64(math.MinInt64)
	if len(g.Levels) > 0 {
		// Events longer than a bucket of the finest level are drawn there one by one: those that run on into our part are found
		// in its tile. Shorter ones begin at most a bucket before.
		l := &g.Levels[0]
		since = from - 1<<l.Shift
		rects, err := x.stored(l, from>>l.Shift/buckets)
		if err != nil {
			return nil, err
		}
		seen := map[uint32]bool{}
		x0 := float32(from>>l.Shift%buckets) + 1
		for ; len(rects) > 0; rects = rects[RectSize:] {
			id := binary.LittleEndian.Uint32(rects[12:])
			if math.Float32frombits(binary.LittleEndian.Uint32(rects)) > x0 || seen[id] {
				continue
			}
			if math.Float32frombits(binary.LittleEndian.Uint32(rects[4:]))+1 < x0-1 {
				continue
			}
			seen[id] = true
			r, err := x.record(id)
			if err != nil {
				return nil, err
			}
			if r.start < since && r.start+r.dur > from {
				items = append(items, r.item(id))
			}
		}
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].start < items[j].start })
	err := x.scan(g, since, to, func(id uint32, r record) bool {
		if r.start+max(r.dur, 1) > from {
			items = append(items, r.item(id))
		}
		return true
	})
	return items, err
}
