package plot

import (
	"math"
	"strings"

	"saturate/internal/human"
)

// Strip shows every value as a dot, one row per series on a shared axis.
type Strip struct {
	Heading    string
	Axis       string // name of the value axis: "step time"
	Unit       string // of the values, without prefix: "s"
	Noun       string // what one value is: "step"
	Confidence float64
	Series     []Series
}

// Title names the plot.
func (p Strip) Title() string { return p.Heading }

// SVG draws the plot at its usual width.
func (p Strip) SVG() string { return p.Draw(wideWidth) }

// stripRow is a series made ready to draw.
type stripRow struct {
	Series
	sorted []float64
	left   int // values that are not finite
}

func (p Strip) rows() (rows []stripRow, shown sight) {
	var all [][]float64
	for _, s := range p.Series {
		r := stripRow{Series: s}
		r.sorted, r.left = sortedFinite(s.Values)
		rows, all = append(rows, r), append(all, r.sorted)
	}
	return rows, look(all...)
}

// Draw draws the plot at a width.
func (p Strip) Draw(width int) string {
	rows, shown := p.rows()
	if shown.nothing {
		return blank(width, p.Heading)
	}
	c := canvas{width: float64(width)}
	const band = 46.0
	x := newScale(p.Unit, shown.lo, shown.hi, edge, c.width-edge, wanted(c.width, 40))

	// The rows are drawn after the grid but decide where it ends: lay them out first.
	body := canvas{width: c.width}
	y, diameter := 0.0, stripDiameter(rows, x, band)
	for i, r := range rows {
		y = body.header(y, r.Name, p.figures(r))
		body.stripBand(color(i+1), r, x, diameter, y, band)
		y += band + 12
	}
	c.bottomAxis(x, 0, y, p.Axis)
	c.b.WriteString(body.b.String())
	c.height = c.remark(y+bottomRoom, p.remark(rows, shown))
	return c.finish(p.Heading, p.Text())
}

// piles counts the values that share a column of dots of the given diameter.
func piles(values []float64, x scale, diameter float64) (piled map[int]int, deepest int) {
	piled, deepest = map[int]int{}, 1
	for _, v := range values {
		k := column(v, x, diameter)
		piled[k]++
		deepest = max(deepest, piled[k])
	}
	return piled, deepest
}

func column(v float64, x scale, diameter float64) int { return int(math.Round(x.at(v) / diameter)) }

// stripDiameter is the largest size of dots whose piles fit into a band, for all rows the same.
func stripDiameter(rows []stripRow, x scale, high float64) float64 {
	sizes := []float64{6, 4.6, 3.4, 2.4}
	for _, d := range sizes {
		deepest := 1
		for _, r := range rows {
			_, n := piles(thinRanks(r.sorted, mostDots), x, d)
			deepest = max(deepest, n)
		}
		if (high-d)/float64(deepest) >= 0.55*d {
			return d
		}
	}
	return sizes[len(sizes)-1]
}

// stripBand piles the dots of a row around its middle, then marks interval and median.
func (c *canvas) stripBand(ink int, r stripRow, x scale, diameter, top, high float64) {
	if len(r.sorted) == 0 {
		c.text("soft", start, edge, top+high/2+4, smallFont, nothing)
		return
	}
	values := thinRanks(r.sorted, mostDots)
	piled, deepest := piles(values, x, diameter)
	gap := min(diameter*0.92, (high-diameter)/float64(deepest))
	mid := top + high/2
	placed := map[int]int{}
	var points, beyond []point
	for _, v := range values {
		k := column(v, x, diameter)
		p := point{x.at(v), mid + (float64(placed[k])-float64(piled[k]-1)/2)*gap}
		placed[k]++
		if v > x.hi {
			beyond = append(beyond, p)
		} else {
			points = append(points, p)
		}
	}
	c.dots(ink, diameter, points)
	c.arrows(ink, rightward, beyond)
	if r.hasInterval() {
		low, high, y := num(x.at(r.Low)), num(x.at(r.High)), num(top+high+3)
		c.path(ink, "interval", "M"+low+" "+y+"m0-3v6m0-3H"+high+"m0-3v6")
	}
	m := num(x.at(median(r.sorted)))
	c.path(ink, "median", "M"+m+" "+num(top-1)+"V"+num(top+high+6))
}

// figures is what stands beside a row's name.
func (p Strip) figures(r stripRow) string {
	if len(r.sorted) == 0 {
		return "no values"
	}
	m := median(r.sorted)
	u := human.NewScale(p.Unit, m)
	var b strings.Builder
	b.WriteString("median " + u.Value(m))
	if r.hasInterval() {
		b.WriteString(" (")
		if p.Confidence > 0 {
			b.WriteString(human.Percent(p.Confidence) + " interval ")
		}
		b.WriteString(u.Number(r.Low) + "…" + u.Number(r.High) + ")")
	}
	return b.String() + ", " + human.Plural(len(r.sorted), p.noun(), p.noun()+"s")
}

func (p Strip) noun() string {
	if p.Noun == "" {
		return "value"
	}
	return p.Noun
}

func (p Strip) remark(rows []stripRow, shown sight) string {
	left, drawn, all := 0, 0, 0
	for _, r := range rows {
		left += r.left
		drawn += min(len(r.sorted), mostDots)
		all += len(r.sorted)
	}
	return joinRemarks([]string{
		shown.remark(p.Unit, p.noun()), thinnedRemark(drawn, all, p.noun()), leftOutRemark(left, p.noun(), noNumber),
	})
}

// Text gives the figures of each row.
func (p Strip) Text() string {
	rows, shown := p.rows()
	if shown.nothing {
		return nothing
	}
	parts, left := make([]string, len(rows)), 0
	for i, r := range rows {
		parts[i] = human.Line(r.Name) + ": " + p.figures(r)
		left += r.left
	}
	return joinRemarks(append(parts, leftOutRemark(left, p.noun(), noNumber)))
}

// Lines draws each row as a density on a shared axis, for a terminal.
func (p Strip) Lines(width int) []string {
	rows, shown := p.rows()
	if shown.nothing {
		return []string{nothing}
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	label := labelColumn(names, width)
	cells := max(width-label-2, 10)
	x := newScale(p.Unit, shown.lo, shown.hi, 0, float64(cells), 4)
	var lines []string
	for _, r := range rows {
		counts := make([]float64, cells)
		for _, v := range r.sorted {
			counts[min(int(x.at(v)), cells-1)]++
		}
		lines = append(lines, rowLabel(r.Name, label)+densitySparks(counts))
		lines = append(lines, under(p.figures(r), label, width)...)
	}
	lines = append(lines, rowLabel("", label)+textAxis(x, cells))
	if remark := p.remark(rows, shown); remark != "" {
		lines = append(lines, human.Wrap(remark, width)...)
	}
	return lines
}
