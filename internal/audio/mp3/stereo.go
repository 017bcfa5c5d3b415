package mp3

import "math"

// midSide turns sum and difference into left and right; the gains have the factor.
func midSide(left, right []float32) {
	right = right[:len(left)]
	for i, m := range left {
		s := right[i]
		left[i], right[i] = m+s, m-s
	}
}

// intensity spreads the left channel over both where the right one has nothing: in the bands above its last line. The
// scale factors of the right channel are directions there. Other bands are sum and difference when ms is set.
func intensity(left, right *[lines]float32, g *granule, s *scales, b *bands, low, ms bool) {
	var found [3]bool // a line of the right channel was seen, in each window
	for i := b.count - 1; i >= 0; i-- {
		start := 0
		if i > 0 {
			start = b.ends[i-1]
		}
		l, r := left[start:b.ends[i]], right[start:b.ends[i]]
		window := 0
		if i >= b.long {
			window = (i - b.long) % 3
		}
		occupied := found[window]
		if i < b.long {
			occupied = found[0] || found[1] || found[2]
		}
		for k := 0; k < len(r) && !occupied; k++ {
			occupied = r[k] != 0
		}
		found[window] = occupied
		from := i // the topmost band has no factor of its own
		switch {
		case b.long < b.count && i >= b.count-3:
			from = i - 3
		case b.long == b.count && i == b.count-1:
			from = i - 1
		}
		direction := int(s.factors[from])
		if occupied || s.illegal[from] || !low && direction >= 7 {
			if ms {
				for k := range l {
					l[k], r[k] = l[k]*math.Sqrt2/2, r[k]*math.Sqrt2/2
				}
				midSide(l, r)
			}
			continue
		}
		a, c := directionGains(direction, low, g.compress&1 == 1)
		for k, v := range l {
			l[k], r[k] = v*a, v*c
		}
	}
}

// directionGains are the shares of left and right.
func directionGains(direction int, low, wide bool) (left, right float32) {
	if !low {
		if direction == 6 {
			return 1, 0
		}
		ratio := math.Tan(float64(direction) * math.Pi / 12)
		return float32(ratio / (1 + ratio)), float32(1 / (1 + ratio))
	}
	step := 0.25
	if wide {
		step = 0.5
	}
	g := float32(math.Exp2(-step * float64((direction+1)/2)))
	if direction%2 == 1 {
		return g, 1
	}
	return 1, g
}
