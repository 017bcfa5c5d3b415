package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stageOne emits the 25 windowed real DFTs of 16 points. A frame's sample n lies in row n mod 160,
// n div 160 columns to the right of the frame's own, so the overlap of frames is unaligned loads.
func (t *isa) stageOne() {
	parts := []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11, reg.R12}
	complexRows, realRows, window := reg.RDI, reg.RDX, reg.RSI
	t.MOVQ(t.field(blockRows), parts[0])
	t.MOVQ(t.field(blockWindow), window)
	t.MOVQ(work, realRows)
	for q := 1; q < 5; q++ { // part q starts at sample 80q
		t.LEAQ(at(parts[0], 80*q%hop*t.pitch+80*q/hop*4), parts[q])
	}
	regions := map[string]region{
		"window": {window, 4, 0},
		"Y":      {complexRows, t.width(), 0},
		"Z":      {realRows, t.width(), 0},
	}
	for q, r := range parts {
		regions[fmt.Sprintf("P%d", q)] = region{r, t.pitch, 0}
	}
	t.repeat("stageOne", 5, func() {
		for b := range 5 {
			p := newProgram()
			p.dft16(b)
			t.run(p, regions, region{spill, t.width(), 0}, nil)
		}
		t.add(10*t.width(), complexRows)
		t.add(5*t.width(), realRows)
		t.add(5*16*4, window)
		t.MOVQ(parts[0], reg.RAX)
		for q := range 4 {
			t.MOVQ(parts[q+1], parts[q])
		}
		t.MOVQ(reg.RAX, parts[4])
	})
	t.MOVQ(t.field(blockWork), work)
}

// stageTwo emits the two real and seven complex DFTs of 25 points, and brings the samples of the
// block after the next one nearer meanwhile.
func (t *isa) stageTwo() {
	ahead := reg.R8 // the next block's samples have just been read; those of the block after follow
	t.MOVQ(t.field(blockNext), ahead)
	t.ADDQ(t.field(blockInStep), ahead)
	regions := map[string]region{"Y": {work, t.width(), 0}}
	spills := region{spill, t.width(), 0}
	p := newProgram()
	p.dft25Real()
	t.repeat("realRows", 2, func() {
		t.run(p, regions, spills, nil)
		t.add(25*t.width(), work)
	})
	p = newProgram()
	p.dft25()
	t.repeat("complexRows", 7, func() {
		lines := 0
		t.run(p, regions, spills, func(i int) {
			if i%t.prefetchEvery == 0 {
				t.PREFETCHT1(at(ahead, 64*lines))
				lines++
			}
		})
		t.add(50*t.width(), work)
		t.add(64*lines, ahead)
	})
	t.MOVQ(t.field(blockWork), work)
}

// magnitudes emits square roots over the whole work area; what is no power is not used again.
func (t *isa) magnitudes() {
	t.MOVQ(work, reg.RSI)
	t.repeat("magnitudes", workSlots/4, func() {
		for u := range 4 {
			t.VSQRTPS(at(reg.RSI, u*t.width()), t.v[u])
		}
		for u := range 4 {
			t.VMOVUPS(t.v[u], at(reg.RSI, u*t.width()))
		}
		t.add(4*t.width(), reg.RSI)
	})
}

// filterBank emits the triangular filters. Between two neighbouring edges of the bank lie the
// falling side of one filter and the rising side of the next, so each power is read once. The
// energies go to odd slots, which held imaginary parts.
func (t *isa) filterBank() {
	taps, counts, out, left, count := reg.RSI, reg.RDX, reg.R9, reg.RCX, reg.EAX
	rising, falling, power := t.v[0], t.v[1], t.v[2]
	t.MOVQ(t.field(blockTaps), taps)
	t.MOVQ(t.field(blockCounts), counts)
	t.MOVQ(t.field(blockMels), left)
	t.INCQ(left)
	// Before the first edge there is no filter to finish: what is stored for it is not used.
	t.LEAQ(at(work, (firstMel-2)*t.width()), out)
	t.VXORPS(rising.AsY(), rising.AsY(), rising.AsY())
	t.Label("segment")
	t.VMOVAPS(rising, falling)
	t.VXORPS(rising.AsY(), rising.AsY(), rising.AsY())
	t.MOVL(at(counts, 0), count)
	t.TESTL(count, count)
	t.JZ(operand.LabelRef("segmentEnd"))
	t.Label("tap")
	t.MOVLQSX(at(taps, 0), reg.R8)
	t.VMOVUPS(operand.Mem{Base: work, Index: reg.R8, Scale: 1}, power)
	if t.embedded {
		t.VFMADD231PS_BCST(at(taps, 4), power, rising)
		t.VFMADD231PS_BCST(at(taps, 8), power, falling)
	} else {
		t.VBROADCASTSS(at(taps, 4), t.v[3])
		t.VBROADCASTSS(at(taps, 8), t.v[4])
		t.VFMADD231PS(t.v[3], power, rising)
		t.VFMADD231PS(t.v[4], power, falling)
	}
	t.add(12, taps)
	t.DECL(count)
	t.JNZ(operand.LabelRef("tap"))
	t.Label("segmentEnd")
	t.VMOVUPS(falling, at(out, 0))
	t.add(4, counts)
	t.add(2*t.width(), out)
	t.DECQ(left)
	t.JNZ(operand.LabelRef("segment"))
}

// logarithms emits y = log of the energy, at least the least energy, and its store, row by row.
// The energy is 2^e·m with m in [1, 2): y is a polynomial in m - 1.5 plus e times a factor.
func (t *isa) logarithms() {
	const degree = 7
	peak := t.v[0]
	in, out, stride, left := reg.RSI, reg.RDX, reg.R8, reg.RCX
	unroll := 4
	if len(t.v) == 16 { // ten numbers leave no room for more
		unroll = 1
	}
	numbers := t.v[1+3*unroll:][:degree+3]
	for i := range numbers {
		t.VBROADCASTSS(t.field(blockLog+4*i), numbers[i])
	}
	factor, least := numbers[degree+1], numbers[degree+2]
	t.LEAQ(at(work, firstMel*t.width()), in)
	t.MOVQ(t.field(blockOut), out)
	t.MOVQ(t.field(blockStride), stride)
	t.MOVQ(t.field(blockMels), left)
	t.VMOVUPS(t.field(blockPeak), peak)
	one := func(u int, half bool) {
		m, e, y := t.v[1+3*u], t.v[2+3*u], t.v[3+3*u]
		t.VMAXPS(at(in, 2*u*t.width()), least, m)
		if t.embedded {
			t.VGETEXPPS(m, e)
			t.VGETMANTPS(operand.U8(0), m, m)
			t.VSUBPS_BCST(t.pool.number(1.5), m, m)
		} else {
			t.VPSUBD(t.pool.word(0x3f800000), m, e)
			t.VPSRAD(operand.U8(23), e, e)
			t.VCVTDQ2PS(e, e)
			t.VPAND(t.pool.word(0x007fffff), m, m)
			t.VPOR(t.pool.word(0x3f800000), m, m)
			t.VSUBPS(t.pool.number(1.5), m, m)
		}
		t.VFMADD213PS(numbers[0], factor, e)
		t.VMOVAPS(numbers[degree], y)
		for i := degree - 1; i >= 1; i-- {
			t.VFMADD213PS(numbers[i], m, y)
		}
		t.VFMADD213PS(e, m, y)
		t.VMAXPS(y, peak, peak)
		if half {
			t.VCVTPS2PH(operand.U8(0), y, at(out, 0)) // 0: round to nearest, ties to even
		} else {
			t.VMOVUPS(y, at(out, 0))
		}
		t.ADDQ(stride, out)
	}
	rows := func(name string, half bool) {
		if unroll == 1 {
			t.Label(name)
			one(0, half)
			t.add(2*t.width(), in)
			t.DECQ(left)
			t.JNZ(operand.LabelRef(name))
			return
		}
		t.SUBQ(operand.U8(uint8(unroll)), left)
		t.JL(operand.LabelRef(name + "Rest"))
		t.Label(name)
		for u := range unroll {
			one(u, half)
		}
		t.add(2*unroll*t.width(), in)
		t.SUBQ(operand.U8(uint8(unroll)), left)
		t.JGE(operand.LabelRef(name))
		t.Label(name + "Rest")
		t.ADDQ(operand.U8(uint8(unroll)), left)
		t.JZ(operand.LabelRef("logged"))
		t.Label(name + "Row")
		one(0, half)
		t.add(2*t.width(), in)
		t.DECQ(left)
		t.JNZ(operand.LabelRef(name + "Row"))
	}
	t.ifMode(modeHalf, "singleRows", false)
	rows("half", true)
	t.JMP(operand.LabelRef("logged"))
	t.Label("singleRows")
	rows("single", false)
	t.Label("logged")
	t.VMOVUPS(peak, t.field(blockPeak))
}
