package plot

import (
	"math"
	"strconv"
	"strings"

	"saturate/internal/human"
)

// Font sizes and the height of a line of labels, in units of the drawing.
const (
	smallFont = 11.5
	labelFont = 13
	lineHigh  = 18.0
	mostWords = 1000 // characters of a title or description: nobody listens to more
)

// fallback are the colours of a plot that is shown without plot.css; ink 0 is for "other" and totals.
var fallback = []string{"#878ea1", "#0e488b", "#a6350c", "#018056", "#5f2148", "#c88600", "#1f97f3", "#682cd2"}

// canvas collects the elements of one drawing. Everything is escaped here and nowhere else.
type canvas struct {
	b      strings.Builder
	width  float64
	height float64
}

// color is the number of a palette colour; beyond the palette it starts again.
func color(i int) int {
	if i <= 0 {
		return 0
	}
	return (i-1)%(len(fallback)-1) + 1
}

// num writes a coordinate to a tenth, as short as it goes.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escape(s string) string { return escaper.Replace(human.Line(s)) }

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.b.WriteString(`<line class="` + class + `" stroke="#c4c8cf" x1="` + num(x1) + `" y1="` + num(y1) +
		`" x2="` + num(x2) + `" y2="` + num(y2) + `"/>`)
}

// bar is a filled rectangle; a hover text says what it stands for.
func (c *canvas) bar(fill int, class string, x, y, w, h float64, hover string) {
	c.b.WriteString(`<rect class="` + strings.TrimSpace("f"+strconv.Itoa(fill)+" "+class) + `" fill="` + fallback[fill] + `" x="` + num(x) +
		`" y="` + num(y) + `" width="` + num(max(w, 0)) + `" height="` + num(max(h, 0)) + `" rx="2"`)
	if hover == "" {
		c.b.WriteString("/>")
		return
	}
	c.b.WriteString("><title>" + escape(human.Clip(hover, mostWords)) + "</title></rect>")
}

// path is a line without filling.
func (c *canvas) path(stroke int, class, d string) {
	if d == "" {
		return
	}
	c.b.WriteString(`<path class="` + strings.TrimSpace("k"+strconv.Itoa(stroke)+" "+class) + `" fill="none" stroke="` + fallback[stroke] + `" d="` + d + `"/>`)
}

// dots draws many points as one path: a round pen set down without moving.
func (c *canvas) dots(stroke int, diameter float64, points []point) {
	if len(points) == 0 {
		return
	}
	var d strings.Builder
	for _, p := range points {
		d.WriteString("M" + num(p.x) + " " + num(p.y) + "h0")
	}
	c.b.WriteString(`<path class="dots k` + strconv.Itoa(stroke) + `" fill="none" stroke-linecap="round" stroke="` + fallback[stroke] +
		`" stroke-width="` + num(diameter) + `" d="` + d.String() + `"/>`)
}

// spot is one point with a hover text.
func (c *canvas) spot(fill int, x, y, radius float64, hover string) {
	c.b.WriteString(`<circle class="f` + strconv.Itoa(fill) + ` seam" fill="` + fallback[fill] + `" cx="` + num(x) + `" cy="` + num(y) + `" r="` + num(radius) + `"><title>` +
		escape(human.Clip(hover, mostWords)) + "</title></circle>")
}

// arrows marks points that lie beyond the end of an axis, in the direction where they lie.
func (c *canvas) arrows(fill int, shape string, points []point) {
	if len(points) == 0 {
		return
	}
	var d strings.Builder
	for _, p := range points {
		d.WriteString("M" + num(p.x) + " " + num(p.y) + shape)
	}
	c.b.WriteString(`<path class="f` + strconv.Itoa(fill) + `" fill="` + fallback[fill] + `" d="` + d.String() + `"/>`)
}

// Shapes of arrows, with their tip at the point.
const (
	upwards   = "l-4 7h8z"
	rightward = "l-7 -4v8z"
)

// Anchors of a text.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

func (c *canvas) text(class, anchor string, x, y, size float64, s string) {
	c.b.WriteString(`<text class="` + class + `" font-size="` + num(size) + `" x="` + num(x) + `" y="` + num(y) + `"`)
	if anchor != start {
		c.b.WriteString(` text-anchor="` + anchor + `"`)
	}
	c.b.WriteString(">" + escape(s) + "</text>")
}

// finish wraps the elements; title and description are for those who cannot see the drawing.
func (c *canvas) finish(title, description string) string {
	w, h := num(c.width), num(c.height)
	return `<svg class="plot" role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ` + w + " " + h +
		`" width="` + w + `" height="` + h + `" font-family="system-ui, sans-serif" fill="#4b5563"><title>` + escape(human.Clip(title, mostWords)) +
		"</title><desc>" + escape(human.Clip(description, mostWords)) + "</desc>" + c.b.String() + "</svg>"
}

// blank is the drawing of no values.
func blank(width int, title string) string {
	c := canvas{width: float64(width), height: 60}
	c.text("soft", middle, c.width/2, 34, labelFont, nothing)
	return c.finish(title, nothing)
}

// textWidth is about how wide a text is drawn; it errs on the wide side, since fonts differ.
func textWidth(s string, size float64) float64 {
	return float64(human.Width(human.Line(s))) * size * 0.6
}

// fit cuts a text to a width in units of the drawing.
func fit(s string, size, width float64) string {
	return human.Clip(human.Line(s), int(width/(size*0.6)))
}

// header writes a row's name and its figures, on two lines where one is too short, and returns the y below it.
func (c *canvas) header(y float64, name, figures string) float64 {
	y += lineHigh - 5
	if textWidth(name, labelFont*1.1)+10+textWidth(figures, smallFont) <= c.width {
		c.b.WriteString(`<text class="name" font-size="` + num(labelFont) + `" y="` + num(y) + `">` + escape(name) +
			`<tspan class="soft" font-size="` + num(smallFont) + `" dx="10">` + escape(figures) + "</tspan></text>")
		return y + 5
	}
	c.text("name", start, 0, y, labelFont, fit(name, labelFont*1.1, c.width))
	if figures != "" {
		y += lineHigh - 2
		c.text("soft", start, 0, y, smallFont, fit(figures, smallFont, c.width))
	}
	return y + 5
}

// legend writes swatches with their names, as many per line as fit, and returns the y below it.
func (c *canvas) legend(y float64, names []string, colors []int) float64 {
	x := 0.0
	for i, name := range names {
		name = fit(name, smallFont, c.width-20)
		w := 16 + textWidth(name, smallFont) + 16
		if x > 0 && x+w-16 > c.width {
			x, y = 0, y+lineHigh
		}
		c.bar(colors[i], "", x, y+3, 10, 10, "")
		c.text("soft", start, x+15, y+12, smallFont, name)
		x += w
	}
	return y + lineHigh + 8
}

// remark writes what the reader must know about the drawing, wrapped, and returns the y below it.
func (c *canvas) remark(y float64, text string) float64 {
	if text == "" {
		return y
	}
	for _, l := range human.Wrap(text, int(c.width/(smallFont*0.56))) {
		y += lineHigh - 3
		c.text("soft", start, 0, y, smallFont, l)
	}
	return y + 4
}

type point struct{ x, y float64 }
