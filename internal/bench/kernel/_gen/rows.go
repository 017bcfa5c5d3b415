package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the Go type rowCall.
const (
	rowTo      = 0
	rowA       = 8
	rowB       = 16
	rowCount   = 24
	rowLargest = 32
	rowFactor  = 36
	rowResult  = 40
)

var rowArgs, rowX, rowLeft, rowTemp = reg.RAX, reg.RSI, reg.RCX, reg.RDX

// overRow calls each for every vector of the row, in turns of several, and last for what is left,
// under the mask. The pointers move along.
func (t *isa) overRow(turn int, pointers []reg.GPPhysical, mask reg.VecPhysical, each func(i int, masked bool)) {
	many, single, one, tail, done := t.label("many"), t.label("single"), t.label("one"), t.label("tail"), t.label("done")
	advance := func(n int) {
		for _, r := range pointers {
			t.ADDQ(number(n*t.width()), r)
		}
	}
	t.SUBQ(number(turn*t.lanes), rowLeft)
	t.JL(operand.LabelRef(single))
	t.Label(many)
	for i := range turn {
		each(i, false)
	}
	advance(turn)
	t.SUBQ(number(turn*t.lanes), rowLeft)
	t.JGE(operand.LabelRef(many))
	t.Label(single)
	t.ADDQ(number((turn-1)*t.lanes), rowLeft)
	t.JL(operand.LabelRef(tail))
	t.Label(one)
	each(0, false)
	advance(1)
	t.SUBQ(number(t.lanes), rowLeft)
	t.JGE(operand.LabelRef(one))
	t.Label(tail)
	t.ADDQ(number(t.lanes), rowLeft)
	t.JZ(operand.LabelRef(done))
	t.mask(rowLeft, rowTemp, mask)
	each(0, true)
	t.Label(done)
}

func (t *isa) rowFunction(name string) {
	t.function(name, rowArgs)
	t.MOVQ(at(rowArgs, rowTo), rowX)
	t.MOVQ(at(rowArgs, rowCount), rowLeft)
}

// fold brings all lanes of v together into its first one.
func (t *isa) fold(v, other reg.VecPhysical, together func(m, x, y operand.Op)) {
	if t.wide {
		t.VEXTRACTF64X4(operand.Imm(1), v, other.AsY())
		together(other.AsY(), v.AsY(), v.AsY())
	}
	t.VEXTRACTF128(operand.Imm(1), v.AsY(), other.AsX())
	together(other.AsX(), v.AsX(), v.AsX())
	t.VSHUFPS(operand.Imm(0x4e), v.AsX(), v.AsX(), other.AsX())
	together(other.AsX(), v.AsX(), v.AsX())
	t.VSHUFPS(operand.Imm(0xb1), v.AsX(), v.AsX(), other.AsX())
	together(other.AsX(), v.AsX(), v.AsX())
}

func (t *isa) writeLargest() {
	t.rowFunction("largest")
	const turn = 4
	lowest, x, mask := t.v[5], t.v[6], t.v[7]
	t.VMOVUPS(t.float(math.Inf(-1)), lowest)
	for i := range turn {
		t.VMOVAPS(lowest, t.v[i])
	}
	t.overRow(turn, []reg.GPPhysical{rowX}, mask, func(i int, masked bool) {
		// The second operand stays where the first one is NaN.
		if !masked {
			t.VMOVUPS(at(rowX, i*t.width()), x)
		} else if t.wide {
			t.VMOVAPS(lowest, x)
			t.VMOVUPS(at(rowX, 0), reg.K1, x)
		} else {
			t.VMASKMOVPS(at(rowX, 0), mask, x)
			t.VBLENDVPS(mask, x, lowest, x)
		}
		t.VMAXPS(t.v[i], x, t.v[i])
	})
	t.VMAXPS(t.v[1], t.v[0], t.v[0])
	t.VMAXPS(t.v[3], t.v[2], t.v[2])
	t.VMAXPS(t.v[2], t.v[0], t.v[0])
	t.fold(t.v[0], t.v[1], func(m, x, y operand.Op) { t.VMAXPS(m, x, y) })
	t.VMOVSS(t.v[0].AsX(), at(rowArgs, rowResult))
	t.end()
}

// writeExps writes e^((x-largest)·factor) over x, and the sum. The steps are those of exp32 in Go.
func (t *isa) writeExps() {
	t.rowFunction("exps")
	const turn = 4
	sums, v := t.v[:4], t.v[4:]
	if !t.wide {
		sums, v = t.v[:2], t.v[2:]
	}
	// AVX2 has no registers left for the constants, which come from memory.
	largest, factor, mask := v[0], v[1], v[2]
	v = v[3:]
	t.VBROADCASTSS(at(rowArgs, rowLargest), largest)
	t.VBROADCASTSS(at(rowArgs, rowFactor), factor)
	for _, s := range sums {
		t.zero(s)
	}
	constant := func(x float64) operand.Op { return t.float(x) }
	if t.wide {
		kept := map[float64]reg.VecPhysical{}
		for _, x := range []float64{
			log2e, magic, ln2Hi, ln2Lo, expMin, polynomial[1], polynomial[2], polynomial[3], polynomial[4], polynomial[5], 1,
		} {
			r := t.v[len(t.v)-1-len(kept)]
			t.VMOVUPS(t.float(x), r)
			kept[x] = r
		}
		constant = func(x float64) operand.Op {
			if r, ok := kept[x]; ok {
				return r
			}
			return t.float(x)
		}
	}
	t.overRow(turn, []reg.GPPhysical{rowX}, mask, func(i int, masked bool) {
		// Two sets of registers let neighbours overlap where there are enough.
		x, n, r, p := v[0], v[1], v[2], v[3]
		if t.wide && i%2 == 1 {
			x, n, r, p = v[4], v[5], v[6], v[7]
		}
		if masked {
			t.loadMasked(at(rowX, 0), mask, x)
			t.VSUBPS(largest, x, x)
		} else {
			t.VMOVUPS(at(rowX, i*t.width()), x)
			t.VSUBPS(largest, x, x)
		}
		t.VMULPS(factor, x, x)
		t.VMOVUPS(constant(magic), n)
		t.VFMADD231PS(constant(log2e), x, n)
		t.VSUBPS(constant(magic), n, p)
		t.VMOVAPS(x, r)
		t.VFNMADD231PS(constant(ln2Hi), p, r)
		t.VFNMADD231PS(constant(ln2Lo), p, r)
		t.VMOVUPS(constant(polynomial[0]), p)
		for _, c := range polynomial[1:] {
			t.VFMADD213PS(constant(c), r, p)
		}
		t.VMULPS(r, p, p)
		t.VFMADD213PS(r, r, p) // p·r² + r
		t.VADDPS(constant(1), p, p)
		t.VPSLLD(operand.Imm(23), n, n)
		t.VPADDD(constant(1), n, n) // the bits of 1 are the exponent's offset: this is 2^n
		// Not less than: NaN passes.
		if t.wide {
			t.VCMPPS(operand.Imm(5), constant(expMin), x, reg.K2)
			if masked {
				t.KANDW(reg.K1, reg.K2, reg.K2)
			}
			t.VMULPS_Z(n, p, reg.K2, p)
		} else {
			t.VMULPS(n, p, p)
			t.VCMPPS(operand.Imm(5), constant(expMin), x, x)
			t.VANDPS(x, p, p)
			if masked {
				t.VANDPS(mask, p, p)
			}
		}
		if masked {
			t.storeMasked(p, mask, at(rowX, 0))
		} else {
			t.VMOVUPS(p, at(rowX, i*t.width()))
		}
		t.VADDPS(p, sums[i%len(sums)], sums[i%len(sums)])
	})
	for n := len(sums) / 2; n > 0; n /= 2 {
		for i := range n {
			t.VADDPS(sums[i+n], sums[i], sums[i])
		}
	}
	t.fold(sums[0], sums[1], func(m, x, y operand.Op) { t.VADDPS(m, x, y) })
	t.VMOVSS(sums[0].AsX(), at(rowArgs, rowResult))
	t.end()
}

// The numbers of exp32.
const (
	log2e  = 1.44269504088896341
	ln2Hi  = 0.693359375
	ln2Lo  = -2.12194440e-4
	expMin = -87.33654
	magic  = 3 << 22
)

var polynomial = []float64{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1}

func (t *isa) writeTimes() {
	t.rowFunction("times")
	factor, x, mask := t.v[0], t.v[1], t.v[2]
	t.VBROADCASTSS(at(rowArgs, rowFactor), factor)
	t.overRow(4, []reg.GPPhysical{rowX}, mask, func(i int, masked bool) {
		if masked {
			t.loadMasked(at(rowX, 0), mask, x)
			t.VMULPS(factor, x, x)
			t.storeMasked(x, mask, at(rowX, 0))
			return
		}
		t.VMULPS(at(rowX, i*t.width()), factor, x)
		t.VMOVUPS(x, at(rowX, i*t.width()))
	})
	t.end()
}

// writeStreams writes copy and triad. Both write past the caches: to is aligned to a cache line and
// the count to turns.
func (t *isa) writeStreams() {
	first, second := reg.RDI, reg.RBX
	factor := t.v[8]
	const turn = 4
	stream := func(name string, pointers []reg.GPPhysical, value func(offset int, v reg.VecPhysical)) {
		t.rowFunction(name)
		t.MOVQ(at(rowArgs, rowA), first)
		t.MOVQ(at(rowArgs, rowB), second)
		t.VBROADCASTSS(at(rowArgs, rowFactor), factor)
		t.Label("again")
		for i := range turn {
			value(i*t.width(), t.v[i])
			t.VMOVNTPS(t.v[i], at(rowX, i*t.width()))
		}
		for _, r := range pointers {
			t.ADDQ(number(turn*t.width()), r)
		}
		t.SUBQ(number(turn*t.lanes), rowLeft)
		t.JNZ(operand.LabelRef("again"))
		t.SFENCE()
		t.end()
	}
	stream("copy", []reg.GPPhysical{rowX, first}, func(offset int, v reg.VecPhysical) {
		t.VMOVUPS(at(first, offset), v)
	})
	stream("triad", []reg.GPPhysical{rowX, first, second}, func(offset int, v reg.VecPhysical) {
		t.VMOVUPS(at(second, offset), v)
		t.VFMADD213PS(at(first, offset), factor, v)
	})
}
