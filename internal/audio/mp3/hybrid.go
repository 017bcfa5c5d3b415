package mp3

import "math"

// The inverse MDCT turns 18 lines of each subband into 36 values, the first half of which is added to the second half
// of the granule before. It is a DCT-IV of 18 points, seen through symmetries; that is a DCT-III of 18 with scaled
// results, and the DCT-III are two of 9 in the same way. The last scales are part of the windows.

const (
	subbands = 32
	slots    = 18 // samples of a subband in a granule
)

// hybridTables are the windows and the alias reduction.
type hybridTables struct {
	windows [2][4][2 * slots]float32 // odd subbands have every other sample inverted; by type of block
	short   [12]float32
	half18  [9]float32 // 1/(2 cos) of the odd half
	half6   [3]float32
	keep    [8]float32
	cross   [8]float32
}

func (t *hybridTables) make() {
	for i, c := range [8]float64{-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037} {
		t.keep[i] = float32(1 / math.Sqrt(1+c*c))
		t.cross[i] = float32(c / math.Sqrt(1+c*c))
	}
	for j := range t.half18 {
		t.half18[j] = float32(0.5 / math.Cos(math.Pi/36*float64(2*j+1)))
	}
	for j := range t.half6 {
		t.half6[j] = float32(0.5 / math.Cos(math.Pi/12*float64(2*j+1)))
	}
	for block := range 4 {
		for i := range 2 * slots {
			w := longWindow(block, i) * unfold(i, 2*slots)
			t.windows[0][block][i] = float32(w)
			if i%slots%2 == 1 {
				w = -w
			}
			t.windows[1][block][i] = float32(w)
		}
	}
	for i := range t.short {
		t.short[i] = float32(math.Sin(math.Pi/12*(float64(i)+0.5)) * unfold(i, 12))
	}
}

// longWindow is the window of 36 values; start and stop blocks lead to short ones and back.
func longWindow(block, i int) float64 {
	long := math.Sin(math.Pi / 36 * (float64(i) + 0.5))
	if block == 3 {
		i = 35 - i // a stop block is a start block backwards
	}
	switch {
	case block != 1 && block != 3 || i < 18:
		return long
	case i < 24:
		return 1
	case i < 30:
		return math.Sin(math.Pi / 12 * (float64(i-18) + 0.5))
	}
	return 0
}

// unfold is the sign and scale with which value i of n is taken from the DCT.
func unfold(i, n int) float64 {
	j, sign := i+n/4, 1.0
	switch {
	case j >= n:
		j, sign = j-n, -1
	case j >= n/2:
		j, sign = n-1-j, -1
	}
	return sign * 0.5 / math.Cos(math.Pi/float64(2*n)*float64(2*j+1))
}

// hybrid turns lines into the samples of the subbands, in place: 18 of the first subband, 18 of the second and so on.
// Of the lines, those from used on are zero. The overlap is zero from subband live on, and the new bound is returned.
func (t *hybridTables) hybrid(x, overlap *[lines]float32, g *granule, used, live int) int {
	filled := (used + slots - 1) / slots
	switch {
	case g.block != 2:
		t.unalias(x, min(filled, subbands-1))
		filled = min(filled+1, subbands)
	case g.mixed:
		t.unalias(x, 1)
		filled = max(filled, 2)
	}
	for sb := range filled {
		in, over := (*[slots]float32)(x[sb*slots:]), (*[slots]float32)(overlap[sb*slots:])
		switch {
		case g.block == 2 && !(g.mixed && sb < 2):
			t.imdctShort(in, over, sb&1 == 1)
		case g.mixed:
			t.imdct(in, over, &t.windows[sb&1][0])
		default:
			t.imdct(in, over, &t.windows[sb&1][g.block])
		}
	}
	rest, end := filled*slots, max(live, filled)*slots
	copy(x[rest:end], overlap[rest:end])
	clear(overlap[rest:end])
	clear(x[end:])
	return filled
}

// unalias undoes what the filters of neighboring subbands share, at the first n borders.
func (t *hybridTables) unalias(x *[lines]float32, n int) {
	for border := 1; border <= n; border++ {
		below, above := (*[8]float32)(x[border*slots-8:]), (*[8]float32)(x[border*slots:])
		for i := range 8 {
			a, b := below[7-i], above[i]
			below[7-i] = a*t.keep[i] - b*t.cross[i]
			above[i] = b*t.keep[i] + a*t.cross[i]
		}
	}
}

// imdct does one subband of a long block.
func (t *hybridTables) imdct(x, overlap *[slots]float32, w *[2 * slots]float32) {
	var even, odd [9]float32
	// Neighbours are added twice: first for the DCT-IV of 18, then for the odd half, a DCT-IV of 9.
	even[0], odd[0] = x[0], x[1]+x[0]
	for k := 1; k < 9; k++ {
		even[k] = x[2*k] + x[2*k-1]
		odd[k] = x[2*k+1] + x[2*k] + x[2*k-1] + x[2*k-2]
	}
	dct9(&even)
	dct9(&odd)
	for j := range 9 {
		e, o := even[j], odd[j]*t.half18[j]
		low, high := e+o, e-o // results j and 17-j
		x[8-j] = overlap[8-j] + high*w[8-j]
		x[9+j] = overlap[9+j] + high*w[9+j]
		overlap[8-j] = low * w[26-j]
		overlap[9+j] = low * w[27+j]
	}
}

// Cosines of 10° and so on.
const (
	cos10 = 0.98480775301220805937
	cos20 = 0.93969262078590838405
	cos30 = 0.86602540378443864676
	cos40 = 0.76604444311897803520
	cos50 = 0.64278760968653932632
	cos70 = 0.34202014332566873304
	cos80 = 0.17364817766693034885
)

// dct9 is a DCT-III of 9 points, in place: even inputs give the symmetric, odd ones the antisymmetric part.
func dct9(a *[9]float32) {
	half6 := a[0] + a[6]*0.5
	e0 := half6 + a[2]*cos20 + a[4]*cos40 + a[8]*cos80
	e2 := half6 - a[2]*cos80 - a[4]*cos20 + a[8]*cos40
	e3 := half6 - a[2]*cos40 + a[4]*cos80 - a[8]*cos20
	rest, axis := a[2]-a[4]-a[8], a[0]-a[6]
	e1, e4 := axis+rest*0.5, axis-rest
	third := a[3] * cos30
	o0 := a[1]*cos10 + third + a[5]*cos50 + a[7]*cos70
	o1 := (a[1] - a[5] - a[7]) * cos30
	o2 := a[1]*cos50 - third - a[5]*cos70 + a[7]*cos10
	o3 := a[1]*cos70 - third + a[5]*cos10 - a[7]*cos50
	a[0], a[8] = e0+o0, e0-o0
	a[1], a[7] = e1+o1, e1-o1
	a[2], a[6] = e2+o2, e2-o2
	a[3], a[5] = e3+o3, e3-o3
	a[4] = e4
}

// imdctShort does one subband of three short blocks, whose lines are interleaved.
func (t *hybridTables) imdctShort(x, overlap *[slots]float32, odd bool) {
	var sum [2 * slots]float32
	copy(sum[:], overlap[:])
	for window := range 3 {
		y := (*[12]float32)(sum[6+6*window:])
		in := func(k int) float32 { return x[3*k+window] }
		even := [3]float32{in(0), in(2) + in(1), in(4) + in(3)}
		diff := [3]float32{in(1) + in(0), in(3) + in(2) + in(1) + in(0), in(5) + in(4) + in(3) + in(2)}
		dct3(&even)
		dct3(&diff)
		for j := range 3 {
			e, o := even[j], diff[j]*t.half6[j]
			low, high := e+o, e-o
			y[2-j] += high * t.short[2-j]
			y[3+j] += high * t.short[3+j]
			y[8-j] += low * t.short[8-j]
			y[9+j] += low * t.short[9+j]
		}
	}
	if odd {
		// The overlap was stored inverted already: only what is new changes its sign.
		for i := 1; i < slots; i += 2 {
			sum[i] = 2*overlap[i] - sum[i]
			sum[slots+i] = -sum[slots+i]
		}
	}
	copy(x[:], sum[:slots])
	copy(overlap[:], sum[slots:])
}

// dct3 is a DCT-III of 3 points.
func dct3(a *[3]float32) {
	e, o := a[0]+a[2]*0.5, a[1]*cos30
	a[0], a[1], a[2] = e+o, a[0]-a[2], e-o
}

// reorder brings short lines from band, window, frequency to frequency, window, and returns the new bound of used
// lines.
func reorder(x *[lines]float32, b *bands, used int) int {
	var in [lines]float32
	copy(in[:used], x[:used])
	start := 0
	if b.long > 0 {
		start = b.ends[b.long-1]
	}
	for i := b.long; i < b.count && start < used; i += 3 {
		width := b.ends[i] - start
		for k := range width {
			x[start+3*k] = in[start+k]
			x[start+3*k+1] = in[start+width+k]
			x[start+3*k+2] = in[start+2*width+k]
		}
		start += 3 * width
	}
	return max(used, start)
}
