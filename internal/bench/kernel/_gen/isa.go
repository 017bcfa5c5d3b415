package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is one instruction set and the file that is written for it.
type isa struct {
	*build.Context
	name, file string
	lanes      int
	rows       int               // of C that the registers hold, two vectors each
	v          []reg.VecPhysical // full-width registers
	wide       bool              // AVX-512: mask registers, broadcast in the operand
	words      []uint32          // constants, each filling a vector
	labels     int
}

func newAVX512() *isa {
	return &isa{
		Context: build.NewContext(), name: "AVX512", file: "avx512", lanes: 16, rows: 12, wide: true,
		v: []reg.VecPhysical{
			reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
			reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
			reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
			reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
		},
	}
}

func newAVX2() *isa {
	return &isa{
		Context: build.NewContext(), name: "AVX2", file: "avx2", lanes: 8, rows: 6,
		v: []reg.VecPhysical{
			reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
			reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
		},
	}
}

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

// width is the bytes of a vector.
func (t *isa) width() int { return 4 * t.lanes }

// label is a name that no other jump has.
func (t *isa) label(of string) string {
	t.labels++
	return fmt.Sprintf("%s%d", of, t.labels)
}

func at(base reg.Register, offset int) operand.Mem { return operand.Mem{Base: base, Disp: offset} }

func indexed(base, index reg.Register, scale uint8, offset int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale, Disp: offset}
}

func number(n int) operand.Constant { return operand.U32(uint32(n)) }

// function begins one that takes a single pointer to its arguments, which stays in args.
func (t *isa) function(name string, args reg.GPPhysical) {
	t.Function(name + t.name)
	t.Attributes(attr.NOSPLIT)
	t.SignatureExpr("func(p *byte)")
	t.Load(t.Param("p"), args)
}

func (t *isa) end() {
	t.VZEROUPPER()
	t.RET()
}

func (t *isa) zero(v reg.VecPhysical) {
	if t.wide {
		t.VPXORD(v, v, v)
	} else {
		t.VXORPS(v, v, v)
	}
}

// word is a vector full of a 32-bit constant.
func (t *isa) word(bits uint32) operand.Mem {
	for i, w := range t.words {
		if w == bits {
			return t.table(i * t.width())
		}
	}
	t.words = append(t.words, bits)
	return t.table((len(t.words) - 1) * t.width())
}

func (t *isa) float(x float64) operand.Mem { return t.word(math.Float32bits(float32(x))) }

func (t *isa) table(offset int) operand.Mem {
	return operand.NewDataAddr(operand.Symbol{Name: "constants" + t.name, Static: true}, offset)
}

func (t *isa) writeConstants() {
	t.StaticGlobal("constants" + t.name)
	t.DataAttributes(attr.RODATA | attr.NOPTR)
	at := 0
	for _, w := range t.words {
		for range t.lanes {
			t.AddDatum(at, operand.U32(w))
			at += 4
		}
	}
	if !t.wide {
		// Any eight words from here on begin with as many ones as wanted and go on with zeros.
		t.StaticGlobal("masks" + t.name)
		t.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 16 {
			bits := uint32(0)
			if i < 8 {
				bits = 0xffffffff
			}
			t.AddDatum(4*i, operand.U32(bits))
		}
	}
}

// mask makes the mask of the first n lanes, n in a register that is lost: in K1 for AVX-512, else
// in the given vector.
func (t *isa) mask(n, other reg.GPPhysical, v reg.VecPhysical) {
	if t.wide {
		// The n low bits: BZHI of all ones.
		t.MOVQ(operand.I32(-1), other)
		t.BZHIQ(n, other, other)
		t.KMOVW(other.As32(), reg.K1)
		return
	}
	t.NEGQ(n)
	t.LEAQ(operand.NewDataAddr(operand.Symbol{Name: "masks" + t.name, Static: true}, 0), other)
	t.VMOVUPS(indexed(other, n, 4, 32), v)
}

// loadMasked loads the lanes of the mask and zeros.
func (t *isa) loadMasked(m operand.Mem, mask, to reg.VecPhysical) {
	if t.wide {
		t.VMOVUPS_Z(m, reg.K1, to)
	} else {
		t.VMASKMOVPS(m, mask, to)
	}
}

func (t *isa) storeMasked(v, mask reg.VecPhysical, m operand.Mem) {
	if t.wide {
		t.VMOVUPS(v, reg.K1, m)
	} else {
		t.VMASKMOVPS(v, mask, m)
	}
}
