package plot

import (
	"slices"
	"strings"

	"saturate/internal/human"
)

// Stack shows what wholes are made of, one bar per whole on a shared axis.
type Stack struct {
	Heading string
	Axis    string // name of the value axis: "time per step"
	Unit    string
	Bars    []Bar
	First   []string // parts that choose their colours first, shown or not, so that the plots of a page agree
}

// Bar is one whole.
type Bar struct {
	Name  string
	Parts []Part
}

// Part is one piece of a whole.
type Part struct {
	Name  string
	Value float64
}

// Title names the plot.
func (p Stack) Title() string { return p.Heading }

// SVG draws the plot at its usual width.
func (p Stack) SVG() string { return p.Draw(wideWidth) }

// known gives the parts of a step, as runs and as traces name them, the same color in every plot; "other" is grey.
var known = map[string]int{
	"data": 2, "h2d": 5, "forward": 1, "backward": 6, "optimizer": 3, "other": 0,
	"waiting for data": 2, "H2D copy": 5, "compute": 1, "host code": 3, "launching": 4, "sync wait": 6, "communication": 7,
}

// inks chooses a colour for each part's name: for those of First, then in the order of first appearance.
func (p Stack) inks() (names []string, inks map[string]int) {
	inks = map[string]int{}
	next := 1
	taken := map[int]bool{}
	for _, name := range p.First {
		if ink, ok := known[name]; ok {
			taken[ink] = true
		}
	}
	for _, b := range p.Bars {
		for _, part := range b.Parts {
			if ink, ok := known[part.Name]; ok {
				taken[ink] = true
			}
		}
	}
	choose := func(name string) {
		ink, ok := inks[name]
		if !ok {
			ink, ok = known[name]
		}
		for !ok {
			ink, next = color(next), next+1
			ok = !taken[ink] || next > len(fallback)
		}
		inks[name] = ink
	}
	for _, name := range p.First {
		choose(name)
	}
	for _, b := range p.Bars {
		for _, part := range b.Parts {
			choose(part.Name)
			if !slices.Contains(names, part.Name) {
				names = append(names, part.Name)
			}
		}
	}
	return names, inks
}

// total is the sum of the parts that can be drawn.
func (b Bar) total() float64 {
	sum := 0.0
	for _, part := range b.Parts {
		sum += part.size()
	}
	return sum
}

// size is what a part takes of the bar: nothing when it is negative or no number.
func (p Part) size() float64 {
	if !isFinite(p.Value) || p.Value < 0 {
		return 0
	}
	return p.Value
}

func (p Stack) longest() float64 {
	longest := 0.0
	for _, b := range p.Bars {
		longest = max(longest, b.total())
	}
	return longest
}

// undrawable counts the parts that have no length.
func (p Stack) undrawable() (n int) {
	for _, b := range p.Bars {
		for _, part := range b.Parts {
			if !isFinite(part.Value) || part.Value < 0 {
				n++
			}
		}
	}
	return n
}

// Draw draws the plot at a width.
func (p Stack) Draw(width int) string {
	longest := p.longest()
	if longest == 0 {
		return blank(width, p.Heading)
	}
	c := canvas{width: float64(width)}
	names, inks := p.inks()
	numbers := make([]int, len(names))
	for i, n := range names {
		numbers[i] = inks[n]
	}
	top := c.legend(0, names, numbers)
	x := newScale(p.Unit, 0, longest, 0, c.width, wanted(c.width, 40))
	u := human.NewScale(p.Unit, longest)

	body := canvas{width: c.width}
	y := top
	for _, b := range p.Bars {
		total := b.total()
		y = body.header(y, b.Name, u.Value(total))
		at := 0.0
		for _, part := range b.Parts {
			size := part.size()
			if size == 0 {
				continue
			}
			from, to := x.at(at), x.at(at+size)
			at += size
			value := human.Value(size, p.Unit)
			share := human.Percent(size / total)
			body.bar(inks[part.Name], "seam", from, y, to-from, 24, part.Name+": "+value+", "+share)
			for _, label := range []string{part.Name + " " + share, share} {
				if textWidth(label, smallFont) <= to-from-4 { // apart from the next one
					body.text("tick", start, from+1, y+38, smallFont, label)
					break
				}
			}
		}
		y += 24 + 14 + 12
	}
	c.bottomAxis(x, top, y, p.Axis)
	c.b.WriteString(body.b.String())
	c.height = c.remark(y+bottomRoom, leftOutRemark(p.undrawable(), "part", withoutWidth))
	return c.finish(p.Heading, p.Text())
}

// Text gives each bar's parts.
func (p Stack) Text() string {
	if p.longest() == 0 {
		return nothing
	}
	bars := make([]string, len(p.Bars))
	for i, b := range p.Bars {
		bars[i] = human.Line(b.Name) + " " + human.Value(b.total(), p.Unit) + ": " + b.shares(", ")
	}
	return joinRemarks(append(bars, leftOutRemark(p.undrawable(), "part", withoutWidth)))
}

func (b Bar) shares(separator string) string {
	total := b.total()
	var parts []string
	for _, part := range b.Parts {
		if part.size() > 0 {
			parts = append(parts, human.Line(part.Name)+" "+human.Percent(part.size()/total))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, separator)
}

// Lines draws each bar as shades, for a terminal.
func (p Stack) Lines(width int) []string {
	longest := p.longest()
	if longest == 0 {
		return []string{nothing}
	}
	names, inks := p.inks()
	shade := map[string]rune{}
	var legend []string
	for _, n := range names {
		shade[n] = shades[(inks[n]+len(shades)-1)%len(shades)] // as fixed as the color; "other" is the last
		legend = append(legend, string(shade[n])+" "+human.Line(n))
	}
	labels := make([]string, len(p.Bars))
	for i, b := range p.Bars {
		labels[i] = b.Name
	}
	label := labelColumn(labels, width)
	u := human.NewScale(p.Unit, longest)
	cells := float64(max(width-label-4-human.Width(u.Value(longest)), 10))
	lines := human.Wrap(strings.Join(legend, "  "), width)
	for _, b := range p.Bars {
		var bar strings.Builder
		at, drawn := 0.0, 0
		for _, part := range b.Parts {
			at += part.size()
			for ; drawn < int(at/longest*cells+0.5); drawn++ {
				bar.WriteRune(shade[part.Name])
			}
		}
		lines = append(lines, rowLabel(b.Name, label)+bar.String()+"  "+u.Value(b.total()))
		lines = append(lines, under(b.shares(" · "), label, width)...)
	}
	return lines
}
