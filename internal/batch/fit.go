package batch

import (
	"cmp"
	"math"
	"slices"
)

// Fit is memory over batch size: Fixed + Each·b + Square·b².
type Fit struct {
	Fixed  float64 `json:"fixed"`            // bytes that do not depend on the batch size
	Each   float64 `json:"each"`             // bytes a sample
	Square float64 `json:"square,omitempty"` // bytes that grow with the square of the batch size
	Missed float64 `json:"missed"`           // by what share the largest batch misses the line through the two before it
}

// Point is bytes at a batch size.
type Point struct {
	Batch int     `json:"batch"`
	Bytes float64 `json:"bytes"`
}

// straight is how far a third point may lie off the line through the first two.
const straight = 0.03

// newFit fits points of different batch sizes. The last two say most about what comes after them: small batches hide
// behind workspaces and rounding. Where the last of three lies above the line of the others by more than 3%, memory
// grows faster than the batch, as attention can, and a parabola goes through them. Below the line it does not bend:
// that would promise too much.
func newFit(points []Point) Fit {
	points = sorted(points)
	n := len(points)
	switch n {
	case 0:
		return Fit{}
	case 1: // nothing is known about what is fixed: assume that all of it grows
		return Fit{Each: points[0].Bytes / float64(points[0].Batch)}
	case 2:
		return line(points[0], points[1])
	}
	last := points[n-3:]
	f := line(last[0], last[1])
	missed := last[2].Bytes/f.At(last[2].Batch) - 1
	if missed > straight {
		f = parabola(last[0], last[1], last[2])
	} else {
		f = line(last[1], last[2])
		if missed > -straight {
			f = leastSquares(last)
		}
	}
	f.Missed = missed
	return f
}

// straightFit is the line through the two largest batches.
func straightFit(points []Point) Fit {
	points = sorted(points)
	return newFit(points[max(0, len(points)-2):])
}

func sorted(points []Point) []Point {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Batch, b.Batch) })
	return slices.CompactFunc(points, func(a, b Point) bool { return a.Batch == b.Batch })
}

func line(a, b Point) Fit {
	each := max(0, (b.Bytes-a.Bytes)/float64(b.Batch-a.Batch))
	return Fit{Fixed: b.Bytes - each*float64(b.Batch), Each: each}
}

// leastSquares makes the relative errors small, so that the largest point, which the prediction starts from, is not the
// only one that counts.
func leastSquares(points []Point) Fit {
	var w, wx, wy, wxx, wxy float64
	for _, p := range points {
		x, weight := float64(p.Batch), 1/(p.Bytes*p.Bytes)*float64(p.Batch*p.Batch)
		w, wx, wy, wxx, wxy = w+weight, wx+weight*x, wy+weight*p.Bytes, wxx+weight*x*x, wxy+weight*x*p.Bytes
	}
	det := w*wxx - wx*wx
	if det <= 0 || math.IsNaN(det) {
		return line(points[len(points)-2], points[len(points)-1])
	}
	each := max(0, (w*wxy-wx*wy)/det)
	return Fit{Fixed: (wy - each*wx) / w, Each: each}
}

func parabola(a, b, c Point) Fit {
	xa, xb, xc := float64(a.Batch), float64(b.Batch), float64(c.Batch)
	ab, bc := (b.Bytes-a.Bytes)/(xb-xa), (c.Bytes-b.Bytes)/(xc-xb)
	square := (bc - ab) / (xc - xa)
	each := ab - square*(xa+xb)
	return Fit{Fixed: a.Bytes - each*xa - square*xa*xa, Each: each, Square: square}
}

// At is the memory of a batch size.
func (f Fit) At(batch int) float64 {
	x := float64(batch)
	return f.Fixed + f.Each*x + f.Square*x*x
}

// Largest is the largest batch that needs at most so many bytes; most where memory does not grow with the batch.
func (f Fit) Largest(bytes float64, most int) int {
	low, high := 0, most
	for low < high {
		mid := low + (high-low+1)/2
		if f.At(mid) <= bytes {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// round makes a batch size a round number that is at most 6% smaller.
func round(batch int) int {
	for _, to := range []struct{ from, multiple int }{{512, 16}, {128, 8}, {64, 4}, {32, 2}} {
		if batch >= to.from {
			return batch / to.multiple * to.multiple
		}
	}
	return batch
}
