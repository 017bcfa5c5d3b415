package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the Go type packCall.
const (
	packTo       = 0
	packToStep   = 8
	packFrom     = 16
	packFromStep = 24
	packCount    = 32
)

// writeTranspose writes eight rows of a multiple of eight values, transposed.
func (t *isa) writeTranspose() {
	args, to, toStep, from, fromStep, count := reg.RAX, reg.RDI, reg.RDX, reg.RSI, reg.RBX, reg.RCX
	far, to3, to5, to7 := reg.R8, reg.R9, reg.R10, reg.R11
	t.function("transpose", args)
	t.MOVQ(at(args, packTo), to)
	t.MOVQ(at(args, packToStep), toStep)
	t.MOVQ(at(args, packFrom), from)
	t.MOVQ(at(args, packFromStep), fromStep)
	t.MOVQ(at(args, packCount), count)
	t.LEAQ(indexed(from, fromStep, 4, 0), far)
	for i, r := range []reg.GPPhysical{to3, to5, to7} {
		t.IMUL3Q(operand.Imm(uint64(3+2*i)), toStep, r)
	}
	t.LEAQ(indexed(fromStep, fromStep, 2, 0), args) // three rows
	t.Label("again")
	for i := range 8 {
		base := from
		if i >= 4 {
			base = far
		}
		m := []operand.Mem{at(base, 0), indexed(base, fromStep, 1, 0), indexed(base, fromStep, 2, 0), indexed(base, args, 1, 0)}[i%4]
		t.VMOVUPS(m, ymm[i])
	}
	// Pairs of values, then pairs of pairs, then halves.
	for i := 0; i < 8; i += 2 {
		t.VUNPCKLPS(ymm[i+1], ymm[i], ymm[8+i])
		t.VUNPCKHPS(ymm[i+1], ymm[i], ymm[9+i])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			low, high := ymm[8+i+j], ymm[10+i+j]
			t.VUNPCKLPD(high, low, ymm[i+2*j])
			t.VUNPCKHPD(high, low, ymm[i+2*j+1])
		}
	}
	rows := []operand.Mem{
		at(to, 0), indexed(to, toStep, 1, 0), indexed(to, toStep, 2, 0), indexed(to, to3, 1, 0),
		indexed(to, toStep, 4, 0), indexed(to, to5, 1, 0), indexed(to, to3, 2, 0), indexed(to, to7, 1, 0),
	}
	for i := range 4 {
		t.VINSERTF128(operand.Imm(1), ymm[i+4].AsX(), ymm[i], ymm[8])
		t.VPERM2F128(operand.Imm(0x31), ymm[i+4], ymm[i], ymm[9])
		t.VMOVUPS(ymm[8], rows[i])
		t.VMOVUPS(ymm[9], rows[i+4])
	}
	t.ADDQ(operand.Imm(32), from)
	t.ADDQ(operand.Imm(32), far)
	t.LEAQ(indexed(to, toStep, 8, 0), to)
	t.DECQ(count)
	t.JNZ(operand.LabelRef("again"))
	t.end()
}

// writePack copies rows that are two vectors wide.
func (t *isa) writePack() {
	args, to, toStep, from, fromStep, count := reg.RAX, reg.RDI, reg.RDX, reg.RSI, reg.RBX, reg.RCX
	t.function("pack", args)
	t.MOVQ(at(args, packTo), to)
	t.MOVQ(at(args, packToStep), toStep)
	t.MOVQ(at(args, packFrom), from)
	t.MOVQ(at(args, packFromStep), fromStep)
	t.MOVQ(at(args, packCount), count)
	t.Label("again")
	for i := range 2 {
		t.VMOVUPS(at(from, i*t.width()), t.v[i])
	}
	for i := range 2 {
		t.VMOVUPS(t.v[i], at(to, i*t.width()))
	}
	t.ADDQ(fromStep, from)
	t.ADDQ(toStep, to)
	t.DECQ(count)
	t.JNZ(operand.LabelRef("again"))
	t.end()
}
