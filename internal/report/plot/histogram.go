package plot

import (
	"math"

	"saturate/internal/human"
)

// Histogram shows how often which value occurs.
type Histogram struct {
	Heading string
	Axis    string // name of the value axis: "length of a gap"
	Unit    string
	Noun    string // what one value is: "gap"
	Values  []float64
	Log     bool // for values over many orders of magnitude; those not above zero are left out
}

// Title names the plot.
func (p Histogram) Title() string { return p.Heading }

// SVG draws the plot at its usual width.
func (p Histogram) SVG() string { return p.Draw(wideWidth) }

func (p Histogram) noun() string {
	if p.Noun == "" {
		return "value"
	}
	return p.Noun
}

// usable are the values that can be drawn, sorted, and what is to say about the others.
func (p Histogram) usable() (sorted []float64, remark string) {
	sorted, left := sortedFinite(p.Values)
	low := 0
	for p.Log && low < len(sorted) && sorted[low] <= 0 {
		low++
	}
	return sorted[low:], joinRemarks([]string{leftOutRemark(left, p.noun(), noNumber), leftOutRemark(low, p.noun(),
		notPositive)})
}

// bins counts the values between evenly spaced positions of a scale.
func bins(sorted []float64, s scale, n int) []float64 {
	counts := make([]float64, n)
	width := (s.to - s.from) / float64(n)
	for _, v := range sorted {
		counts[min(int((s.at(v)-s.from)/width), n-1)]++
	}
	return counts
}

// binCount follows Freedman and Diaconis: bins as wide as twice the interquartile range over the cube root of n.
func binCount(sorted []float64, s scale) int {
	n := len(sorted)
	spread := (s.at(sorted[3*n/4]) - s.at(sorted[n/4])) / (s.to - s.from)
	if spread <= 0 {
		return 20
	}
	return int(min(max(math.Cbrt(float64(n))/(2*spread), 8), 60))
}

func (p Histogram) scale(sorted []float64, from, to float64) (scale, sight) {
	want := wanted(to-from, 46)
	if p.Log {
		lo, hi := sorted[0], sorted[len(sorted)-1]
		return newLogScale(p.Unit, lo, hi, from, to, want), sight{lo: lo, hi: hi}
	}
	shown := look(sorted)
	return newScale(p.Unit, shown.lo, shown.hi, from, to, want), shown
}

// Draw draws the plot at a width.
func (p Histogram) Draw(width int) string {
	sorted, left := p.usable()
	if len(sorted) == 0 {
		return blank(width, p.Heading)
	}
	c := canvas{width: float64(width)}
	const top, bottom = 42.0, 222.0
	room := leftRoom(newScale("", 0, float64(len(sorted)), 0, 1, 4)) // counts never get wider than the total
	x, shown := p.scale(sorted, room, c.width-edge)
	counts := bins(sorted, x, binCount(sorted, x))
	tallest := 0.0
	for _, n := range counts {
		tallest = max(tallest, n)
	}
	y := newScale("", 0, tallest, bottom, top, int(min(tallest, 4)))
	c.leftAxis(y, room, c.width-edge, "")
	c.bottomAxis(x, bottom, bottom+3, p.Axis)
	c.text("soft", start, 0, 12, smallFont, p.noun()+"s")
	wide := (x.to - x.from) / float64(len(counts))
	for i, n := range counts {
		if n == 0 {
			continue
		}
		at := x.from + float64(i)*wide
		c.bar(1, "", at+0.5, y.at(n), wide-1, bottom-y.at(n), human.Plural(int(n), p.noun(), p.noun()+"s"))
	}
	m := median(sorted)
	at := x.at(m)
	c.path(2, "median", "M"+num(at)+" "+num(top-6)+"V"+num(bottom))
	label := "median " + human.Value(m, p.Unit)
	half := textWidth(label, smallFont) / 2
	c.text("tick", middle, min(max(at, half), c.width-half), top-11, smallFont, label)
	c.height = c.remark(bottom+bottomRoom, joinRemarks([]string{shown.remark(p.Unit, p.noun()), left}))
	return c.finish(p.Heading, p.Text())
}

// Text gives the quartiles.
func (p Histogram) Text() string {
	sorted, left := p.usable()
	n := len(sorted)
	if n == 0 {
		return nothing
	}
	return joinRemarks([]string{
		human.Plural(n, p.noun(), p.noun()+"s") + ": half between " + human.Value(sorted[n/4], p.Unit) + " and " +
			human.Value(sorted[3*n/4], p.Unit) + ", median " + human.Value(median(sorted), p.Unit) +
			", largest " + human.Value(sorted[n-1], p.Unit),
		left,
	})
}

// Lines draws the bins as one line of blocks, for a terminal.
func (p Histogram) Lines(width int) []string {
	sorted, _ := p.usable()
	if len(sorted) == 0 {
		return []string{nothing}
	}
	cells := min(max(width, 10), 60)
	x, _ := p.scale(sorted, 0, float64(cells))
	return append([]string{densitySparks(bins(sorted, x, cells)), textAxis(x, cells)}, human.Wrap(p.Text(), width)...)
}
