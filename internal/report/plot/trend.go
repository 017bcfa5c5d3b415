package plot

import (
	"math"
	"slices"
	"strings"

	"saturate/internal/human"
)

// Trend shows values in the order in which they came.
type Trend struct {
	Heading string
	Axis    string // name of the value axis: "step time"
	Unit    string
	Noun    string   // what one value is: "step"
	Series  []Series // the i-th value belongs to the step First+i
	First   int
	Every   float64 // seconds from one value to the next, for an axis of time; 0 counts values
	Bands   []Band
}

// Band shades a stretch of steps, the last one included.
type Band struct {
	Name     string
	From, To int
}

// Title names the plot.
func (p Trend) Title() string { return p.Heading }

// SVG draws the plot at its usual width.
func (p Trend) SVG() string { return p.Draw(wideWidth) }

func (p Trend) noun() string {
	if p.Noun == "" {
		return "value"
	}
	return p.Noun
}

func (p Trend) sight() (shown sight, longest, left int) {
	var all [][]float64
	for _, s := range p.Series {
		sorted, dropped := sortedFinite(s.Values)
		all, left, longest = append(all, sorted), left+dropped, max(longest, len(s.Values))
	}
	return look(all...), longest, left
}

// Draw draws the plot at a width.
func (p Trend) Draw(width int) string {
	shown, longest, left := p.sight()
	if shown.nothing {
		return blank(width, p.Heading)
	}
	c := canvas{width: float64(width)}
	top := 22.0
	if len(p.Series) > 1 || len(p.Bands) > 0 {
		top += c.trendLegend(p)
	}
	bottom := top + 190
	y := newScale(p.Unit, shown.lo, shown.hi, bottom, top, 4)
	room := leftRoom(y)
	last := float64(p.First + longest - 1)
	x := scale{lo: float64(p.First), hi: max(last, float64(p.First)+1), from: room + edge, to: c.width - edge}
	x.ticks, x.unit = stepTicks(x.lo, x.hi, wanted(c.width-room, 34)), human.NewScale("")
	position, under := func(i int) float64 { return x.at(float64(p.First + i)) }, p.noun()
	if p.Every > 0 {
		x = newScale("s", 0, float64(longest)*p.Every, x.from, x.to, wanted(c.width-room, 60))
		x.hi, x.ticks = float64(longest)*p.Every, within(x.ticks, float64(longest)*p.Every)
		position, under = func(i int) float64 { return x.at((float64(i) + 0.5) * p.Every) }, "time"
	}

	for _, b := range p.Bands {
		from, to := x.at(float64(b.From)-0.5), x.at(float64(b.To)+0.5)
		c.bar(0, "band", from, top, max(to-from, 2), bottom-top, b.Name)
	}
	c.leftAxis(y, room, c.width, p.Axis)
	c.bottomAxis(x, bottom, bottom+3, under)
	drawn, all := 0, 0
	for i, s := range p.Series {
		kept := thinExtremes(s.Values, width)
		drawn, all = drawn+len(kept), all+len(s.Values)
		c.trendLine(color(i+1), s.Values, kept, position, y)
	}
	c.height = c.remark(bottom+bottomRoom, joinRemarks([]string{
		shown.remark(p.Unit, p.noun()), thinnedRemark(drawn, all-left, p.noun()), leftOutRemark(left, p.noun(), noNumber),
	}))
	return c.finish(p.Heading, p.Text())
}

func (c *canvas) trendLegend(p Trend) float64 {
	var names []string
	var inks []int
	if len(p.Series) > 1 {
		for i, s := range p.Series {
			names, inks = append(names, s.Name), append(inks, color(i+1))
		}
	}
	for _, b := range p.Bands {
		names, inks = append(names, b.Name), append(inks, 0)
	}
	return c.legend(0, names, inks)
}

// trendLine joins neighboring values; a value that is not finite leaves a gap.
func (c *canvas) trendLine(ink int, values []float64, kept []int, position func(int) float64, y scale) {
	var d strings.Builder
	points := make([]point, 0, len(kept))
	var beyond []point
	whole := len(kept) == len(values)
	previous := -2
	for _, i := range kept {
		pt := point{position(i), y.at(values[i])}
		if values[i] > y.hi {
			beyond = append(beyond, pt)
		} else {
			points = append(points, pt)
		}
		command := "L"
		if previous < 0 || !whole && hole(values[previous+1:i]) {
			command = "M"
		}
		d.WriteString(command + num(pt.x) + " " + num(pt.y))
		previous = i
	}
	c.path(ink, "trend", d.String())
	if len(points) <= 300 {
		c.dots(ink, 4.4, points)
	}
	c.arrows(ink, upwards, beyond)
}

func hole(between []float64) bool {
	for _, v := range between {
		if !isFinite(v) {
			return true
		}
	}
	return false
}

// within are the ticks that are not beyond the end.
func within(ticks []float64, end float64) []float64 {
	return slices.DeleteFunc(ticks, func(t float64) bool { return t > end })
}

// stepTicks are round step numbers, at least one apart.
func stepTicks(lo, hi float64, want int) []float64 {
	step := max(niceStep((hi-lo)/float64(want)), 1)
	var ticks []float64
	for t := math.Ceil(lo/step) * step; t <= hi && len(ticks) < 50; t += step {
		ticks = append(ticks, t)
	}
	return ticks
}

// Text gives the range of each series.
func (p Trend) Text() string {
	var parts []string
	for _, s := range p.Series {
		sorted, left := sortedFinite(s.Values)
		if len(sorted) == 0 {
			parts = append(parts, human.Line(s.Name)+": no values")
			continue
		}
		u := human.NewScale(p.Unit, sorted[0], median(sorted), sorted[len(sorted)-1])
		parts = append(parts, human.Line(s.Name)+": "+human.Plural(len(sorted), p.noun(), p.noun()+"s")+" between "+
			u.Number(sorted[0])+" and "+u.Value(sorted[len(sorted)-1])+", median "+u.Value(median(sorted)),
			leftOutRemark(left, p.noun(), noNumber))
	}
	if len(parts) == 0 {
		return nothing
	}
	return joinRemarks(parts)
}

// Lines draws one line of blocks per series, for a terminal: the largest value of each stretch of steps.
func (p Trend) Lines(width int) []string {
	shown, longest, _ := p.sight()
	if shown.nothing {
		return []string{nothing}
	}
	names := make([]string, len(p.Series))
	for i, s := range p.Series {
		names[i] = s.Name
	}
	label := labelColumn(names, width)
	cells := min(max(width-label-2, 10), longest)
	var lines []string
	for _, s := range p.Series {
		tops := make([]float64, cells)
		for i, v := range s.Values {
			if isFinite(v) {
				at := i * cells / longest
				tops[at] = max(tops[at], min(v, shown.hi))
			}
		}
		lines = append(lines, rowLabel(s.Name, label)+sparks(tops, shown.hi))
	}
	return append(lines, human.Wrap(p.Text(), width)...)
}
