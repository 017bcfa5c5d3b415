package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Programs have more live values than there are registers, and avo cannot spill. So values get
// physical registers here: nodes are emitted in order; values from memory are fetched as late
// as can be, as an operand of the instruction itself on their last use; when no register is
// free, the value needed last gives up its own, after a store unless memory has it already.

// region says where the elements of a program's named region lie.
type region struct {
	base   reg.Register
	pitch  int
	offset int
}

func (r region) at(index int) operand.Mem { return at(r.base, r.offset+index*r.pitch) }

type assigner struct {
	*isa
	p       *program
	regions map[string]region
	spill   region

	uses   map[int][]int // value → nodes that use it, in order
	place  map[int]int   // value → register
	holder []int         // register → value, or none
	slot   map[int]int   // value → spill slot
	free   []int         // spill slots that may be used again
	slots  int
}

const none = -1

// spillSlots is how many vectors behind the work area a program may use.
const spillSlots = 64

// run emits a program; each, when not nil, is called after every arithmetic instruction.
func (t *isa) run(p *program, regions map[string]region, spill region, each func(arithmetic int)) {
	a := &assigner{
		isa: t, p: p, regions: regions, spill: spill,
		uses: map[int][]int{}, place: map[int]int{}, slot: map[int]int{},
		holder: make([]int, len(t.v)),
	}
	for i := range a.holder {
		a.holder[i] = none
	}
	for i, n := range p.nodes {
		for _, o := range n.operands() {
			a.uses[o] = append(a.uses[o], i)
		}
	}
	arithmetic := 0
	for i, n := range p.nodes {
		a.emit(i)
		if n.arithmetic() {
			if each != nil {
				each(arithmetic)
			}
			arithmetic++
		}
	}
	if a.slots > spillSlots {
		panic(fmt.Sprintf("%d spill slots, room for %d", a.slots, spillSlots))
	}
}

func (a *assigner) address(p place) operand.Mem {
	r, ok := a.regions[p.region]
	if !ok {
		panic("no region " + p.region)
	}
	return r.at(p.index)
}

// nextUse is the first node at or after i that uses v.
func (a *assigner) nextUse(v, i int) int {
	for _, u := range a.uses[v] {
		if u >= i {
			return u
		}
	}
	return math.MaxInt
}

func (a *assigner) deadAfter(v, i int) bool { return a.nextUse(v, i+1) == math.MaxInt }

// take gives a register for node i, emptying one that is not locked when all are in use.
func (a *assigner) take(i int, locked map[int]bool) int {
	best, far := none, none
	for r, v := range a.holder {
		if locked[r] {
			continue
		}
		if v == none {
			return r
		}
		if n := a.nextUse(v, i); n > far {
			best, far = r, n
		}
	}
	v := a.holder[best]
	if _, kept := a.slot[v]; !kept && !a.p.nodes[v].remade() && far != math.MaxInt {
		a.slot[v] = a.takeSlot()
		a.VMOVUPS(a.v[best], a.spill.at(a.slot[v]))
	}
	delete(a.place, v)
	a.holder[best] = none
	return best
}

func (a *assigner) takeSlot() int {
	if n := len(a.free); n > 0 {
		s := a.free[n-1]
		a.free = a.free[:n-1]
		return s
	}
	a.slots++
	return a.slots - 1
}

// folded is v as a memory operand for node i, when it lies only in memory and is best left
// there; whether it needs the broadcasting form comes with it.
func (a *assigner) folded(v, i int) (m operand.Mem, broadcasts, ok bool) {
	if _, in := a.place[v]; in {
		return m, false, false
	}
	n, last := a.p.nodes[v], a.deadAfter(v, i)
	if s, kept := a.slot[v]; kept && last {
		return a.spill.at(s), false, true
	}
	switch {
	case n.op == load && last:
		return a.address(n.at), false, true
	case n.op == broadcast && last && a.embedded:
		return a.address(n.at), true, true
	case n.op == constant:
		return a.pool.number(n.number), a.embedded, true
	}
	return m, false, false
}

// inRegister brings v into a register for node i and locks it there.
func (a *assigner) inRegister(v, i int, locked map[int]bool) reg.VecPhysical {
	if r, ok := a.place[v]; ok {
		locked[r] = true
		return a.v[r]
	}
	r := a.take(i, locked)
	locked[r] = true
	a.holder[r], a.place[v] = v, r
	switch n := a.p.nodes[v]; n.op {
	case load:
		a.VMOVUPS(a.address(n.at), a.v[r])
	case broadcast:
		a.VBROADCASTSS(a.address(n.at), a.v[r])
	case constant:
		a.VBROADCASTSS(a.pool.number(n.number), a.v[r])
	default:
		s, kept := a.slot[v]
		if !kept {
			panic(fmt.Sprintf("value %d is lost", v))
		}
		a.VMOVUPS(a.spill.at(s), a.v[r])
	}
	return a.v[r]
}

// release frees what the operands held that nothing after node i uses.
func (a *assigner) release(i int) {
	for _, v := range a.p.nodes[i].operands() {
		if !a.deadAfter(v, i) {
			continue
		}
		if r, ok := a.place[v]; ok {
			a.holder[r] = none
			delete(a.place, v)
		}
		if s, ok := a.slot[v]; ok {
			a.free = append(a.free, s)
			delete(a.slot, v)
		}
	}
}

func (a *assigner) define(v, r int) reg.VecPhysical {
	a.holder[r], a.place[v] = v, r
	return a.v[r]
}

func (a *assigner) emit(i int) {
	n := a.p.nodes[i]
	locked := map[int]bool{}
	switch {
	case n.op == store:
		a.VMOVUPS(a.inRegister(n.a, i, locked), a.address(n.at))
		a.release(i)
	case n.op == fma:
		a.emitFMA(i, n, locked)
	case n.arithmetic():
		a.emitBinary(i, n, locked)
	}
}

func (a *assigner) emitBinary(i int, n node, locked map[int]bool) {
	left, right := n.a, n.b
	memory, broadcasts, ok := a.folded(right, i)
	if !ok && n.op != sub {
		if m, bc, swapped := a.folded(left, i); swapped {
			left, right, memory, broadcasts, ok = right, left, m, bc, true
		}
	}
	ok = ok && left != right
	l := a.inRegister(left, i, locked)
	var r operand.Op = memory
	if !ok {
		r = a.inRegister(right, i, locked)
	}
	a.release(i)
	for reg := range locked { // operands that die here may give their register to the result
		if a.holder[reg] == none {
			delete(locked, reg)
		}
	}
	a.binary(n.op, ok && broadcasts, r, l, a.define(i, a.take(i+1, locked)))
}
