package vorbis

import (
	"cmp"
	"math"
	mathbits "math/bits"
	"slices"
)

// floor is a curve over the spectrum, made of straight lines (in dB) between points.
type floor struct {
	partitions []*floorClass
	factor     int // of the heights
	most       int // heights are below this
	heightBits int
	points     []floorPoint
	sorted     []int // points from left to right
}

// floorPoint lies at x; when it is read, low and high are those of the points before that are next to it.
type floorPoint struct{ x, low, high int }

// floorClass says how the heights of some points in a row are coded.
type floorClass struct {
	points int
	shift  int // bits of the master entry for each point
	master *book
	books  []*book // by those bits; nil for a height of 0
}

const (
	mostPoints = 2 + 31*8
	heights    = 256
)

// loudness is what heights mean: steps of 140/256 dB, up to 0 dB, with the constant that the specification's table was
// made with.
var loudness = func() (list [heights]float32) {
	for i := range list {
		list[i] = float32(math.Exp(float64(i-heights+1) * 140 / 256 * 0.11512925))
	}
	return list
}()

func readFloor(b *bits, books []book) (*floor, bool) {
	f := new(floor)
	list := make([]int, b.take(5))
	classes := 0
	for i := range list {
		list[i] = b.take(4)
		classes = max(classes, list[i]+1)
	}
	made := make([]floorClass, classes)
	for i := range made {
		c := &made[i]
		c.points, c.shift = b.take(3)+1, b.take(2)
		if c.shift > 0 {
			n := b.take(8)
			if n >= len(books) {
				return nil, false
			}
			c.master = &books[n]
		}
		c.books = make([]*book, 1<<c.shift)
		for j := range c.books {
			n := b.take(8) - 1
			if n >= len(books) {
				return nil, false
			}
			if n >= 0 {
				c.books[j] = &books[n]
			}
		}
	}
	f.factor = b.take(2) + 1
	f.most = []int{256, 128, 86, 64}[f.factor-1]
	f.heightBits = mathbits.Len(uint(f.most - 1))
	width := b.take(4)
	f.points = []floorPoint{{x: 0}, {x: 1 << width}}
	for _, c := range list {
		f.partitions = append(f.partitions, &made[c])
		for range made[c].points {
			f.points = append(f.points, floorPoint{x: b.take(width)})
		}
	}
	return f, !b.over() && f.sort()
}

// sort finds the order of the points, and their neighbors. No two may have the same x.
func (f *floor) sort() bool {
	f.sorted = make([]int, len(f.points))
	for i := range f.points {
		f.sorted[i] = i
		p := &f.points[i]
		p.high = 1
		for j := range i {
			if q := f.points[j]; q.x < p.x && q.x > f.points[p.low].x {
				p.low = j
			} else if q.x > p.x && q.x < f.points[p.high].x {
				p.high = j
			}
		}
	}
	slices.SortFunc(f.sorted, func(a, b int) int { return cmp.Compare(f.points[a].x, f.points[b].x) })
	for i, at := range f.sorted[1:] {
		if f.points[at].x == f.points[f.sorted[i]].x {
			return false
		}
	}
	return true
}

// curve is a floor of one block: the heights of its points, those that are on a line marked by -1.
type curve struct {
	floor   *floor
	heights [mostPoints]int
}

// read reads the heights; false means that there is nothing in this channel.
func (c *curve) read(b *bits, f *floor) bool {
	c.floor = f
	if !b.flag() {
		return false
	}
	c.heights[0], c.heights[1] = b.take(f.heightBits), b.take(f.heightBits)
	at := 2
	for _, class := range f.partitions {
		entry := 0
		if class.master != nil {
			entry = class.master.next(b)
		}
		for range class.points {
			c.heights[at] = 0
			if b.over() {
				return false
			}
			if book := class.books[entry&(len(class.books)-1)]; book != nil {
				c.heights[at] = book.next(b)
			}
			entry >>= class.shift
			at++
		}
	}
	if b.over() {
		return false
	}
	c.unwrap()
	return true
}

// unwrap makes heights of what was read: how far each point is from the line between its neighbors.
func (c *curve) unwrap() {
	f := c.floor
	var used [mostPoints]bool
	used[0], used[1] = true, true
	for i := 2; i < len(f.points); i++ {
		p := f.points[i]
		expected := between(f.points[p.low].x, c.heights[p.low], f.points[p.high].x, c.heights[p.high], p.x)
		v := c.heights[i]
		above, below := f.most-expected, expected
		switch {
		case v == 0:
			c.heights[i] = expected
			continue
		case v >= 2*min(above, below) && above > below:
			v = v - below
		case v >= 2*min(above, below):
			v = above - v - 1
		case v%2 == 1:
			v = -(v + 1) / 2
		default:
			v /= 2
		}
		c.heights[i] = min(max(expected+v, 0), f.most-1)
		used[p.low], used[p.high], used[i] = true, true, true
	}
	for i := range f.points {
		if !used[i] {
			c.heights[i] = -1
		}
	}
}

// between is a line's height at x.
func between(x0, y0, x1, y1, x int) int { return y0 + (y1-y0)*(x-x0)/(x1-x0) }

// multiply takes the lines of a spectrum times the curve.
func (c *curve) multiply(lines []float32) {
	f := c.floor
	x, y := 0, c.heights[0]*f.factor
	for _, i := range f.sorted[1:] {
		if c.heights[i] < 0 {
			continue
		}
		nextX, nextY := f.points[i].x, c.heights[i]*f.factor
		if x < len(lines) {
			slope(lines[x:min(nextX, len(lines))], nextX-x, y, nextY)
		}
		x, y = nextX, nextY
	}
	if x < len(lines) {
		slope(lines[x:], 1, y, y)
	}
}

// slope takes lines times a straight line of whole heights, whose rounding is part of the format.
func slope(lines []float32, width, from, to int) {
	step, rest, sign := (to-from)/width, (to-from)%width, 1
	if rest < 0 {
		rest, sign = -rest, -1
	}
	y, remainder := from, 0
	for i := range lines {
		lines[i] *= loudness[y&(heights-1)]
		y += step
		remainder += rest
		if remainder >= width {
			remainder -= width
			y += sign
		}
	}
}
