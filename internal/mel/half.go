package mel

import "math"

// Half gives the bits of the FP16 nearest to x, ties to even; NaN stays NaN.
func Half(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	size := b & 0x7fffffff
	const (
		smallestNormal = 113 << 23 // 2^-14
		tooLarge       = 143 << 23 // 2^16
	)
	switch {
	case size > 0x7f800000:
		return sign | 0x7e00
	case size >= tooLarge:
		return sign | 0x7c00
	case size >= smallestNormal:
		size -= 112 << 23
		return sign | uint16((size+0xfff+size>>13&1)>>13) // may carry into the exponent, up to infinity
	}
	// A subnormal is a multiple of 2^-24; float64 holds the product exactly.
	return sign | uint16(math.RoundToEven(float64(math.Float32frombits(size))*(1<<24)))
}

// Single gives the value of FP16 bits.
func Single(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h>>10&31), uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// clampHalf raises FP16 values to least, on their bits: where least is not negative the order is
// that of int16, where it is, sign and magnitude turn it round.
func clampHalf(p []uint16, least uint16) {
	if int16(least) >= 0 {
		for i, v := range p {
			p[i] = uint16(max(int16(v), int16(least)))
		}
		return
	}
	for i, v := range p {
		p[i] = min(v, least)
	}
}

func clampSingle(p []float32, least float32) {
	for i, v := range p {
		if v < least {
			p[i] = least
		}
	}
}
