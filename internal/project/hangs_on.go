package project

import (
	"encoding/binary"
	"slices"
)

// hangsOn is a set of what an answer was found by: the functions whose callers were asked, and the calls of which nothing
// is known yet. It is a number in dependencies, which holds each set once; 0 is the empty set.
type hangsOn uint32

// onTooMuch is the set of an answer that hangs on more than mostHangsOn.
const onTooMuch hangsOn = 1

// mostHangsOn is the most that is noted of one answer.
const mostHangsOn = 50

// dependencies are the sets of one Eval.
type dependencies struct {
	numbers map[any]uint32 // of *Function and *Site
	sets    [][]uint32     // each in order
	known   map[string]hangsOn
	joined  map[[2]hangsOn]hangsOn
	key     []byte
}

func newDependencies() *dependencies {
	return &dependencies{numbers: map[any]uint32{}, sets: make([][]uint32, 2), known: map[string]hangsOn{}, joined: map[[2]hangsOn]hangsOn{}}
}

// hangs notes that the answer hangs on something, which is a function or a call.
func (e *Eval) hangs(on any) {
	if d := e.hangsOn; d != nil {
		e.gap.on = d.join(e.gap.on, d.set([]uint32{d.number(on)}))
	}
}

// callersOf are the calls of a function.
func (e *Eval) callersOf(f *Function) []*Site {
	e.hangs(f)
	return f.callers()
}

func (d *dependencies) number(on any) uint32 {
	n, ok := d.numbers[on]
	if !ok {
		n = uint32(len(d.numbers))
		d.numbers[on] = n
	}
	return n
}

// set is the number of a set that holds what the list does.
func (d *dependencies) set(list []uint32) hangsOn {
	if len(list) > mostHangsOn {
		return onTooMuch
	}
	d.key = d.key[:0]
	for _, n := range list {
		d.key = binary.LittleEndian.AppendUint32(d.key, n)
	}
	s, ok := d.known[string(d.key)]
	if !ok {
		s = hangsOn(len(d.sets))
		d.sets = append(d.sets, list)
		d.known[string(d.key)] = s
	}
	return s
}

// join is the set that holds both.
func (d *dependencies) join(a, b hangsOn) hangsOn {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a == onTooMuch || b == onTooMuch:
		return onTooMuch
	case a > b:
		a, b = b, a
	}
	pair := [2]hangsOn{a, b}
	s, ok := d.joined[pair]
	if !ok {
		list := slices.Concat(d.sets[a], d.sets[b])
		slices.Sort(list)
		s = d.set(slices.Compact(list))
		d.joined[pair] = s
	}
	return s
}

// meeting returns what reports a set that holds one of the list.
func (d *dependencies) meeting(list []any) func(hangsOn) bool {
	wanted := map[uint32]bool{}
	for _, x := range list {
		if n, ok := d.numbers[x]; ok {
			wanted[n] = true
		}
	}
	known := map[hangsOn]bool{onTooMuch: true}
	return func(s hangsOn) bool {
		meets, ok := known[s]
		if !ok {
			meets = slices.ContainsFunc(d.sets[s], func(n uint32) bool { return wanted[n] })
			known[s] = meets
		}
		return meets
	}
}
