package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is one instruction set and the file that is written for it.
type isa struct {
	*build.Context
	name          string
	lanes         int
	pitch         int               // bytes from one row of transposed samples to the next
	v             []reg.VecPhysical // full-width registers
	x             []reg.VecPhysical // the low 128 bits of the first of them
	embedded      bool              // arithmetic can broadcast its memory operand
	prefetchEvery int               // arithmetic instructions of a DFT-25 for one prefetch
	pool          *constants
	control       operand.Mem // the saved floating-point control word
}

// A row holds lanes+2 samples. A pitch of a power of two would put many rows into few sets of
// the first cache: 128 bytes cost 5 to 10% of the whole time.
func newAVX512() *isa {
	return &isa{
		Context: build.NewContext(), name: "AVX512", lanes: 16, pitch: 72, embedded: true, prefetchEvery: 17,
		v: []reg.VecPhysical{
			reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
			reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
			reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
			reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
		},
		x:    xmm,
		pool: newConstants("numbersAVX512", 4),
	}
}

func newAVX2() *isa {
	return &isa{
		Context: build.NewContext(), name: "AVX2", lanes: 8, pitch: 40, prefetchEvery: 35,
		v: []reg.VecPhysical{
			reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
			reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
		},
		x:    xmm,
		pool: newConstants("numbersAVX2", 32),
	}
}

var xmm = []reg.VecPhysical{reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7}

// width is the bytes of a vector.
func (t *isa) width() int { return 4 * t.lanes }

func at(base reg.Register, offset int) operand.Mem { return operand.Mem{Base: base, Disp: offset} }

func (t *isa) add(n int, r reg.Register) { t.ADDQ(operand.U32(uint32(n)), r) }

// constants is one read-only table of 32-bit words: an entry is four bytes where instructions
// broadcast by themselves, else a whole vector.
type constants struct {
	symbol operand.Symbol
	width  int
	index  map[uint32]int
	words  []uint32
}

func newConstants(symbol string, width int) *constants {
	return &constants{symbol: operand.Symbol{Name: symbol, Static: true}, width: width, index: map[uint32]int{}}
}

func (c *constants) word(bits uint32) operand.Mem {
	i, ok := c.index[bits]
	if !ok {
		i = len(c.words)
		c.index[bits] = i
		c.words = append(c.words, bits)
	}
	return operand.NewDataAddr(c.symbol, i*c.width)
}

func (c *constants) number(k float64) operand.Mem { return c.word(math.Float32bits(float32(k))) }

func (c *constants) write(t *isa) {
	t.StaticGlobal(c.symbol.Name)
	t.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, word := range c.words {
		for offset := 0; offset < c.width; offset += 4 {
			t.AddDatum(i*c.width+offset, operand.U32(word))
		}
	}
}
