package kernel

import "math"

// The inner loops in plain Go.

// goWidth columns of two rows are what the registers of amd64 hold, with their operands.
const goWidth = 4

func panelGo(c []float32, cStep int, a []float32, aStep int, b []float32, rows, cols, depth int, add bool) {
	b = b[:depth*goWidth]
	for row := 0; row < rows; row += 2 {
		next := min(row+1, rows-1) // a row without a partner is its own
		sums := tileGo(a[row*aStep:][:depth], a[next*aStep:][:depth], b)
		for i := row; i <= next; i++ {
			to, sums := c[i*cStep:][:cols], sums[i-row]
			for j := range to {
				if add {
					to[j] += sums[j]
				} else {
					to[j] = sums[j]
				}
			}
		}
	}
}

// tileGo is two rows of A times a panel of B.
func tileGo(x, y, b []float32) [2][goWidth]float32 {
	var x0, x1, x2, x3, y0, y1, y2, y3 float32
	y = y[:len(x)]
	for k, v := range x {
		w := y[k]
		if len(b) < goWidth {
			break
		}
		x0 += v * b[0]
		y0 += w * b[0]
		x1 += v * b[1]
		y1 += w * b[1]
		x2 += v * b[2]
		y2 += w * b[2]
		x3 += v * b[3]
		y3 += w * b[3]
		b = b[goWidth:]
	}
	return [2][goWidth]float32{{x0, x1, x2, x3}, {y0, y1, y2, y3}}
}

func largestGo(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

func timesGo(x []float32, factor float32) {
	for i := range x {
		x[i] *= factor
	}
}

func triadGo(to, a, b []float32, factor float32) {
	a, b = a[:len(to)], b[:len(to)]
	for i := range to {
		to[i] = a[i] + factor*b[i]
	}
}

// The exponential: x = n·ln 2 + r with |r| ≤ ln 2 / 2, and e^r by a polynomial. ln 2 is held in two
// parts; n times the first one is exact.
const (
	log2e  = 1.44269504088896341
	ln2Hi  = 0.693359375
	ln2Lo  = -2.12194440e-4
	expC0  = 1.9875691500e-4
	expC1  = 1.3981999507e-3
	expC2  = 8.3334519073e-3
	expC3  = 4.1665795894e-2
	expC4  = 1.6666665459e-1
	expC5  = 5.0000001201e-1
	expMin = -87.33654 // e to this is the smallest normal number; what lies below becomes zero
	magic  = 3 << 22   // adding and taking it away rounds to a whole number
)

// exp32 is e^x for x ≤ 0; NaN stays NaN.
func exp32(x float32) float32 {
	if x < expMin {
		return 0
	}
	n := float32(x*log2e) + magic
	n -= magic
	r := float32(x-float32(n*ln2Hi)) - float32(n*ln2Lo)
	p := float32(expC0)
	p = p*r + expC1
	p = p*r + expC2
	p = p*r + expC3
	p = p*r + expC4
	p = p*r + expC5
	p = p*(r*r) + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func expsGo(x []float32, largest, scale float32) float32 {
	sum := 0.0
	for i, v := range x {
		v = exp32(float32(v-largest) * scale)
		x[i] = v
		sum += float64(v)
	}
	return float32(sum)
}
