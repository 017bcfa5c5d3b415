package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type instruction = func(*build.Context, ...operand.Op)

// forms are an operation's encodings: the plain one and the one that broadcasts its memory operand.
type forms struct{ plain, broadcasting instruction }

func (f forms) emit(t *isa, broadcasts bool, operands ...operand.Op) {
	if broadcasts {
		f.broadcasting(t.Context, operands...)
		return
	}
	f.plain(t.Context, operands...)
}

var binaries = map[opcode]forms{
	add: {(*build.Context).VADDPS, (*build.Context).VADDPS_BCST},
	sub: {(*build.Context).VSUBPS, (*build.Context).VSUBPS_BCST},
	mul: {(*build.Context).VMULPS, (*build.Context).VMULPS_BCST},
}

// binary computes left op right; right may be memory.
func (t *isa) binary(op opcode, broadcasts bool, right operand.Op, left, result reg.VecPhysical) {
	binaries[op].emit(t, broadcasts, right, left, result)
}

// An FMA overwrites one of its operands, and which one is in its name. With operands named in
// Go's order, third, second, first:
//
//	132: first = first·third + second
//	213: first = second·first + third
//	231: first = second·third + first
type order int

type signs struct{ negProduct, negAddend bool }

var fmas = map[signs]map[order]forms{
	{false, false}: {
		132: {(*build.Context).VFMADD132PS, (*build.Context).VFMADD132PS_BCST},
		213: {(*build.Context).VFMADD213PS, (*build.Context).VFMADD213PS_BCST},
		231: {(*build.Context).VFMADD231PS, (*build.Context).VFMADD231PS_BCST},
	},
	{true, false}: {
		132: {(*build.Context).VFNMADD132PS, (*build.Context).VFNMADD132PS_BCST},
		213: {(*build.Context).VFNMADD213PS, (*build.Context).VFNMADD213PS_BCST},
		231: {(*build.Context).VFNMADD231PS, (*build.Context).VFNMADD231PS_BCST},
	},
	{false, true}: {
		132: {(*build.Context).VFMSUB132PS, (*build.Context).VFMSUB132PS_BCST},
		213: {(*build.Context).VFMSUB213PS, (*build.Context).VFMSUB213PS_BCST},
		231: {(*build.Context).VFMSUB231PS, (*build.Context).VFMSUB231PS_BCST},
	},
	{true, true}: {
		132: {(*build.Context).VFNMSUB132PS, (*build.Context).VFNMSUB132PS_BCST},
		213: {(*build.Context).VFNMSUB213PS, (*build.Context).VFNMSUB213PS_BCST},
		231: {(*build.Context).VFNMSUB231PS, (*build.Context).VFNMSUB231PS_BCST},
	},
}

// emitFMA picks the form that overwrites an operand nobody needs again, and folds at most one
// operand from memory, a constant rather than another.
func (a *assigner) emitFMA(i int, n node, locked map[int]bool) {
	x, y, z := n.a, n.b, n.c // x·y + z
	var memory operand.Mem
	var broadcasts bool
	fold := none
	for _, v := range a.foldOrder(n) {
		if m, bc, ok := a.folded(v, i); ok {
			memory, broadcasts, fold = m, bc, v
			break
		}
	}
	if fold == y {
		x, y = y, x
	}
	emit := func(o order, third operand.Op, second, first reg.VecPhysical) {
		bc := broadcasts && fold != none
		fmas[signs{n.negProduct, n.negAddend}][o].emit(a.isa, bc, third, second, first)
	}
	dies := func(v int, others ...int) bool {
		for _, o := range others {
			if v == o {
				return false
			}
		}
		return a.deadAfter(v, i)
	}
	overwrite := func(v int) reg.VecPhysical {
		r := a.place[v]
		a.release(i)
		return a.define(i, r)
	}
	duplicate := func(v int) reg.VecPhysical {
		source := a.inRegister(v, i, locked)
		r := a.take(i, locked)
		a.release(i)
		result := a.define(i, r)
		a.VMOVAPS(source, result)
		return result
	}
	get := func(v int) reg.VecPhysical { return a.inRegister(v, i, locked) }
	switch {
	case fold == z && fold != none:
		rx, ry := get(x), get(y)
		switch {
		case dies(x):
			emit(213, memory, ry, overwrite(x))
		case dies(y):
			emit(213, memory, rx, overwrite(y))
		default:
			emit(213, memory, ry, duplicate(x))
		}
	case fold != none: // x is in memory
		ry, rz := get(y), get(z)
		switch {
		case dies(z, y):
			emit(231, memory, ry, overwrite(z))
		case dies(y, z):
			emit(132, memory, rz, overwrite(y))
		default:
			emit(231, memory, ry, duplicate(z))
		}
	default:
		rx, ry, rz := get(x), get(y), get(z)
		switch {
		case dies(z, x, y):
			emit(231, rx, ry, overwrite(z))
		case dies(x, y, z):
			emit(213, rz, ry, overwrite(x))
		case dies(y, x, z):
			emit(213, rz, rx, overwrite(y))
		default:
			emit(231, rx, ry, duplicate(z))
		}
	}
}

// foldOrder lists the operands that may come from memory, best first: none that occurs twice.
func (a *assigner) foldOrder(n node) []int {
	var list []int
	for _, v := range []int{n.a, n.b} {
		if a.p.nodes[v].op == constant {
			list = append(list, v)
		}
	}
	list = append(list, n.a, n.b, n.c)
	once := list[:0]
	for _, v := range list {
		times := 0
		for _, o := range n.operands() {
			if o == v {
				times++
			}
		}
		if times == 1 {
			once = append(once, v)
		}
	}
	return once
}
