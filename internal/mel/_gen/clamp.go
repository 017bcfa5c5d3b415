package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// clampUnroll vectors are clamped in a turn; lengths are multiples of that.
const clampUnroll = 2

// writeClampHalf emits p[i] = max(p[i], least) on FP16 bits. Where least is not negative a signed
// maximum of the bits does it; where it is, an unsigned minimum, as sign and magnitude order.
func (t *isa) writeClampHalf() {
	t.Function("clampHalf" + t.name)
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr("func(p *uint16, n int, least uint16)")
	p, n, least := reg.RDI, reg.RCX, reg.EAX
	t.Load(t.Param("p"), p)
	t.Load(t.Param("n"), n)
	t.Load(t.Param("least"), least)
	t.VMOVD(least, t.x[0])
	t.VPBROADCASTW(t.x[0], t.v[0])
	t.TESTW(least.As16(), least.As16())
	t.JS(operand.LabelRef("negative"))
	t.clampLoop("positive", (*build.Context).VPMAXSW, 2, p, n)
	t.clampLoop("negative", (*build.Context).VPMINUW, 2, p, n)
}

// writeClampSingle emits the same on float32.
func (t *isa) writeClampSingle() {
	t.Function("clampSingle" + t.name)
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr("func(p *float32, n int, least float32)")
	p, n := reg.RDI, reg.RCX
	t.Load(t.Param("p"), p)
	t.Load(t.Param("n"), n)
	t.Load(t.Param("least"), t.x[0])
	t.VBROADCASTSS(t.x[0], t.v[0])
	t.clampLoop("single", (*build.Context).VMAXPS, 4, p, n)
}

func (t *isa) clampLoop(label string, op instruction, size int, p, n reg.Register) {
	t.Label(label)
	for u := range clampUnroll {
		op(t.Context, at(p, u*t.width()), t.v[0], t.v[1+u])
		t.VMOVUPS(t.v[1+u], at(p, u*t.width()))
	}
	t.add(clampUnroll*t.width(), p)
	t.SUBQ(operand.U32(uint32(clampUnroll*t.width()/size)), n)
	t.JG(operand.LabelRef(label))
	t.VZEROUPPER()
	t.RET()
}
