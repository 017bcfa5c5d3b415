// Package plot draws figures as SVG, and as lines of text for terminals.
//
//	strip.go      every value as a dot, one row per series, median and interval marked
//	trend.go      values in the order of their steps
//	stack.go      what a step's time is made of
//	histogram.go  how often which value occurs
//	curves.go     one quantity over another, both logarithmic: rooflines, time over length
//	flame.go      which calls the time goes to, each below the one that made it
//	waterfall.go  from a start value to an end value, one change at a time
//
// They share the axes (axis.go), the choice of range and ticks (scale.go), thinning of what is
// too much to draw (thin.go) and the canvas (svg.go). Colours are CSS variables of plot.css,
// so a plot follows the page; without that style sheet it falls back to the light palette.
//
// Every plot draws anything it is given: no values, one value, equal values, NaN, a million values.
// What it leaves out it says in a remark.
package plot

import (
	_ "embed"
	"strings"
)

// CSS is the style sheet of the plots. It belongs into the page once.
//
//go:embed plot.css
var CSS string

// wideWidth is how wide a plot is drawn when nobody asks for another width.
const wideWidth = 720

// Series is named values of one row or line.
type Series struct {
	Name      string
	Values    []float64
	Low, High float64 // interval of the median; equal when there is none
}

// hasInterval reports whether there is an interval to mark.
func (s Series) hasInterval() bool { return s.Low < s.High }

const nothing = "no values to draw"

// joinRemarks makes one sentence line of the remarks that are not empty.
func joinRemarks(remarks []string) string {
	var kept []string
	for _, r := range remarks {
		if r != "" {
			kept = append(kept, r)
		}
	}
	return strings.Join(kept, "; ")
}
