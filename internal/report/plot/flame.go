package plot

import (
	"cmp"
	"slices"
	"strings"

	"saturate/internal/human"
)

// Flame draws calls below the call that made them, each as wide as its share of the time.
type Flame struct {
	Heading string
	Calls   []Call // the outermost ones
	Remark  string
}

// Call is a function and what it called. What its calls leave of Share is its own.
type Call struct {
	Name    string
	Note    string // its place, for those who point at it: "collate.py:14"
	Share   float64
	Foreign bool // of a library: drawn paler
	Calls   []Call
}

const (
	callHigh = 19.0
	deepest  = 40 // rows: deeper calls are left to their caller
)

// Title names the plot.
func (p Flame) Title() string { return p.Heading }

// SVG draws the plot at its usual width.
func (p Flame) SVG() string { return p.Draw(wideWidth) }

// Draw draws the plot at a width.
func (p Flame) Draw(width int) string {
	if len(p.drawable()) == 0 {
		return blank(width, p.Heading)
	}
	c := canvas{width: float64(width)}
	at, rows := 0.0, 0
	for i, call := range p.drawable() {
		rows = max(rows, c.call(call, color(i+1), at, 0, 0))
		at += call.Share * c.width
	}
	c.height = c.remark(float64(rows)*(callHigh+1)+2, p.Remark)
	return c.finish(p.Heading, p.Text())
}

// drawable are the outermost calls, as far as they fit.
func (p Flame) drawable() []Call { return fitting(p.Calls, 1) }

// fitting leaves out calls that have no width, or that their caller has no room for.
func fitting(calls []Call, room float64) (kept []Call) {
	for _, call := range calls {
		if isFinite(call.Share) && call.Share > 0 && call.Share <= room*1.0001 {
			kept = append(kept, call)
			room -= call.Share
		}
	}
	return kept
}

// call draws one call and those below it, and returns the row under the lowest.
func (c *canvas) call(call Call, ink int, x float64, row, depth int) (rows int) {
	w := call.Share * c.width
	if w < 0.8 || depth == deepest {
		return row
	}
	class, y := "call seam", float64(row)*(callHigh+1)
	if call.Foreign {
		class = "foreign seam"
	}
	c.bar(ink, class, x, y, w, callHigh, call.says())
	if label := fit(call.Name, smallFont, w-8); w > 34 && label != "" {
		c.text("inside", start, x+4, y+callHigh-5.5, smallFont, label)
	}
	rows = row + 1
	for _, below := range fitting(call.Calls, call.Share) {
		rows = max(rows, c.call(below, ink, x, row+1, depth+1))
		x += below.Share * c.width
	}
	return rows
}

func (call Call) says() string {
	text := human.Line(call.Name) + " " + human.Percent(call.Share)
	if call.Note != "" {
		text += ", " + human.Line(call.Note)
	}
	return text
}

// costs are the calls whose own time is largest.
func (p Flame) costs() []Call {
	var all []Call
	var walk func(calls []Call, room float64)
	walk = func(calls []Call, room float64) {
		for _, call := range fitting(calls, room) {
			walk(call.Calls, call.Share)
			for _, below := range fitting(call.Calls, call.Share) {
				call.Share -= below.Share
			}
			all = append(all, call)
		}
	}
	walk(p.Calls, 1)
	slices.SortStableFunc(all, func(a, b Call) int {
		return cmp.Compare(b.Share, a.Share)
	})
	return all
}

// Text names the calls that cost most.
func (p Flame) Text() string {
	var said []string
	costs := p.costs()
	for _, call := range costs[:min(len(costs), 5)] {
		said = append(said, call.says())
	}
	if len(said) == 0 {
		return nothing
	}
	return strings.Join(said, "; ")
}

// Lines draws the calls as an indented list, for a terminal.
func (p Flame) Lines(width int) []string {
	var lines []string
	var walk func(calls []Call, room float64, indent int)
	walk = func(calls []Call, room float64, indent int) {
		for _, call := range fitting(calls, room) {
			if call.Share < 0.02 || indent > 12 {
				continue
			}
			lines = append(lines, human.Clip(human.PadLeft(human.Percent(call.Share), 6)+"  "+strings.Repeat("  ",
				indent)+strings.TrimSpace(human.Line(call.Name)+"  "+human.Line(call.Note)), width))
			walk(call.Calls, call.Share, indent+1)
		}
	}
	walk(p.Calls, 1, 0)
	if len(lines) == 0 {
		return []string{nothing}
	}
	return lines
}
