package mp3

// scales are the scale factors of one channel, in the order of the bands.
type scales struct {
	factors [maxBands]uint8
	illegal [maxBands]bool // MPEG-2 intensity: the band is not coded as a direction
}

// Widths in bits of the scale factors of lower and upper bands (MPEG-1).
var scaleBits = [2][16]int{
	{0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4},
	{0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3},
}

// raise is what emphasis adds to the scale factors of long blocks.
var raise = [22]uint8{11: 1, 1, 1, 1, 2, 2, 3, 3, 3, 2}

// read reads the factors of MPEG-1.
func (s *scales) read(b *bits, g *granule, reuse *[4]bool, second bool) {
	low, high := scaleBits[0][g.compress], scaleBits[1][g.compress]
	if g.block != 2 {
		for i, end := range [4]int{6, 11, 16, 21} {
			if second && reuse[i] {
				continue
			}
			width := low
			if i >= 2 {
				width = high
			}
			for k := [4]int{0, 6, 11, 16}[i]; k < end; k++ {
				s.factors[k] = uint8(b.take(width))
			}
		}
		clear(s.factors[21:])
		return
	}
	lower, all := 18, 36 // 6 and 12 bands of three windows
	if g.mixed {
		lower, all = 8+9, 8+9+18
	}
	for k := range all {
		width := low
		if k >= lower {
			width = high
		}
		s.factors[k] = uint8(b.take(width))
	}
	clear(s.factors[all:])
}

// groups is how many scale factors have each of four widths (ISO/IEC 13818-3, 2.4.3.2), by coding and layout.
var groups = [6][3][4]int{
	{{6, 5, 5, 5}, {9, 9, 9, 9}, {6, 9, 9, 9}},
	{{6, 5, 7, 3}, {9, 9, 12, 6}, {6, 9, 12, 6}},
	{{11, 10, 0, 0}, {18, 18, 0, 0}, {15, 18, 0, 0}},
	{{7, 7, 7, 0}, {12, 12, 12, 0}, {6, 15, 12, 0}},
	{{6, 6, 6, 3}, {12, 9, 9, 6}, {6, 12, 9, 6}},
	{{8, 8, 5, 0}, {15, 12, 9, 0}, {6, 18, 9, 0}},
}

// readLow reads the factors of MPEG-2 and 2.5; those of the right channel are directions with intensity stereo.
func (s *scales) readLow(b *bits, g *granule, directions bool) {
	coding, widths := lowCoding(g, directions)
	k := 0
	for i, n := range groups[coding][g.layout()] {
		for range n {
			v := b.take(widths[i])
			s.factors[k] = uint8(v)
			s.illegal[k] = directions && widths[i] > 0 && v == 1<<widths[i]-1
			k++
		}
	}
	clear(s.factors[k:])
	clear(s.illegal[k:])
}

// lowCoding takes the nine bits apart that say how wide the factors are.
func lowCoding(g *granule, directions bool) (coding int, widths [4]int) {
	c := g.compress
	if directions {
		c >>= 1
		switch {
		case c < 180:
			return 3, [4]int{c / 36, c % 36 / 6, c % 6, 0}
		case c < 244:
			c -= 180
			return 4, [4]int{c >> 4, c >> 2 & 3, c & 3, 0}
		}
		c -= 244
		return 5, [4]int{c / 3, c % 3, 0, 0}
	}
	switch {
	case c < 400:
		return 0, [4]int{(c >> 4) / 5, (c >> 4) % 5, c >> 2 & 3, c & 3}
	case c < 500:
		c -= 400
		return 1, [4]int{(c >> 2) / 5, (c >> 2) % 5, c & 3, 0}
	}
	c -= 500
	g.emphasis = true
	return 2, [4]int{c / 3, c % 3, 0, 0}
}

// gains are the factors by which the lines of each band are multiplied.
func (s *scales) gains(out *[maxBands + 1]float32, g *granule, b *bands, t *tables, ms bool) {
	gain := g.gain - 210
	if ms {
		gain -= 2 // sum and difference are then taken without dividing by the square root of 2
	}
	for i := range b.count {
		e := gain
		factor := s.factors[i]
		if i < b.long {
			if g.emphasis {
				factor += raise[i]
			}
		} else {
			e -= 8 * g.subGain[(i-b.long)%3]
		}
		out[i] = t.gain(e - int(factor)<<g.scaleStep)
	}
}
