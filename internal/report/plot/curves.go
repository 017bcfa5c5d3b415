package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/human"
)

// Curves shows quantities over another one, both on logarithmic axes: time over length, speed over intensity.
type Curves struct {
	Heading string
	X, Y    Axis
	Curves  []Curve
}

// Axis is what is measured along one side. Ticks, where they are set, are the only values labelled.
type Axis struct {
	Name, Unit string
	Ticks      []float64
}

// Curve is one line or one set of points. Only positive, finite ones have a place on the axes.
type Curve struct {
	Name   string
	Points []Point
	Kind   CurveKind
}

// Point is one value; Name is shown when the pointer rests on it.
type Point struct {
	X, Y float64
	Name string
}

// CurveKind says how a curve is drawn.
type CurveKind int

const (
	joined CurveKind = iota // points and a line
	Spots                   // points alone
	Limit                   // a line alone, in grey: what cannot be passed
	Claim                   // the same, dashed: what somebody says
)

// Title names the plot.
func (p Curves) Title() string { return p.Heading }

// SVG draws the plot at its usual width.
func (p Curves) SVG() string { return p.Draw(wideWidth) }

// drawable are the points that have a place, and how many have none.
func (c Curve) drawable() (kept []Point, left int) {
	for _, pt := range c.Points {
		if pt.X > 0 && pt.Y > 0 && isFinite(pt.X) && isFinite(pt.Y) {
			kept = append(kept, pt)
		} else {
			left++
		}
	}
	return kept, left
}

// ink is the colour of the curve at i: limits are grey, the others are counted.
func (p Curves) ink(i int) int {
	if p.Curves[i].Kind == Limit || p.Curves[i].Kind == Claim {
		return 0
	}
	n := 0
	for _, c := range p.Curves[:i+1] {
		if c.Kind == joined || c.Kind == Spots {
			n++
		}
	}
	return color(n)
}

// Draw draws the plot at a width.
func (p Curves) Draw(width int) string {
	var xs, ys []float64
	left := 0
	for _, c := range p.Curves {
		kept, gone := c.drawable()
		left += gone
		for _, pt := range kept {
			xs, ys = append(xs, pt.X), append(ys, pt.Y)
		}
	}
	if len(xs) == 0 {
		return blank(width, p.Heading)
	}
	c := canvas{width: float64(width)}
	var names []string
	var inks []int
	for i, curve := range p.Curves {
		names, inks = append(names, curve.Name), append(inks, p.ink(i))
	}
	top := 22 + c.legend(0, names, inks)
	bottom := top + 240
	y := tightLogScale(p.Y, ys, bottom, top, 5)
	room := leftRoom(y)
	x := tightLogScale(p.X, xs, room+edge, c.width-edge, wanted(c.width-room, 40))
	c.leftAxis(y, room, c.width, p.Y.Name)
	c.bottomAxis(x, bottom, bottom+3, p.X.Name)
	for i, curve := range p.Curves {
		c.curve(p.ink(i), curve, x, y)
	}
	c.height = c.remark(bottom+bottomRoom, leftOutRemark(left, "point", notPositive))
	return c.finish(p.Heading, p.Text())
}

func (c *canvas) curve(ink int, curve Curve, x, y scale) {
	kept, _ := curve.drawable()
	if curve.Kind != Spots {
		var d strings.Builder
		for i, pt := range kept {
			d.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + num(x.at(pt.X)) + " " + num(y.at(pt.Y)))
		}
		class := map[CurveKind]string{joined: "trend", Limit: "limit", Claim: "limit claim"}[curve.Kind]
		c.path(ink, class, d.String())
	}
	if curve.Kind == joined || curve.Kind == Spots {
		for _, pt := range kept {
			c.spot(ink, x.at(pt.X), y.at(pt.Y), 4.5, pt.Name)
		}
	}
}

// tightLogScale covers the values and little more. Its ticks are given, or one, two and five times powers of ten.
func tightLogScale(axis Axis, values []float64, from, to float64, want int) scale {
	lo, hi := slices.Min(values), slices.Max(values)
	lo, hi = max(lo/1.15, math.SmallestNonzeroFloat64), min(hi*1.15, math.MaxFloat64)
	if math.Log(hi)-math.Log(lo) < 0.5 {
		lo, hi = max(lo/1.5, math.SmallestNonzeroFloat64), min(hi*1.5, math.MaxFloat64)
	}
	s := scale{lo: lo, hi: hi, from: from, to: to, log: true, plain: axis.Unit}
	if len(axis.Ticks) > 0 {
		s.ticks = axis.Ticks
		return s
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	steps := []float64{1}
	if last-first <= 3 {
		steps = []float64{1, 2, 5}
	}
	every := max(1, math.Ceil((last-first)/float64(max(want, 1))))
	for e := first; e <= last; e += every {
		for _, m := range steps {
			if v := m * math.Pow(10, e); v >= lo && v <= hi {
				s.ticks = append(s.ticks, v)
			}
		}
	}
	return s
}

// Text gives the ends of each curve.
func (p Curves) Text() string {
	var parts []string
	for _, c := range p.Curves {
		kept, left := c.drawable()
		if len(kept) == 0 {
			parts = append(parts, human.Line(c.Name)+": no values")
			continue
		}
		first, last := kept[0], kept[len(kept)-1]
		text := human.Line(c.Name) + ": " + p.at(first)
		if len(kept) > 1 {
			text += " to " + p.at(last)
		}
		parts = append(parts, text, leftOutRemark(left, "point", notPositive))
	}
	if len(parts) == 0 {
		return nothing
	}
	return joinRemarks(parts)
}

func (p Curves) at(pt Point) string {
	return human.Value(pt.Y, p.Y.Unit) + " at " + shortest(pt.X, p.X.Unit)
}

// shortest writes a value without needless digits: 512, 0.5 FLOP/B.
func shortest(v float64, unit string) string {
	s := human.NewScale(unit, v)
	text := strconv.FormatFloat(v/s.Factor(), 'g', 3, 64)
	if v/s.Factor() >= 1000 {
		text = s.WithDecimals(0).Number(v)
	}
	if s.Unit == "" {
		return text
	}
	return text + " " + s.Unit
}

// Lines lists the points of each curve, for a terminal.
func (p Curves) Lines(width int) []string {
	names := make([]string, len(p.Curves))
	for i, c := range p.Curves {
		names[i] = c.Name
	}
	label := labelColumn(names, width)
	var lines []string
	for _, c := range p.Curves {
		kept, _ := c.drawable()
		var points []string
		for _, pt := range kept {
			points = append(points, p.at(pt))
		}
		text := strings.Join(points, ", ")
		if text == "" {
			text = nothing
		}
		for i, l := range human.Wrap(text, max(width-label-2, 20)) {
			name := ""
			if i == 0 {
				name = c.Name
			}
			lines = append(lines, rowLabel(name, label)+l)
		}
	}
	if len(lines) == 0 {
		return []string{nothing}
	}
	return lines
}
