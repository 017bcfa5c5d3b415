package plot

import (
	"math"
	"strings"

	"saturate/internal/human"
)

// Waterfall leads from a start value to an end value, one change at a time.
type Waterfall struct {
	Heading string
	Axis    string
	Unit    string
	From    string // name of the start: "before"
	To      string // name of the end: "after"
	Start   float64
	Changes []Change
}

// Change is one step of the ladder. A dropped one was tried and not kept: it is shown and not summed.
type Change struct {
	Name    string
	Delta   float64
	Note    string // "95% interval −0.52…−0.48 s", "dropped: slower"
	Dropped bool
}

// Title names the plot.
func (p Waterfall) Title() string { return p.Heading }

// SVG draws the plot at its usual width.
func (p Waterfall) SVG() string { return p.Draw(wideWidth) }

// usable reports whether a change can be drawn.
func (c Change) usable() bool { return isFinite(c.Delta) }

// course is the value before each change and, last, the end.
func (p Waterfall) course() []float64 {
	at := p.Start
	course := []float64{at}
	for _, c := range p.Changes {
		if c.usable() && !c.Dropped {
			at += c.Delta
		}
		course = append(course, at)
	}
	return course
}

func (p Waterfall) end() float64 {
	c := p.course()
	return c[len(c)-1]
}

func (p Waterfall) reach() (lo, hi float64) {
	for i, at := range p.course() {
		lo, hi = min(lo, at), max(hi, at)
		if i < len(p.Changes) && p.Changes[i].usable() {
			lo, hi = min(lo, at+p.Changes[i].Delta), max(hi, at+p.Changes[i].Delta)
		}
	}
	return lo, hi
}

// Draw draws the plot at a width.
func (p Waterfall) Draw(width int) string {
	if !isFinite(p.Start) || p.Start == 0 && len(p.Changes) == 0 {
		return blank(width, p.Heading)
	}
	c := canvas{width: float64(width)}
	lo, hi := p.reach()
	x := newScale(p.Unit, lo, hi, edge, c.width-edge, wanted(c.width, 40))
	u := human.NewScale(p.Unit, lo, hi, p.Start, p.end())
	course := p.course()
	const high, gap = 18.0, 10.0

	body := canvas{width: c.width}
	y := body.header(0, p.From, u.Value(p.Start))
	total := func(v float64) {
		from, to := min(x.at(0), x.at(v)), max(x.at(0), x.at(v))
		body.bar(0, "", from, y, to-from, high, u.Value(v))
	}
	total(p.Start)
	for i, change := range p.Changes {
		top := y
		y += high + gap
		y = body.header(y, change.Name, p.figures(change, u))
		if !change.usable() {
			y -= high
			continue
		}
		a, b := x.at(course[i]), x.at(course[i]+change.Delta)
		c.path(0, "link", "M"+num(a)+" "+num(top+high)+"V"+num(y))
		body.bar(change.ink(), change.class(), min(a, b), y, max(math.Abs(b-a), 1.5), high, change.Name+": "+p.figures(change,
			u))
	}
	y += high + gap
	y = body.header(y, p.To, p.endFigures(u))
	total(p.end())
	y += high + 8
	c.bottomAxis(x, 0, y, p.Axis)
	c.b.WriteString(body.b.String())
	c.height = y + bottomRoom
	return c.finish(p.Heading, p.Text())
}

// ink is green for what saves, vermilion for what costs; the sign says it too.
func (c Change) ink() int {
	switch {
	case c.Delta < 0:
		return 3
	case c.Delta > 0:
		return 2
	}
	return 0
}

func (c Change) class() string {
	if c.Dropped {
		return "dropped"
	}
	return ""
}

func (p Waterfall) figures(c Change, u human.Scale) string {
	figures := human.Missing
	if c.usable() {
		figures = u.Value(c.Delta)
		if c.Delta > 0 {
			figures = "+" + figures
		}
	}
	if c.Note != "" {
		figures += ", " + human.Line(c.Note)
	}
	return figures
}

func (p Waterfall) endFigures(u human.Scale) string {
	figures := u.Value(p.end())
	if p.Start != 0 && isFinite(p.Start) {
		figures += " (" + human.Change(p.end()/p.Start) + ")"
	}
	return figures
}

// Text gives start, changes and end.
func (p Waterfall) Text() string {
	if !isFinite(p.Start) {
		return nothing
	}
	lo, hi := p.reach()
	u := human.NewScale(p.Unit, lo, hi, p.Start, p.end())
	parts := []string{human.Line(p.From) + " " + u.Value(p.Start)}
	for _, c := range p.Changes {
		parts = append(parts, human.Line(c.Name)+" "+p.figures(c, u))
	}
	return strings.Join(append(parts, human.Line(p.To)+" "+p.endFigures(u)), "; ")
}

// Lines draws the ladder as bars of characters, for a terminal.
func (p Waterfall) Lines(width int) []string {
	if !isFinite(p.Start) {
		return []string{nothing}
	}
	lo, hi := p.reach()
	u := human.NewScale(p.Unit, lo, hi, p.Start, p.end())
	names, figures := []string{p.From}, []string{u.Value(p.Start)}
	for _, c := range p.Changes {
		names, figures = append(names, c.Name), append(figures, p.figures(c, u))
	}
	names, figures = append(names, p.To), append(figures, p.endFigures(u))
	label := labelColumn(names, width)
	cells := min(max(width-label-2-30, 10), 50)
	x := newScale(p.Unit, lo, hi, 0, float64(cells), 4)
	course := p.course()
	line := func(i int, from, to float64, r rune) string {
		a, b := int(x.at(min(from, to))+0.5), int(x.at(max(from, to))+0.5)
		bar := strings.Repeat(" ", a) + strings.Repeat(string(r), max(b-a, 1))
		return rowLabel(names[i], label) + human.PadRight(bar, cells) + "  " + figures[i]
	}
	lines := []string{line(0, 0, p.Start, '█')}
	for i, c := range p.Changes {
		if !c.usable() {
			lines = append(lines, rowLabel(names[i+1], label)+human.PadRight("", cells)+"  "+figures[i+1])
			continue
		}
		shade := '▓'
		if c.Dropped {
			shade = '░'
		}
		lines = append(lines, line(i+1, course[i], course[i]+c.Delta, shade))
	}
	return append(lines, line(len(names)-1, 0, p.end(), '█'))
}
