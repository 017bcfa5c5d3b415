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
const mostHangsOn = 100

// dependencies are the sets of one Eval.
type dependencies struct {
	single map[any]hangsOn // of a *Function or *Site, which are numbered as they come
	sets   [][]uint32      // the numbers in each, in order
	known  map[string]hangsOn
	joined map[[2]hangsOn]hangsOn
	list   []uint32 // room to work in
	key    []byte   // likewise
}

// newDependencies makes room for those of a number of answers.
func newDependencies(answers int) *dependencies {
	return &dependencies{
		single: make(map[any]hangsOn, answers), sets: make([][]uint32, 2, 2+2*answers),
		known: make(map[string]hangsOn, answers/2), joined: make(map[[2]hangsOn]hangsOn, answers),
	}
}

// hangs notes that the answer hangs on something, which is a function or a call.
func (e *Eval) hangs(on any) {
	if d := e.hangsOn; d != nil {
		e.gap.on = d.join(e.gap.on, d.of(on))
	}
}

// callersOf are the calls of a function.
func (e *Eval) callersOf(f *Function) []*Site {
	e.hangs(f)
	return f.callers()
}

// of is the set of one thing.
func (d *dependencies) of(on any) hangsOn {
	s, ok := d.single[on]
	if !ok {
		s = d.add([]uint32{uint32(len(d.single))})
		d.single[on] = s
	}
	return s
}

func (d *dependencies) add(list []uint32) hangsOn {
	d.sets = append(d.sets, list)
	return hangsOn(len(d.sets) - 1)
}

// set is the set of several that the list holds.
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
		s = d.add(slices.Clone(list))
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
		d.list = append(append(d.list[:0], d.sets[a]...), d.sets[b]...)
		slices.Sort(d.list)
		s = d.set(slices.Compact(d.list))
		d.joined[pair] = s
	}
	return s
}

// meeting returns what reports a set that holds one of the list.
func (d *dependencies) meeting(list []any) func(hangsOn) bool {
	wanted := map[uint32]bool{}
	for _, x := range list {
		if s, ok := d.single[x]; ok {
			wanted[d.sets[s][0]] = true
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
