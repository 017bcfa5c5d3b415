package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the Go type panelCall.
const (
	panelC     = 0
	panelCStep = 8
	panelA     = 16
	panelAStep = 24
	panelB     = 32
	panelRows  = 40
	panelDepth = 48
	panelAdd   = 56
	panelTwo   = 64 // two vectors across, else one
	panelLast  = 72 // lanes of the last vector that are stored
)

// Registers of the panel.
var (
	c, cStep    = reg.RDI, reg.RDX
	a, aStep    = reg.RSI, reg.RBX
	b, bNow     = reg.R8, reg.R13
	rowsLeft    = reg.RCX
	spare       = reg.RAX
	aNow        = []reg.GPPhysical{reg.R9, reg.R10, reg.R11, reg.R12} // every third row of A
	panelUnroll = 4
)

// writePanel writes the loop over the rows of a panel of C: as many rows at a time as the registers
// hold, and a body of its own for every number of rows that can be left.
func (t *isa) writePanel() {
	t.function("panel", spare)
	t.MOVQ(at(spare, panelC), c)
	t.MOVQ(at(spare, panelCStep), cStep)
	t.MOVQ(at(spare, panelA), a)
	t.MOVQ(at(spare, panelAStep), aStep)
	t.MOVQ(at(spare, panelB), b)
	t.MOVQ(at(spare, panelRows), rowsLeft)
	if t.wide {
		t.MOVQ(at(spare, panelLast), bNow)
		t.mask(bNow, aNow[0], nil)
	}
	t.CMPQ(at(spare, panelTwo), operand.Imm(0))
	t.JE(operand.LabelRef("choose1"))
	for _, vectors := range []int{2, 1} {
		t.Label(fmt.Sprintf("choose%d", vectors))
		t.choose(vectors)
		for rows := t.rows; rows >= 1; rows-- {
			t.Label(fmt.Sprintf("tile%dx%d", rows, vectors))
			t.tile(rows, vectors)
			t.JMP(operand.LabelRef(fmt.Sprintf("choose%d", vectors)))
		}
	}
	t.Label("done")
	t.end()
}

// choose jumps to the tile for the rows left. Few rows keep the multipliers waiting for their own
// results, so what is left before the last but one is halved rather than filled.
func (t *isa) choose(vectors int) {
	jump := func(rows int) operand.LabelRef { return operand.LabelRef(fmt.Sprintf("tile%dx%d", rows, vectors)) }
	t.CMPQ(rowsLeft, operand.Imm(uint64(t.rows+4)))
	t.JGE(jump(t.rows))
	t.CMPQ(rowsLeft, operand.Imm(uint64(t.rows)))
	t.JG(jump(t.rows/2 + 2))
	for rows := t.rows; rows >= 1; rows-- {
		t.CMPQ(rowsLeft, operand.Imm(uint64(rows)))
		t.JE(jump(rows))
	}
	t.JMP(operand.LabelRef("done"))
}

// tile multiplies rows of A with the panel of B, in registers for the whole depth.
func (t *isa) tile(rows, vectors int) {
	sum := func(row, vector int) reg.VecPhysical { return t.v[row*vectors+vector] }
	bases := (rows + 2) / 3
	for i := range bases {
		if i == 0 {
			t.MOVQ(a, aNow[0])
			continue
		}
		t.LEAQ(indexed(aNow[i-1], aStep, 2, 0), aNow[i])
		t.ADDQ(aStep, aNow[i])
	}
	t.MOVQ(b, bNow)
	// What the sums go to is on its way while they are computed.
	t.MOVQ(c, spare)
	for row := range rows {
		for i := 0; i < vectors*t.width(); i += 64 {
			t.PREFETCHT0(at(spare, i))
		}
		if row < rows-1 {
			t.ADDQ(cStep, spare)
		}
	}
	for i := range rows * vectors {
		t.zero(t.v[i])
	}
	t.Load(t.Param("p"), spare)
	t.MOVQ(at(spare, panelDepth), spare)

	step := func(k int) {
		free := t.v[rows*vectors:]
		values := free[:vectors]
		for i, v := range values {
			t.VMOVUPS(at(bNow, k*2*t.width()+i*t.width()), v)
		}
		free = free[vectors:]
		for row := range rows {
			x := indexed(aNow[row/3], aStep, uint8(row%3), 4*k)
			if row%3 == 0 {
				x = at(aNow[row/3], 4*k)
			}
			one := free[row%min(len(free), 4)]
			t.VBROADCASTSS(x, one)
			for i, v := range values {
				t.VFMADD231PS(v, one, sum(row, i))
			}
		}
	}
	advance := func(k int) {
		for _, r := range aNow[:bases] {
			t.ADDQ(number(4*k), r)
		}
		t.ADDQ(number(2*k*t.width()), bNow)
	}
	many, few, one, store := t.label("many"), t.label("few"), t.label("one"), t.label("store")
	t.SUBQ(operand.Imm(uint64(panelUnroll)), spare)
	t.JL(operand.LabelRef(few))
	t.Label(many)
	for k := range panelUnroll {
		step(k)
	}
	advance(panelUnroll)
	t.SUBQ(operand.Imm(uint64(panelUnroll)), spare)
	t.JGE(operand.LabelRef(many))
	t.Label(few)
	t.ADDQ(operand.Imm(uint64(panelUnroll)), spare)
	t.JZ(operand.LabelRef(store))
	t.Label(one)
	step(0)
	advance(1)
	t.DECQ(spare)
	t.JNZ(operand.LabelRef(one))
	t.Label(store)
	t.store(rows, vectors, sum)

	t.IMUL3Q(operand.Imm(uint64(rows)), aStep, spare)
	t.ADDQ(spare, a)
	t.SUBQ(operand.Imm(uint64(rows)), rowsLeft)
}

// store writes the sums to C, or adds them to it, and leaves c at the row behind them.
func (t *isa) store(rows, vectors int, sum func(row, vector int) reg.VecPhysical) {
	stored, masked := t.label("stored"), t.label("masked")
	mask := t.v[rows*vectors]
	t.Load(t.Param("p"), spare)
	if !t.wide {
		// Masked stores are slow on some processors: whole vectors do without.
		t.CMPQ(at(spare, panelLast), operand.Imm(uint64(t.lanes)))
		t.JNE(operand.LabelRef(masked))
		t.storeRows(rows, vectors, sum, nil, stored)
		t.Label(masked)
		t.MOVQ(at(spare, panelLast), bNow)
		t.mask(bNow, aNow[0], mask)
	}
	t.storeRows(rows, vectors, sum, mask, stored)
	t.Label(stored)
}

// storeRows stores with the last vector under the mask, if there is one, and jumps to stored.
func (t *isa) storeRows(rows, vectors int, sum func(row, vector int) reg.VecPhysical, mask reg.VecPhysical, stored string) {
	plain := t.label("plain")
	old := t.v[rows*vectors+1]
	t.CMPQ(at(spare, panelAdd), operand.Imm(0))
	t.JE(operand.LabelRef(plain))
	for _, add := range []bool{true, false} {
		for row := range rows {
			for i := range vectors {
				v, m := sum(row, i), at(c, i*t.width())
				switch masked := mask != nil && i == vectors-1; {
				case masked && add:
					t.loadMasked(m, mask, old)
					t.VADDPS(old, v, v)
					t.storeMasked(v, mask, m)
				case masked:
					t.storeMasked(v, mask, m)
				case add:
					t.VADDPS(m, v, v)
					t.VMOVUPS(v, m)
				default:
					t.VMOVUPS(v, m)
				}
			}
			t.ADDQ(cStep, c)
		}
		t.JMP(operand.LabelRef(stored))
		if add {
			t.Label(plain)
		}
	}
}
