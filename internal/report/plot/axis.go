package plot

import "math"

// Room for the labels of an axis.
const (
	bottomRoom = 38.0
	edge       = 8.0 // keeps dots and labels at the ends inside the drawing
)

// wanted is how many ticks fit on a length when each label takes about the given width.
func wanted(length, label float64) int {
	return max(int(math.Round(length/(label+60))), 2)
}

// bottomAxis draws vertical grid lines from top to y, ticks' labels under them, and the axis' name.
func (c *canvas) bottomAxis(s scale, top, y float64, name string) {
	limit := math.Inf(-1)
	for _, t := range s.ticks {
		x := s.at(t)
		c.line("grid", x, top, x, y)
		label := s.label(t)
		half := textWidth(label, smallFont) / 2
		at := min(max(x, half), c.width-half)
		if at-half < limit {
			continue
		}
		limit = at + half + 6
		c.text("tick", middle, at, y+15, smallFont, label)
	}
	c.text("soft", end, max(s.from, s.to), y+31, smallFont, axisName(name, s))
}

// leftAxis draws horizontal grid lines from x to right with labels left of them, and the axis' name above.
func (c *canvas) leftAxis(s scale, x, right float64, name string) {
	c.text("soft", start, 0, min(s.from, s.to)-13, smallFont, axisName(name, s))
	for _, t := range s.ticks {
		y := s.at(t)
		c.line("grid", x, y, right, y)
		c.text("tick", end, x-6, y+4, smallFont, s.label(t))
	}
}

// leftRoom is how much the labels of a left axis take.
func leftRoom(s scale) float64 {
	room := 0.0
	for _, t := range s.ticks {
		room = max(room, textWidth(s.label(t), smallFont))
	}
	return room + 8
}

// axisName adds the unit to a name: "step time (ms)".
func axisName(name string, s scale) string {
	switch {
	case s.log || s.unit.Unit == "":
		return name
	case name == "":
		return s.unit.Unit
	}
	return name + " (" + s.unit.Unit + ")"
}
