package main

import "math"

// The 400-point DFT of real samples, by the prime-factor map 400 = 16·25: no twiddle factors
// stand between the two stages. Stage one takes 25 windowed real DFTs of 16 points, stage two
// seven complex and two real DFTs of 25 points, each 5·5, that leave powers in place.

// turned is a complex value with a real factor still to be applied: scale·(re + i·im).
type turned struct {
	re, im value
	scale  float64
}

// rotate multiplies by exp(-2πi·num/den). Quarter turns only rename; what is left is at most
// 45 degrees, and its cosine stays pending, so a rotation costs two instructions.
func (p *program) rotate(x turned, num, den int) turned {
	angle := float64(((num%den)+den)%den) / float64(den)
	quarters := int(math.Round(angle * 4))
	rest := (angle - float64(quarters)/4) * 2 * math.Pi
	for range quarters % 4 {
		x.re, x.im = x.im, neg(x.re)
	}
	if math.Abs(rest) < 1e-12 {
		return x
	}
	t := math.Tan(rest)
	return turned{p.axpy(t, x.im, x.re), p.axpy(-t, x.re, x.im), x.scale * math.Cos(rest)}
}

var (
	cos1, sin1 = math.Cos(2 * math.Pi / 5), math.Sin(2 * math.Pi / 5)
	cos2, sin2 = math.Cos(4 * math.Pi / 5), math.Sin(4 * math.Pi / 5)
)

// ratio is a/b, exactly one where only rounding keeps it from that.
func ratio(a, b float64) float64 {
	if r := a / b; math.Abs(r-1) > 1e-12 {
		return r
	}
	return 1
}

// dft5 is a complex 5-point DFT in 32 instructions, pending scales of x[1..4] included;
// x[0] must have none.
func (p *program) dft5(x [5]turned) (y [5]turned) {
	r4, r3 := ratio(x[4].scale, x[1].scale), ratio(x[3].scale, x[2].scale)
	s1, s2 := x[1].scale, x[2].scale
	u1re, u1im := p.axpy(r4, x[4].re, x[1].re), p.axpy(r4, x[4].im, x[1].im)
	v1re, v1im := p.axpy(-r4, x[4].re, x[1].re), p.axpy(-r4, x[4].im, x[1].im)
	u2re, u2im := p.axpy(r3, x[3].re, x[2].re), p.axpy(r3, x[3].im, x[2].im)
	v2re, v2im := p.axpy(-r3, x[3].re, x[2].re), p.axpy(-r3, x[3].im, x[2].im)
	line := func(k1, k2 float64, a, b, c value) value { return p.axpy(k2, b, p.axpy(k1, a, c)) }
	x0 := x[0]
	m1re, m1im := line(cos1*s1, cos2*s2, u1re, u2re, x0.re), line(cos1*s1, cos2*s2, u1im, u2im, x0.im)
	m2re, m2im := line(cos2*s1, cos1*s2, u1re, u2re, x0.re), line(cos2*s1, cos1*s2, u1im, u2im, x0.im)
	y[0] = turned{line(s1, s2, u1re, u2re, x0.re), line(s1, s2, u1im, u2im, x0.im), 1}
	k1 := sin1 * s1
	w1re, w1im := p.axpy(sin2*s2/k1, v2re, v1re), p.axpy(sin2*s2/k1, v2im, v1im)
	k2 := -sin1 * s2
	w2re, w2im := p.axpy(sin2*s1/k2, v1re, v2re), p.axpy(sin2*s1/k2, v1im, v2im)
	// m ∓ i·k·w
	y[1] = turned{p.axpy(k1, w1im, m1re), p.axpy(-k1, w1re, m1im), 1}
	y[4] = turned{p.axpy(-k1, w1im, m1re), p.axpy(k1, w1re, m1im), 1}
	y[2] = turned{p.axpy(k2, w2im, m2re), p.axpy(-k2, w2re, m2im), 1}
	y[3] = turned{p.axpy(-k2, w2im, m2re), p.axpy(k2, w2re, m2im), 1}
	return y
}

// dft5Real is a 5-point DFT of real values: output 0, which is real, then 1 and 2.
func (p *program) dft5Real(x [5]value) (y0 value, y1, y2 turned) {
	u1, v1 := p.add(x[1], x[4]), p.sub(x[1], x[4])
	u2, v2 := p.add(x[2], x[3]), p.sub(x[2], x[3])
	y0 = p.add(p.add(x[0], u1), u2)
	y1 = turned{
		p.axpy(cos2, u2, p.axpy(cos1, u1, x[0])),
		p.fma(p.number(-sin2), v2, p.mul(p.number(-sin1), v1)), 1,
	}
	y2 = turned{
		p.axpy(cos1, u2, p.axpy(cos2, u1, x[0])),
		p.fma(p.number(sin1), v2, p.mul(p.number(-sin2), v1)), 1,
	}
	return y0, y1, y2
}

func (p *program) power(x turned) value { return p.fma(x.im, x.im, p.mul(x.re, x.re)) }

// dft25 is a complex DFT of region Y, re and im of value n in slots 2n and 2n+1;
// the power of output k replaces slot 2k.
func (p *program) dft25() {
	var rows [5][5]turned
	for b := range 5 {
		var x [5]turned
		for a := range x {
			n := b + 5*a
			x[a] = turned{p.load("Y", 2*n), p.load("Y", 2*n+1), 1}
		}
		for d, y := range p.dft5(x) {
			rows[d][b] = y
		}
	}
	for d, x := range rows {
		for b := 1; b < 5; b++ {
			x[b] = p.rotate(x[b], b*d, 25)
		}
		for c, y := range p.dft5(x) {
			p.store("Y", 2*(d+5*c), p.power(y))
		}
	}
}

// dft25Real is a DFT of the 25 real values of region Y; the power of output k replaces slot k
// for k up to 12, the others being equal to those.
func (p *program) dft25Real() {
	var first [5]value
	var rows [3][5]turned
	for b := range 5 {
		var x [5]value
		for a := range x {
			x[a] = p.load("Y", b+5*a)
		}
		first[b], rows[1][b], rows[2][b] = p.dft5Real(x)
	}
	y0, y5, y10 := p.dft5Real(first)
	p.store("Y", 0, p.mul(y0, y0))
	p.store("Y", 5, p.power(y5))
	p.store("Y", 10, p.power(y10))
	for d := 1; d <= 2; d++ {
		x := rows[d]
		for b := 1; b < 5; b++ {
			x[b] = p.rotate(x[b], b*d, 25)
		}
		for c, y := range p.dft5(x) {
			k := d + 5*c
			p.store("Y", min(k, 25-k), p.power(y))
		}
	}
}

// dft16 is the windowed real DFT of column n2 = b + 5a for one b and every a. Sample
// (25·n1 + 16·n2) mod 400 of a frame lies in row r of region P<q> with 80q + r = that index for
// a = 0; from one a to the next the caller turns P0..P4 round by one. The window comes in the
// order of use. Outputs go to Y (complex rows) and Z (the two real rows), see slot.
func (p *program) dft16(b int) {
	sample := func(n1 int) value {
		n := (25*n1 + 16*b) % 400
		return p.load("P"+string(rune('0'+n/80)), n%80)
	}
	var s, d [8]value
	for _, j := range []int{0, 4, 2, 6, 1, 5, 3, 7} {
		x1, w1 := sample(j+8), p.broadcast("window", 16*b+j+8)
		t := p.mul(x1, w1)
		x0, w0 := sample(j), p.broadcast("window", 16*b+j)
		s[j] = p.fma(w0, x0, t)
		d[j] = p.fma(w0, x0, neg(t))
	}
	put := func(k1 int, re, im value) {
		p.store("Y", slot(k1, b), re)
		p.store("Y", slot(k1, b)+1, im)
	}
	// Odd outputs: a complex DFT-4 of (d[j] - i·d[j+4])·W16^j.
	const half = math.Sqrt2 / 2
	a2re, a2im := p.sub(d[2], d[6]), neg(p.add(d[2], d[6]))
	a1 := p.rotate(turned{d[1], neg(d[5]), 1}, 1, 16)
	a3 := p.rotate(turned{d[3], neg(d[7]), 1}, 3, 16)
	c := a1.scale
	ere, eim := p.axpy(half, a2re, d[0]), p.axpy(half, a2im, neg(d[4]))
	fre, fim := p.axpy(-half, a2re, d[0]), p.axpy(-half, a2im, neg(d[4]))
	gre, gim := p.add(a1.re, a3.re), p.add(a1.im, a3.im)
	hre, him := p.sub(a1.re, a3.re), p.sub(a1.im, a3.im)
	put(1, p.axpy(c, gre, ere), p.axpy(c, gim, eim))
	put(7, p.axpy(-c, gre, ere), p.fma(p.number(c), gim, neg(eim))) // conjugate of output 9
	put(5, p.axpy(c, him, fre), p.axpy(-c, hre, fim))
	put(3, p.axpy(-c, him, fre), p.fma(p.number(-c), hre, neg(fim))) // conjugate of output 13
	// Even outputs: a real DFT-8 of s.
	var e, o [4]value
	for j := range 4 {
		e[j], o[j] = p.add(s[j], s[j+4]), p.sub(s[j], s[j+4])
	}
	q, r := p.add(o[1], o[3]), p.sub(o[1], o[3])
	put(2, p.axpy(half, r, o[0]), p.fma(p.number(-half), q, neg(o[2])))
	put(6, p.axpy(-half, r, o[0]), p.axpy(-half, q, o[2]))
	f0, f1 := p.add(e[0], e[2]), p.add(e[1], e[3])
	put(4, p.sub(e[0], e[2]), p.sub(e[3], e[1]))
	p.store("Z", slot(0, b), p.add(f0, f1))
	p.store("Z", slot(8, b), p.sub(f0, f1))
}

// slot is where output k1 of column n2 lies in the work area, the real part where it has two:
// rows 0 and 8 are real and take 25 slots each, rows 1 to 7 are complex and take 50.
func slot(k1, n2 int) int {
	switch k1 {
	case 0:
		return n2
	case 8:
		return 25 + n2
	}
	return 50*k1 + 2*n2
}

// powerSlot is where the power of frequency k lies after both stages.
func powerSlot(k int) int {
	k1, k2 := k%16, k%25
	if k1 > 8 || (k1 == 0 || k1 == 8) && k2 > 12 { // as the spectrum of a real signal, P[k] = P[400-k]
		k1, k2 = (400-k)%16, (400-k)%25
	}
	return slot(k1, k2)
}
