package mel

import "math"

// logDegree is that of the polynomial for log2 on [1, 2): its error is 3e-7.
const logDegree = 7

// logTable holds what turns an energy 2^e·m, m in [1, 2), into a value: a polynomial in m - 1.5 plus
// factor·e. The middle of the range as its origin keeps the rounding of coefficients small, and
// the constant term goes to the exponent's share first: so values near zero, where FP16 is finest,
// are sums of small numbers. The assembly knows this layout.
type logTable struct {
	poly   [logDegree + 1]float32
	factor float32
	least  float32
}

func newLogTable(p Params) logTable {
	factor, offset := p.affine()
	factor *= math.Log10(2)
	t := logTable{factor: float32(factor), least: leastEnergy}
	for i, c := range log2Polynomial() {
		c *= factor
		if i == 0 {
			// The error of a rounded factor grows with the exponent: start it where values are zero.
			zero := -offset / factor
			c += offset - zero*(float64(t.factor)-factor)
		}
		t.poly[i] = float32(c)
	}
	return t
}

// log2Polynomial interpolates log2(x + 1.5) on [-0.5, 0.5] at Chebyshev's points.
func log2Polynomial() (poly [logDegree + 1]float64) {
	const n = logDegree + 1
	var at, c [n]float64
	for i := range at {
		at[i] = 0.5 * math.Cos(math.Pi*(float64(i)+0.5)/n)
		c[i] = math.Log2(at[i] + 1.5)
	}
	for j := 1; j < n; j++ { // divided differences
		for i := n - 1; i >= j; i-- {
			c[i] = (c[i] - c[i-1]) / (at[i] - at[i-j])
		}
	}
	for i := n - 1; i >= 0; i-- { // poly = poly·(x - at[i]) + c[i]
		for k := n - 1; k > 0; k-- {
			poly[k] = poly[k-1] - at[i]*poly[k]
		}
		poly[0] = c[i] - at[i]*poly[0]
	}
	return poly
}

// values replaces energies by their scaled logarithms, and gives the largest of them and top.
func (t *logTable) values(row *[goLanes]float32, top float32) float32 {
	c, least, factor := t.poly, t.least, t.factor
	for i, energy := range row {
		if !(energy > least) {
			energy = least
		}
		b := math.Float32bits(energy)
		e := float32(int32(b-0x3f800000) >> 23)
		x := math.Float32frombits(b&0x007fffff|0x3f800000) - 1.5
		// Pairs first: the chain of dependent operations is half as long as by Horner's rule.
		x2 := x * x
		low := (c[1] + c[2]*x) + x2*(c[3]+c[4]*x)
		high := (c[5] + c[6]*x) + x2*c[7]
		v := (c[0] + factor*e) + x*(low+x2*x2*high)
		if v > top {
			top = v
		}
		row[i] = v
	}
	return top
}
