package main

import (
	"fmt"
	"math"
)

// neonRegion says where the elements of a program's named region lie.
type neonRegion struct{ base, pitch int }

// neonAssigner gives values registers as assign.go does, without operands from memory.
type neonAssigner struct {
	*neon
	p       *program
	regions map[string]neonRegion
	uses    map[int][]int
	place   map[int]int
	holder  [32]int
	slot    map[int]int
	free    []int
	slots   int
}

func (t *neon) run(p *program, regions map[string]neonRegion) {
	a := &neonAssigner{neon: t, p: p, regions: regions, uses: map[int][]int{}, place: map[int]int{}, slot: map[int]int{}}
	for i := range a.holder {
		a.holder[i] = none
	}
	for i, n := range p.nodes {
		for _, o := range n.operands() {
			a.uses[o] = append(a.uses[o], i)
		}
	}
	for i := range p.nodes {
		a.emit(i)
	}
	if a.slots > spillSlots {
		panic(fmt.Sprintf("%d spill slots, room for %d", a.slots, spillSlots))
	}
}

func (a *neonAssigner) nextUse(v, i int) int {
	for _, u := range a.uses[v] {
		if u >= i {
			return u
		}
	}
	return math.MaxInt
}

// take gives a register for node i, emptying the one whose value is needed last when all are in use.
func (a *neonAssigner) take(i int, locked map[int]bool) int {
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
		if n := len(a.free); n > 0 {
			a.slot[v], a.free = a.free[n-1], a.free[:n-1]
		} else {
			a.slot[v] = a.slots
			a.slots++
		}
		a.store(best, neonSpill, a.slot[v]*neonWidth)
	}
	delete(a.place, v)
	a.holder[best] = none
	return best
}

func (a *neonAssigner) inRegister(v, i int, locked map[int]bool) int {
	if r, ok := a.place[v]; ok {
		locked[r] = true
		return r
	}
	r := a.take(i, locked)
	locked[r] = true
	a.holder[r], a.place[v] = v, r
	n := a.p.nodes[v]
	at := a.regions[n.at.region]
	switch n.op {
	case load:
		a.load(r, at.base, n.at.index*at.pitch)
	case broadcast:
		a.broadcast(r, at.base, n.at.index*at.pitch)
	case constant:
		a.constant(r, math.Float32bits(float32(n.number)))
	default:
		s, kept := a.slot[v]
		if !kept {
			panic(fmt.Sprintf("value %d is lost", v))
		}
		a.load(r, neonSpill, s*neonWidth)
	}
	return r
}

// release frees what the operands held that nothing after node i uses.
func (a *neonAssigner) release(i int, locked map[int]bool) {
	for _, v := range a.p.nodes[i].operands() {
		if a.nextUse(v, i+1) != math.MaxInt {
			continue
		}
		if r, ok := a.place[v]; ok {
			a.holder[r] = none
			delete(a.place, v)
			delete(locked, r)
		}
		if s, ok := a.slot[v]; ok {
			a.free = append(a.free, s)
			delete(a.slot, v)
		}
	}
}

func (a *neonAssigner) define(v, r int) int {
	a.holder[r], a.place[v] = v, r
	return r
}

func (a *neonAssigner) emit(i int) {
	n, locked := a.p.nodes[i], map[int]bool{}
	switch n.op {
	case store:
		at := a.regions[n.at.region]
		a.store(a.inRegister(n.a, i, locked), at.base, n.at.index*at.pitch)
		a.release(i, locked)
	case add, sub, mul:
		l, r := a.inRegister(n.a, i, locked), a.inRegister(n.b, i, locked)
		a.release(i, locked) // operands that die here may give their register to the result
		a.three(map[opcode]uint32{add: fadd, sub: fsub, mul: fmul}[n.op], a.define(i, a.take(i+1, locked)), l, r)
	case fma:
		x, y, z := a.inRegister(n.a, i, locked), a.inRegister(n.b, i, locked), a.inRegister(n.c, i, locked)
		d := z
		if a.nextUse(n.c, i+1) != math.MaxInt || n.c == n.a || n.c == n.b {
			d = a.take(i+1, locked)
			if !n.negAddend {
				a.three(vorr, d, z, z)
			}
		}
		if n.negAddend {
			a.two(fneg, d, z)
		}
		op := uint32(fmla)
		if n.negProduct {
			op = fmls
		}
		a.three(op, d, x, y)
		a.release(i, locked)
		a.define(i, d)
	}
}
