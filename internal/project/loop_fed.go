package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// countsOnly reports a loop that only counts, and not epochs: for part in range(accumulations).
func countsOnly(owner pysrc.Node) bool {
	f, ok := owner.(*pysrc.For)
	if !ok || isEpochLoop(owner) {
		return false
	}
	c, ok := f.Iter.(*pysrc.Call)
	return ok && lastName(c.Func) == "range"
}

// isFed reports a function that takes one step with what a loop hands to it: for x, y in loader: train(x, y). A loop
// inside of it that only counts is then a part of the step: updates of a critic, parts of a batch.
func (p *Project) isFed(fn *Function) bool {
	users := fn.callers()
	return len(users) <= mostCallers && slices.ContainsFunc(users, func(s *Site) bool {
		return s.Func != fn && s.takesFromLoop()
	})
}

// takesFromLoop reports a call that is given a variable of a loop around it that goes over more than numbers.
func (s *Site) takesFromLoop() bool {
	m := s.Module()
	var given []string
	for _, a := range s.Node.Args {
		if name := RootName(a); name != nil {
			given = append(given, name.ID)
		}
	}
	for id := s.Block; id >= 0 && m.blocks[id].Func == s.Func && len(given) > 0; id = m.blocks[id].Parent {
		loop, ok := m.blocks[id].Owner.(*pysrc.For)
		if !ok || !m.blocks[id].isLoop() || countsOnly(loop) || isEpochLoop(loop) {
			continue
		}
		if slices.ContainsFunc(given, func(name string) bool { return binds(loop.Target, name) }) {
			return true
		}
	}
	return false
}

// binds reports a target of a loop that sets a name: x of i, (x, y).
func binds(target pysrc.Expr, name string) bool {
	found := false
	pysrc.Inspect(target, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID == name {
			found = true
		}
		return !found
	})
	return found
}
