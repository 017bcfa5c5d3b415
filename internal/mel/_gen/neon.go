package main

import (
	"bytes"
	"fmt"
	"math"
)

// avo writes amd64 alone, and Go's assembler has no names for most vector instructions of arm64, so this file prints
// text, and such instructions as words, named by a comment. Vectors have four lanes; there is no operand from memory,
// and an FMA overwrites its addend.

// Registers of the step for arm64.
const (
	neonBlock   = 0
	neonWork    = 1
	neonSpill   = 2
	neonPart    = 3 // to 7
	neonWindow  = 8
	neonReal    = 9
	neonComplex = 10
	neonCount   = 11
	neonScratch = 12
	neonFrom    = 13
	neonTo      = 14
	neonStride  = 15
	neonLeft    = 16
	neonPool    = 17
)

const (
	neonWidth = 16
	neonPitch = 32 // six samples, and a multiple of 16 to be addressed by
)

// three-operand instructions on four float32, or on whole vectors
const (
	fadd   = 0x4e20d400
	fsub   = 0x4ea0d400
	fmul   = 0x6e20dc00
	fmla   = 0x4e20cc00
	fmls   = 0x4ea0cc00
	fmlaBy = 0x4f801000 // by lane 0 of the last operand
	fmaxnm = 0x4e20c400
	isub   = 0x6ea08400
	vand   = 0x4e201c00
	vorr   = 0x4ea01c00
	smax16 = 0x4e606400
	umin16 = 0x6e606c00
	zip1s  = 0x4e803800
	zip2s  = 0x4e807800
	zip1d  = 0x4ec03800
	zip2d  = 0x4ec07800
)

// two-operand ones
const (
	fneg   = 0x6ea0f800
	fsqrt  = 0x6ea1f800
	scvtf  = 0x4e21d800
	sshr23 = 0x4f290400
	shl16  = 0x4f305400
	fcvtn  = 0x0e216800 // to four FP16, rounded to nearest, ties to even
	dup    = 0x4e040400 // lane 0 to all
	movi0  = 0x6f00e400
)

var neonNames = map[uint32]string{
	fadd: "fadd", fsub: "fsub", fmul: "fmul", fmla: "fmla", fmls: "fmls", fmlaBy: "fmla by lane 0", fmaxnm: "fmaxnm", isub: "sub", vand: "and", vorr: "orr",
	smax16: "smax 8h", umin16: "umin 8h", zip1s: "zip1 4s", zip2s: "zip2 4s", zip1d: "zip1 2d", zip2d: "zip2 2d",
	fneg: "fneg", fsqrt: "fsqrt", scvtf: "scvtf", sshr23: "sshr 23", shl16: "shl 16", fcvtn: "fcvtn 4h", dup: "dup", movi0: "movi 0",
}

type neon struct {
	bytes.Buffer
	index map[uint32]int
	words []uint32
}

func (t *neon) line(format string, args ...any) { fmt.Fprintf(t, "\t"+format+"\n", args...) }
func (t *neon) label(name string)               { fmt.Fprintf(t, "%s:\n", name) }

func (t *neon) three(op uint32, d, n, m int) {
	t.line("WORD $0x%08x // %s v%d, v%d, v%d", op|uint32(m)<<16|uint32(n)<<5|uint32(d), neonNames[op], d, n, m)
}

func (t *neon) two(op uint32, d, n int) {
	t.line("WORD $0x%08x // %s v%d, v%d", op|uint32(n)<<5|uint32(d), neonNames[op], d, n)
}

// memory loads or stores a register of 16, 8 or 4 bytes.
func (t *neon) memory(name string, op uint32, size, v, base, offset int) {
	if offset < 0 || offset%size != 0 || offset/size > 4095 {
		panic(fmt.Sprintf("offset %d cannot be encoded", offset))
	}
	t.line("WORD $0x%08x // %s v%d, [x%d, %d]", op|uint32(offset/size)<<10|uint32(base)<<5|uint32(v), name, v, base, offset)
}

func (t *neon) load(v, base, offset int) { t.memory("ldr q", 0x3dc00000, 16, v, base, offset) }

func (t *neon) store(v, base, offset int)      { t.memory("str q", 0x3d800000, 16, v, base, offset) }
func (t *neon) storeHalf(v, base, offset int)  { t.memory("str d", 0xfd000000, 8, v, base, offset) }
func (t *neon) loadSingle(v, base, offset int) { t.memory("ldr s", 0xbd400000, 4, v, base, offset) }

func (t *neon) broadcast(v, base, offset int) {
	t.loadSingle(v, base, offset)
	t.two(dup, v, v)
}

func (t *neon) constant(v int, bits uint32) {
	i, ok := t.index[bits]
	if !ok {
		i = len(t.words)
		t.index[bits] = i
		t.words = append(t.words, bits)
	}
	t.load(v, neonPool, i*neonWidth)
}

func (t *neon) repeat(label string, n int, body func()) {
	t.line("MOVD $%d, R%d", n, neonCount)
	t.label(label)
	body()
	t.line("SUBS $1, R%d", neonCount)
	t.line("BNE %s", label)
}

func (t *neon) ifMode(bit int, label string, set bool) {
	t.line("MOVD %d(R%d), R%d", blockMode, neonBlock, neonScratch)
	t.line("TST $%d, R%d", bit, neonScratch)
	if set {
		t.line("BNE %s", label)
	} else {
		t.line("BEQ %s", label)
	}
}

func (t *neon) field(offset, r int) { t.line("MOVD %d(R%d), R%d", offset, neonBlock, r) }

// neonSource is the whole file.
func neonSource() ([]byte, error) {
	t := &neon{index: map[uint32]int{}}
	fmt.Fprint(t, header, "\n\n//go:build arm64 && !noasm\n\n#include \"textflag.h\"\n\n")
	t.writeStep()
	t.writeClamps()
	for i, word := range t.words {
		for offset := 0; offset < neonWidth; offset += 4 {
			fmt.Fprintf(t, "DATA numbersNEON<>+%d(SB)/4, $0x%08x\n", i*neonWidth+offset, word)
		}
	}
	fmt.Fprintf(t, "GLOBL numbersNEON<>(SB), RODATA|NOPTR, $%d\n", len(t.words)*neonWidth)
	return t.Bytes(), nil
}

// writeStep emits the stages in the order that kernel.go explains.
func (t *neon) writeStep() {
	fmt.Fprint(t, "// func stepNEON(b *block)\nTEXT ·stepNEON(SB), NOSPLIT, $0-8\n")
	t.line("MOVD b+0(FP), R%d", neonBlock)
	t.line("MOVD $numbersNEON<>(SB), R%d", neonPool)
	t.field(blockWork, neonWork)
	t.line("ADD $%d, R%d, R%d", workSlots*neonWidth, neonWork, neonSpill)
	t.ifMode(modeGather, "gather", true)
	t.label("again")
	t.stageOne()
	t.label("gather")
	t.field(blockNext, neonFrom)
	t.line("CBZ R%d, gathered", neonFrom)
	t.field(blockRows, neonTo)
	t.ifMode(modePCM, "floats", false)
	t.gatherPCM()
	t.line("B gathered")
	t.label("floats")
	t.gatherFloats()
	t.label("gathered")
	t.ifMode(modeGather, "done", true)
	t.stageTwo()
	t.ifMode(modeMagnitude, "powers", false)
	t.magnitudes()
	t.label("powers")
	t.filterBank()
	t.logarithms()
	t.field(blockBlocks, neonScratch)
	t.line("SUBS $1, R%d", neonScratch)
	t.line("MOVD R%d, %d(R%d)", neonScratch, blockBlocks, neonBlock)
	t.line("BEQ done")
	for _, step := range [][2]int{{blockInStep, blockNext}, {blockOutStep, blockOut}} {
		t.field(step[0], neonScratch)
		t.field(step[1], neonFrom)
		t.line("ADD R%d, R%d", neonScratch, neonFrom)
		t.line("MOVD R%d, %d(R%d)", neonFrom, step[1], neonBlock)
	}
	t.line("B again")
	t.label("done")
	t.line("RET")
	fmt.Fprintln(t)
}

func (t *neon) stageOne() {
	t.field(blockRows, neonPart)
	t.field(blockWindow, neonWindow)
	t.line("MOVD R%d, R%d", neonWork, neonReal)
	t.line("MOVD R%d, R%d", neonWork, neonComplex)
	for q := 1; q < 5; q++ {
		t.line("ADD $%d, R%d, R%d", 80*q%hop*neonPitch+80*q/hop*4, neonPart, neonPart+q)
	}
	regions := map[string]neonRegion{"window": {neonWindow, 4}, "Y": {neonComplex, neonWidth}, "Z": {neonReal, neonWidth}}
	for q := range 5 {
		regions[fmt.Sprintf("P%d", q)] = neonRegion{neonPart + q, neonPitch}
	}
	t.repeat("stageOne", 5, func() {
		for b := range 5 {
			p := newProgram()
			p.dft16(b)
			t.run(p, regions)
		}
		t.line("ADD $%d, R%d", 10*neonWidth, neonComplex)
		t.line("ADD $%d, R%d", 5*neonWidth, neonReal)
		t.line("ADD $%d, R%d", 5*16*4, neonWindow)
		t.line("MOVD R%d, R%d", neonPart, neonScratch)
		for q := range 4 {
			t.line("MOVD R%d, R%d", neonPart+q+1, neonPart+q)
		}
		t.line("MOVD R%d, R%d", neonScratch, neonPart+4)
	})
}

func (t *neon) stageTwo() {
	regions := map[string]neonRegion{"Y": {neonComplex, neonWidth}}
	t.line("MOVD R%d, R%d", neonWork, neonComplex)
	p := newProgram()
	p.dft25Real()
	t.repeat("realRows", 2, func() {
		t.run(p, regions)
		t.line("ADD $%d, R%d", 25*neonWidth, neonComplex)
	})
	p = newProgram()
	p.dft25()
	t.repeat("complexRows", 7, func() {
		t.run(p, regions)
		t.line("ADD $%d, R%d", 50*neonWidth, neonComplex)
	})
}

func (t *neon) magnitudes() {
	t.line("MOVD R%d, R%d", neonWork, neonFrom)
	t.repeat("magnitudes", workSlots/4, func() {
		for u := range 4 {
			t.load(u, neonFrom, u*neonWidth)
			t.two(fsqrt, u, u)
			t.store(u, neonFrom, u*neonWidth)
		}
		t.line("ADD $%d, R%d", 4*neonWidth, neonFrom)
	})
}

// pieces transposes 16 bytes of each of the four frames as 32-bit elements, and interleaves those of the two columns
// behind.
func (t *neon) pieces(row int) {
	for j := range 6 {
		t.line("ADD $%d, R%d, R%d", j*row, neonFrom, neonScratch)
		t.load(j, neonScratch, 0)
	}
	t.three(zip1s, 16, 0, 1)
	t.three(zip2s, 17, 0, 1)
	t.three(zip1s, 18, 2, 3)
	t.three(zip2s, 19, 2, 3)
	t.three(zip1d, 0, 16, 18)
	t.three(zip2d, 1, 16, 18)
	t.three(zip1d, 2, 17, 19)
	t.three(zip2d, 3, 17, 19)
	t.three(zip1s, 6, 4, 5)
	t.three(zip2s, 7, 4, 5)
}

// putOverlap stores both halves of v as the last two columns of two rows.
func (t *neon) putOverlap(v, row, next int) {
	t.storeHalf(v, neonTo, row*neonPitch+neonWidth)
	t.three(zip2d, v, v, v)
	t.storeHalf(v, neonTo, next*neonPitch+neonWidth)
}

func (t *neon) gatherFloats() {
	const seen = 31
	t.load(seen, neonBlock, blockSeen)
	t.repeat("gatherFloats", hop/4, func() {
		t.pieces(hop * 4)
		for s := range 4 {
			t.store(s, neonTo, s*neonPitch)
			t.three(vorr, seen, seen, s)
		}
		t.putOverlap(6, 0, 1)
		t.putOverlap(7, 2, 3)
		t.line("ADD $16, R%d", neonFrom)
		t.line("ADD $%d, R%d", 4*neonPitch, neonTo)
	})
	t.store(seen, neonBlock, blockSeen)
}

func (t *neon) gatherPCM() {
	const mask, even, odd = 31, 20, 21
	t.constant(mask, 0xffff0000)
	split := func(pair int) {
		t.two(shl16, even, pair)
		t.three(vand, odd, pair, mask)
		t.two(scvtf, even, even)
		t.two(scvtf, odd, odd)
	}
	t.repeat("gatherPCM", hop/8, func() {
		t.pieces(hop * 2)
		for s := range 4 {
			split(s)
			t.store(even, neonTo, 2*s*neonPitch)
			t.store(odd, neonTo, (2*s+1)*neonPitch)
		}
		for s := range 2 {
			split(6 + s)
			t.putOverlap(even, 4*s, 4*s+2)
			t.putOverlap(odd, 4*s+1, 4*s+3)
		}
		t.line("ADD $16, R%d", neonFrom)
		t.line("ADD $%d, R%d", 8*neonPitch, neonTo)
	})
}

func (t *neon) filterBank() {
	const rising, falling, power, weight = 0, 1, 2, 3
	taps, counts, out, left, count := neonFrom, neonTo, neonStride, neonLeft, neonCount
	t.field(blockTaps, taps)
	t.field(blockCounts, counts)
	t.field(blockMels, left)
	t.line("ADD $1, R%d", left)
	t.line("ADD $%d, R%d, R%d", (firstMel-2)*neonWidth, neonWork, out)
	t.two(movi0, rising, 0)
	t.label("segment")
	t.three(vorr, falling, rising, rising)
	t.two(movi0, rising, 0)
	t.line("MOVW (R%d), R%d", counts, count)
	t.line("CBZ R%d, segmentEnd", count)
	t.label("tap")
	t.line("MOVW (R%d), R%d", taps, neonScratch)
	t.line("ADD R%d, R%d", neonWork, neonScratch)
	t.load(power, neonScratch, 0)
	t.loadSingle(weight, taps, 4)
	t.loadSingle(weight+1, taps, 8)
	t.three(fmlaBy, rising, power, weight)
	t.three(fmlaBy, falling, power, weight+1)
	t.line("ADD $12, R%d", taps)
	t.line("SUBS $1, R%d", count)
	t.line("BNE tap")
	t.label("segmentEnd")
	t.store(falling, out, 0)
	t.line("ADD $4, R%d", counts)
	t.line("ADD $%d, R%d", 2*neonWidth, out)
	t.line("SUBS $1, R%d", left)
	t.line("BNE segment")
}

func (t *neon) logarithms() {
	const degree, peak, numbers = 7, 0, 16
	const factor, least, bits, mantissa, middle = numbers + degree + 1, numbers + degree + 2, 26, 27, 28
	for i := range degree + 3 {
		t.broadcast(numbers+i, neonBlock, blockLog+4*i)
	}
	t.constant(bits, 0x3f800000)
	t.constant(mantissa, 0x007fffff)
	t.constant(middle, math.Float32bits(1.5))
	t.line("ADD $%d, R%d, R%d", firstMel*neonWidth, neonWork, neonFrom)
	t.field(blockOut, neonTo)
	t.field(blockStride, neonStride)
	t.load(peak, neonBlock, blockPeak)
	rows := func(name string, half bool) {
		const m, e, y, sum, other = 1, 2, 3, 4, 5
		t.field(blockMels, neonLeft)
		t.label(name)
		t.load(m, neonFrom, 0)
		t.three(fmaxnm, m, m, least)
		t.three(isub, e, m, bits)
		t.two(sshr23, e, e)
		t.two(scvtf, e, e)
		t.three(vand, m, m, mantissa)
		t.three(vorr, m, m, bits)
		t.three(fsub, m, m, middle)
		t.three(vorr, sum, numbers, numbers)
		t.three(fmla, sum, e, factor)
		from, to := numbers+degree, y
		for i := degree - 1; i >= 1; i-- {
			t.three(vorr, to, numbers+i, numbers+i)
			t.three(fmla, to, from, m)
			from, to = to, y+other-to
		}
		t.three(fmla, sum, from, m)
		t.three(fmaxnm, peak, peak, sum)
		if half {
			t.two(fcvtn, y, sum)
			t.storeHalf(y, neonTo, 0)
		} else {
			t.store(sum, neonTo, 0)
		}
		t.line("ADD R%d, R%d", neonStride, neonTo)
		t.line("ADD $%d, R%d", 2*neonWidth, neonFrom)
		t.line("SUBS $1, R%d", neonLeft)
		t.line("BNE %s", name)
	}
	t.ifMode(modeHalf, "singleRows", false)
	rows("halfRow", true)
	t.line("B logged")
	t.label("singleRows")
	rows("singleRow", false)
	t.label("logged")
	t.store(peak, neonBlock, blockPeak)
}

// writeClamps emits p[i] = max(p[i], least), on FP16 bits as clamp.go explains, and on float32.
func (t *neon) writeClamps() {
	loop := func(label string, op uint32, values int) {
		t.label(label)
		for u := range clampUnroll {
			t.load(1+u, 0, u*neonWidth)
			t.three(op, 1+u, 1+u, 0)
			t.store(1+u, 0, u*neonWidth)
		}
		t.line("ADD $%d, R0", clampUnroll*neonWidth)
		t.line("SUBS $%d, R1", clampUnroll*values)
		t.line("BGT %s", label)
		t.line("RET")
	}
	fmt.Fprint(t, "// func clampHalfNEON(p *uint16, n int, least uint16)\nTEXT ·clampHalfNEON(SB), NOSPLIT, $0-18\n")
	t.line("MOVD p+0(FP), R0")
	t.line("MOVD n+8(FP), R1")
	t.line("MOVHU least+16(FP), R2")
	t.line("WORD $0x4e020c40 // dup v0.8h, w2")
	t.line("TST $0x8000, R2")
	t.line("BNE negative")
	loop("positive", smax16, 8)
	loop("negative", umin16, 8)
	fmt.Fprint(t, "\n// func clampSingleNEON(p *float32, n int, least float32)\nTEXT ·clampSingleNEON(SB), NOSPLIT, $0-20\n")
	t.line("MOVD p+0(FP), R0")
	t.line("MOVD n+8(FP), R1")
	t.line("MOVWU least+16(FP), R2")
	t.line("WORD $0x4e040c40 // dup v0.4s, w2")
	loop("single", fmaxnm, 4)
	fmt.Fprintln(t)
}
