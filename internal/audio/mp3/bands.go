package mp3

// Widths of the scale factor bands (ISO/IEC 11172-3, table B.8; 13818-3, table B.2), by row of rates. In the row of
// 24,000 Hz ffmpeg has 52 and 64 for 54 and 62; these are those of LAME and mpg123, and come nearer to what was
// encoded.
var (
	longWidths = [9][22]int{
		{4, 4, 4, 4, 4, 4, 6, 6, 8, 8, 10, 12, 16, 20, 24, 28, 34, 42, 50, 54, 76, 158},
		{4, 4, 4, 4, 4, 4, 6, 6, 6, 8, 10, 12, 16, 18, 22, 28, 34, 40, 46, 54, 54, 192},
		{4, 4, 4, 4, 4, 4, 6, 6, 8, 10, 12, 16, 20, 24, 30, 38, 46, 56, 68, 84, 102, 26},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 18, 22, 26, 32, 38, 46, 54, 62, 70, 76, 36},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{12, 12, 12, 12, 12, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 76, 90, 2, 2, 2, 2, 2},
	}
	shortWidths = [9][13]int{
		{4, 4, 4, 4, 6, 8, 10, 12, 14, 18, 22, 30, 56},
		{4, 4, 4, 4, 6, 6, 10, 12, 14, 16, 20, 26, 66},
		{4, 4, 4, 4, 6, 8, 12, 16, 20, 26, 34, 42, 12},
		{4, 4, 4, 6, 6, 8, 10, 14, 18, 26, 32, 42, 18},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 32, 44, 12},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 30, 40, 18},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 30, 40, 18},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 30, 40, 18},
		{8, 8, 8, 12, 16, 20, 24, 28, 36, 2, 2, 2, 26},
	}
)

const maxBands = 39 // 13 bands of three windows

// bands are the places of the bands in the order of the codes.
type bands struct {
	count int
	long  int               // the first so many are long; then come three windows of each short band
	ends  [maxBands + 1]int // where band i ends; the one behind the last too, so that looking ahead is safe
}

// layout is how the lines of a granule are divided.
type layout int

const (
	longLayout layout = iota
	shortLayout
	mixedLayout
)

func (g *granule) layout() layout {
	switch {
	case g.mixed:
		return mixedLayout
	case g.block == 2:
		return shortLayout
	}
	return longLayout
}

// regions are the lines where the second and third table begin.
func (b *bands) regions(g *granule) (second, third int) {
	switch g.layout() {
	case shortLayout:
		return b.ends[8], lines // three bands of three windows
	case mixedLayout:
		return b.ends[b.long-1], lines
	}
	return b.ends[g.regions[0]-1], b.ends[min(g.regions[1]-1, maxBands)]
}

// makeBands lays out one row of rates.
func makeBands(rateIndex int, l layout) bands {
	var b bands
	at, short := 0, 0
	add := func(width int) {
		at += width
		b.ends[b.count] = at
		b.count++
	}
	switch l {
	case longLayout:
		b.long, short = 22, 13
	case mixedLayout: // the lowest three short bands are long ones instead
		b.long, short = 8, 3
		if rateIndex >= 3 {
			b.long = 6
		}
	}
	for _, w := range longWidths[rateIndex][:b.long] {
		add(w)
	}
	for _, w := range shortWidths[rateIndex][short:] {
		for range 3 {
			add(w)
		}
	}
	for i := b.count; i < len(b.ends); i++ {
		b.ends[i] = at
	}
	return b
}
