package main

import "fmt"

// A program is straight-line code in SSA form. Every value is one vector with a frame in each
// lane; the same program becomes assembly for each instruction set and, with one lane, Go.

type opcode uint8

const (
	load      opcode = iota // a vector from memory; may be folded into the instruction that uses it
	broadcast               // one float32 from memory in all lanes; may be folded too
	constant                // a number known now, in all lanes; may be folded too
	add
	sub
	mul
	fma // ±(a·b) ± c
	store
)

// place is element index of a named region; whoever emits the program knows where regions lie.
type place struct {
	region string
	index  int
}

type node struct {
	op         opcode
	a, b, c    int
	negProduct bool // fma: -(a·b)
	negAddend  bool // fma: … - c
	number     float64
	at         place
}

func (n node) operands() []int {
	switch n.op {
	case add, sub, mul:
		return []int{n.a, n.b}
	case fma:
		return []int{n.a, n.b, n.c}
	case store:
		return []int{n.a}
	}
	return nil
}

// remade says that the value can be had again from memory, so it never needs a spill slot.
func (n node) remade() bool { return n.op == load || n.op == broadcast || n.op == constant }

func (n node) arithmetic() bool { return n.op >= add && n.op <= fma }

// value is a node's result, perhaps negated: a negation is carried here until an instruction
// can absorb it, so it never costs one.
type value struct {
	node int
	neg  bool
}

func neg(a value) value { return value{a.node, !a.neg} }

type program struct {
	nodes     []node
	constants map[float64]int
}

func newProgram() *program { return &program{constants: map[float64]int{}} }

func (p *program) push(n node) int {
	p.nodes = append(p.nodes, n)
	return len(p.nodes) - 1
}

func (p *program) load(region string, index int) value {
	return value{p.push(node{op: load, at: place{region, index}}), false}
}

func (p *program) broadcast(region string, index int) value {
	return value{p.push(node{op: broadcast, at: place{region, index}}), false}
}

func (p *program) number(k float64) value {
	negative := k < 0
	if negative {
		k = -k
	}
	id, ok := p.constants[k]
	if !ok {
		id = p.push(node{op: constant, number: k})
		p.constants[k] = id
	}
	return value{id, negative}
}

func (p *program) add(a, b value) value {
	switch {
	case a.neg == b.neg:
		return value{p.push(node{op: add, a: a.node, b: b.node}), a.neg}
	case a.neg:
		return value{p.push(node{op: sub, a: b.node, b: a.node}), false}
	default:
		return value{p.push(node{op: sub, a: a.node, b: b.node}), false}
	}
}

func (p *program) sub(a, b value) value { return p.add(a, neg(b)) }

func (p *program) mul(a, b value) value {
	return value{p.push(node{op: mul, a: a.node, b: b.node}), a.neg != b.neg}
}

// fma is a·b + c.
func (p *program) fma(a, b, c value) value {
	return value{p.push(node{
		op: fma, a: a.node, b: b.node, c: c.node,
		negProduct: a.neg != b.neg, negAddend: c.neg,
	}), false}
}

// axpy is k·a + c, a plain addition where k is ±1.
func (p *program) axpy(k float64, a, c value) value {
	switch k {
	case 1:
		return p.add(c, a)
	case -1:
		return p.sub(c, a)
	}
	return p.fma(p.number(k), a, c)
}

// store writes a. A negation still pending turns the subtraction that made the value round.
func (p *program) store(region string, index int, a value) {
	if a.neg {
		n := &p.nodes[a.node]
		if n.op != sub || p.used(a.node) {
			panic(fmt.Sprintf("value %d of operation %d cannot be negated", a.node, n.op))
		}
		n.a, n.b = n.b, n.a
	}
	p.push(node{op: store, a: a.node, at: place{region, index}})
}

func (p *program) used(id int) bool {
	for _, n := range p.nodes {
		for _, o := range n.operands() {
			if o == id {
				return true
			}
		}
	}
	return false
}
