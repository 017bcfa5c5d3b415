package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A gather transposes samples: column l of row n becomes sample 160·l + n, for lanes+2 columns.
// RSI points to the samples, RDX to the rows. The load ports put 128-bit pieces of different
// frames beside each other, so the shuffle port has only the 4×4 part inside the pieces left.

// pieces loads 16 bytes of every frame and transposes them as 32-bit elements.
func (t *isa) pieces(row int) []reg.VecPhysical {
	a, b := t.v[0:4], t.v[4:8]
	for j := range 4 {
		t.VMOVUPS(at(reg.RSI, j*row), t.x[j])
		for q := 1; q < t.lanes/4; q++ {
			m := at(reg.RSI, (j+4*q)*row)
			if t.embedded {
				t.VINSERTF32X4(operand.U8(uint8(q)), m, a[j], a[j])
			} else {
				t.VINSERTF128(operand.U8(uint8(q)), m, a[j], a[j])
			}
		}
	}
	t.VUNPCKLPS(a[1], a[0], b[0])
	t.VUNPCKHPS(a[1], a[0], b[1])
	t.VUNPCKLPS(a[3], a[2], b[2])
	t.VUNPCKHPS(a[3], a[2], b[3])
	t.VUNPCKLPD(b[2], b[0], a[0])
	t.VUNPCKHPD(b[2], b[0], a[1])
	t.VUNPCKLPD(b[3], b[1], a[2])
	t.VUNPCKHPD(b[3], b[1], a[3])
	return a
}

// overlap loads the same 16 bytes of the two columns after the last frame's, interleaved:
// elements 0 and 1 of both in the first register, 2 and 3 in the second.
func (t *isa) overlap(row int) [2]reg.VecPhysical {
	t.VMOVUPS(at(reg.RSI, t.lanes*row), t.x[4])
	t.VMOVUPS(at(reg.RSI, (t.lanes+1)*row), t.x[5])
	t.VUNPCKLPS(t.x[5], t.x[4], t.x[6])
	t.VUNPCKHPS(t.x[5], t.x[4], t.x[7])
	return [2]reg.VecPhysical{t.x[6], t.x[7]}
}

// putOverlap stores the lower or upper half of r as the last two columns of a row.
func (t *isa) putOverlap(row int, r reg.VecPhysical, upper bool) {
	m := at(reg.RDX, row*t.pitch+t.width())
	if upper {
		t.VMOVHPS(r, m)
	} else {
		t.VMOVLPS(r, m)
	}
}

// gatherFloats also collects the bits of all samples: bit 30 of a float32 is set when its size is
// 2 or more, or when it is no number. The driver looks again when that has happened. What only
// the last two columns see, the driver has seen when it filled the edge of the clip.
func (t *isa) gatherFloats() {
	seen := t.v[15]
	t.VMOVUPS(t.field(blockSeen), seen)
	t.repeat("gatherFloats", hop/4, func() {
		columns := t.pieces(hop * 4)
		for s, r := range columns {
			t.VMOVUPS(r, at(reg.RDX, s*t.pitch))
		}
		if t.embedded {
			t.VPTERNLOGD(operand.U8(0xfe), columns[0], columns[1], seen) // or of all three
			t.VPTERNLOGD(operand.U8(0xfe), columns[2], columns[3], seen)
		} else {
			for _, r := range columns {
				t.VORPS(r, seen, seen)
			}
		}
		for s, r := range t.overlap(hop * 4) {
			t.putOverlap(2*s, r, false)
			t.putOverlap(2*s+1, r, true)
		}
		t.add(16, reg.RSI)
		t.add(4*t.pitch, reg.RDX)
	})
	t.VMOVUPS(seen, t.field(blockSeen))
}

// gatherPCM moves pairs of int16 samples. Each half becomes a float32 without a shift to its
// place: as the upper half of an int32, 65536 times too large, which the window makes good.
func (t *isa) gatherPCM() {
	mask := t.v[15]
	t.VBROADCASTSS(t.pool.word(0xffff0000), mask)
	split := func(pair, even, odd, mask reg.VecPhysical) {
		t.VPSLLD(operand.U8(16), pair, even)
		if t.embedded {
			t.VPANDD(mask, pair, odd)
		} else {
			t.VPAND(mask, pair, odd)
		}
		t.VCVTDQ2PS(even, even)
		t.VCVTDQ2PS(odd, odd)
	}
	t.repeat("gatherPCM", hop/8, func() {
		for s, r := range t.pieces(hop * 2) {
			even, odd := t.v[8], t.v[9]
			split(r, even, odd, mask)
			t.VMOVUPS(even, at(reg.RDX, 2*s*t.pitch))
			t.VMOVUPS(odd, at(reg.RDX, (2*s+1)*t.pitch))
		}
		for s, r := range t.overlap(hop * 2) {
			even, odd := t.x[4], t.x[5]
			split(r, even, odd, mask.AsX().(reg.VecPhysical))
			for half, upper := range []bool{false, true} {
				t.putOverlap(4*s+2*half, even, upper)
				t.putOverlap(4*s+2*half+1, odd, upper)
			}
		}
		t.add(16, reg.RSI)
		t.add(8*t.pitch, reg.RDX)
	})
}
