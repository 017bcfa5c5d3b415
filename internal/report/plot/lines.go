package plot

import (
	"math"
	"strings"

	"saturate/internal/human"
)

// blocks are eighths of a character cell, lowest first.
var blocks = []rune("▁▂▃▄▅▆▇█")

// sparks draws values between zero and the largest as one line of blocks; zero is a space.
func sparks(values []float64, largest float64) string {
	var b strings.Builder
	for _, v := range values {
		if !isFinite(v) || v <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(blocks[min(int(v/largest*float64(len(blocks))), len(blocks)-1)])
	}
	return b.String()
}

// densitySparks draws counts so that single values next to a crowd stay visible.
func densitySparks(counts []float64) string {
	roots, largest := make([]float64, len(counts)), 0.0
	for i, n := range counts {
		roots[i] = math.Sqrt(n)
		largest = max(largest, roots[i])
	}
	return sparks(roots, largest)
}

// labelColumn is how wide the names left of a text drawing may be.
func labelColumn(names []string, width int) int {
	w := 0
	for _, n := range names {
		w = max(w, human.Width(human.Line(n)))
	}
	return min(w, max(width/3, 8))
}

// under writes a text below a row, wrapped beside the names.
func under(text string, label, width int) []string {
	lines := human.Wrap(text, max(width-label-2, 20))
	for i := range lines {
		lines[i] = rowLabel("", label) + lines[i]
	}
	return lines
}

func rowLabel(name string, width int) string {
	return human.PadRight(human.Clip(human.Line(name), width), width) + "  "
}

// textAxis writes the lowest and the highest value under a text drawing.
func textAxis(s scale, cells int) string {
	lo, hi := s.unit.Value(s.lo), s.unit.Value(s.hi)
	if s.log {
		lo, hi = s.label(s.lo), s.label(s.hi)
	}
	return lo + strings.Repeat(" ", max(cells-human.Width(lo)-human.Width(hi), 1)) + hi
}

// shades tell the parts of a text bar apart without colour.
var shades = []rune("█▒▓░▚▞╳·")
