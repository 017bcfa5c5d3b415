package mp3

// side is the side information of a frame: how its granules are coded.
type side struct {
	begin    int        // bytes before this frame in which its data begins
	reuse    [2][4]bool // second granule: groups of scale factors that are those of the first
	granules [2][2]granule
}

// granule is 576 lines of one channel.
type granule struct {
	length    int // bits of scale factors and codes
	pairs     int // of lines, coded with the tables; then come quadruples
	gain      int
	compress  int // how wide scale factors are
	block     int // 0 long, 1 start, 2 short, 3 stop
	mixed     bool
	tables    [3]int
	regions   [2]int // bands where the second and third table begin, when the blocks are long
	subGain   [3]int // short blocks: of each window
	emphasis  bool   // upper scale factors are raised
	scaleStep uint   // 1: scale factors in half powers of 2; 2: in whole ones
	quadTable int
}

const lines = 576

// read takes the side information apart.
func (s *side) read(b *bits, h *Header) {
	granules := 2
	if h.low {
		granules = 1
		s.begin = b.take(8)
		b.take(h.Channels)
		s.reuse = [2][4]bool{}
	} else {
		s.begin = b.take(9)
		b.take(7 - 2*h.Channels) // private bits: 5 or 3
		for c := range h.Channels {
			for i := range 4 {
				s.reuse[c][i] = b.flag()
			}
		}
	}
	for i := range granules {
		for c := range h.Channels {
			s.granules[i][c].read(b, h.low)
		}
	}
}

func (g *granule) read(b *bits, low bool) {
	*g = granule{length: b.take(12), pairs: b.take(9), gain: b.take(8)}
	if low {
		g.compress = b.take(9)
	} else {
		g.compress = b.take(4)
	}
	if b.flag() {
		g.block = b.take(2)
		g.mixed = b.flag() && g.block == 2
		g.tables = [3]int{b.take(5), b.take(5), 0}
		g.subGain = [3]int{b.take(3), b.take(3), b.take(3)}
		g.regions = [2]int{8, maxBands}
	} else {
		g.tables = [3]int{b.take(5), b.take(5), b.take(5)}
		g.regions[0] = b.take(4) + 1
		g.regions[1] = g.regions[0] + b.take(3) + 1
	}
	if !low {
		g.emphasis = b.flag()
	}
	g.scaleStep = 1 + uint(b.take(1))
	g.quadTable = b.take(1)
}
