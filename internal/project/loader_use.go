package project

import (
	"maps"
	"slices"
	"sync"

	"saturate/internal/pysrc"
)

// Use is what the loops over a loader do with its batches.
type Use uint8

const (
	NoUse   Use = 0      // nothing is seen to go over it
	Trains  Use = 1 << 0 // a training loop goes over it
	LooksAt Use = 1 << 1 // a loop that does not train goes over it
	Repeats Use = 1 << 2 // the training loop is gone through again and again
	Glances Use = 1 << 3 // the loop that does not train ends after a few batches
)

// loaderUses are the uses of loaders by the call that makes them, filled on first use.
type loaderUses struct {
	once   sync.Once
	made   map[*Site]Use
	either []*Site // of several loaders that a training loop goes over, one
}

// LoaderUse returns what the project's loops do with the loader that a call makes, or with the loader that what it makes is given
// to: a data set, a transform. The iterable of each loop is followed to the call through variables, fields and parameters.
func (p *Project) LoaderUse(s *Site) Use {
	p.uses.once.Do(p.findLoaderUses)
	return p.uses.made[s]
}

func (p *Project) findLoaderUses() {
	p.uses.made = map[*Site]Use{}
	var handed []*Site // loaders that generators hand on
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		if m.Role == Test || !m.imports["torch"] && len(p.loops[m]) == 0 {
			continue // a loop that trains may need no name of torch
		}
		for id := range m.blocks {
			b := &m.blocks[id]
			loop, ok := b.Owner.(*pysrc.For)
			if !ok || !b.isLoop() {
				continue
			}
			use := LooksAt
			if l := p.trainingWithin(m, BlockID(id)); l != nil && !(m.onlyBeside(l, BlockID(id)) && e.Rare(m, loop) != nil) {
				use = Trains
			}
			if use == LooksAt && e.EndsEarly(m, loop) {
				use |= Glances
			}
			handsOn := use&LooksAt != 0 && b.Func.IsGenerator() // then those who take from it decide
			over := m.goneOver(loop.Iter)
			if len(over) == 0 {
				continue
			}
			if use == Trains && p.goneThroughAgain(m, BlockID(id), 0) {
				use |= Repeats
			}
			for _, x := range over {
				e.steps = mostSteps
				v := e.expr(x, m.blocks[b.Parent].Scope)
				if made := e.onlyLoader(v); made != nil && handsOn {
					handed = append(handed, made)
				} else if !p.useOf(e, v, use) {
					for _, name := range v.namesOf(x) {
						p.usePassed(e, b.Func, name, p.trainingWithin(m, BlockID(id)), use, 0)
					}
				}
				if use&Trains != 0 {
					p.useMade(v, use)
				}
			}
		}
	}
	p.useEvaluated(e)
	p.findNext(e)
	p.findHooked(e)
	for _, made := range handed {
		if p.uses.made[made]&Trains == 0 {
			p.uses.made[made] |= LooksAt
		}
	}
	for _, made := range p.uses.either {
		if p.uses.made[made]&Trains == 0 {
			delete(p.uses.made, made)
		}
	}
	for made, use := range maps.Clone(p.uses.made) {
		p.useGiven(e, made, use, 0)
	}
}

// deepestGivenTo is through how many calls the parts of a loader are followed: its data set, of that a transform, and its parts.
const deepestGivenTo = 6

// useGiven notes the use of a loader with what made the objects that it is given.
func (p *Project) useGiven(e *Eval, made *Site, use Use, depth int) {
	if a, ok := made.Node.Func.(*pysrc.Attribute); ok {
		p.useMadeOf(e, made, a.Value, use, depth)
	}
	for _, x := range made.Node.Args {
		p.useMadeOf(e, made, x, use, depth)
	}
	for _, k := range made.Node.Keywords {
		p.useMadeOf(e, made, k.Value, use, depth)
	}
}

// useMadeOf notes the use with what made the objects that an expression of a call stands for: of several, which is not followed.
func (p *Project) useMadeOf(e *Eval, by *Site, x pysrc.Expr, use Use, depth int) {
	for _, part := range elements(x) {
		p.useMadeOf(e, by, part, use, depth)
	}
	e.steps = mostSteps
	v := e.expr(x, by.scope())
	for _, w := range append([]Value{v}, v.Either...) {
		if w.Made != nil && w.Made != by && w.Kind == Instance && p.uses.made[w.Made]|use != p.uses.made[w.Made] && depth < deepestGivenTo &&
			(use&Trains != 0 || len(v.Either) == 0) {
			p.uses.made[w.Made] |= use
			p.useGiven(e, w.Made, use, depth+1)
		}
	}
}

// onlyBeside reports a loop within a training loop in which nothing of the step runs: no update, and no backward pass.
func (m *Module) onlyBeside(l *Loop, id BlockID) bool {
	if l.block == id || !m.holds(l.block, id) || len(l.Steps) == 0 {
		return false
	}
	return !slices.ContainsFunc(l.Steps, func(s *Site) bool { return s.Func == l.Func && m.holds(id, s.Block) }) &&
		!slices.ContainsFunc(l.Func.Sites, func(s *Site) bool { return s.Method() == "backward" && m.holds(id, s.Block) })
}

// findNext notes the loaders that training steps take batches from by next(batches).
func (p *Project) findNext(e *Eval) {
	for m, loops := range p.loops {
		if m.Role == Test {
			continue
		}
		for _, l := range loops {
			for _, s := range l.Func.Sites {
				name, ok := s.Node.Func.(*pysrc.Name)
				if !ok || name.ID != "next" || len(s.Node.Args) == 0 || !m.holds(l.block, s.Block) {
					continue
				}
				e.steps = mostSteps
				v := e.expr(s.Node.Args[0], s.scope())
				if made := e.onlyLoader(v); made != nil {
					p.uses.made[made] |= Trains | Repeats
				}
				p.useMade(v, Trains|Repeats)
			}
		}
	}
}

// namesOf are the variables that a loop over a value goes over: the expression itself, or what it gives a generator of the project.
func (v Value) namesOf(x pysrc.Expr) (names []string) {
	over := []pysrc.Expr{x}
	if call, ok := x.(*pysrc.Call); ok && v.Kind == Instance && v.Func != nil && v.Func.IsGenerator() {
		over = call.Args
	}
	for _, x := range over {
		if name, ok := x.(*pysrc.Name); ok {
			names = append(names, name.ID)
		}
	}
	return names
}

// usePassed notes the use of the loaders that callers pass for a parameter of a function that goes over it. A caller whose literals
// keep the step from running, train=False, only looks at its loader.
func (p *Project) usePassed(e *Eval, f *Function, parameter string, training *Loop, use Use, depth int) {
	if b := f.Scope.last(parameter); b == nil || b.Kind != Parameter || len(f.callers()) > mostCallers || depth > deepestUse {
		return
	}
	for _, s := range f.callers() {
		e.steps = mostSteps
		use := use
		if training != nil && (p.evaluates(s.Func) || !slices.ContainsFunc(training.Steps, func(step *Site) bool {
			return step.Func != f || e.takenIn(s, f, step.Block) != never
		})) {
			use = LooksAt
		}
		if given, ok := s.passes(f, parameter, f.position(parameter)).(*pysrc.Name); ok && use == LooksAt {
			p.usePassed(e, s.Func, given.ID, nil, use, depth+1) // which hands on its own parameter
		}
		p.useOf(e, e.argument(s, parameter, e.signatureFor(s, f), 0), use)
	}
}

// useOf notes the use of the loader that a value is. Of several, each may be looked at, and which of them trains is not followed.
func (p *Project) useOf(e *Eval, v Value, use Use) (found bool) {
	if made := e.onlyLoader(v); made != nil {
		p.uses.made[made] |= use
		return true
	}
	for _, w := range v.Either {
		if made := e.onlyLoader(w); made == nil {
			continue
		} else if found = true; use&Trains == 0 {
			p.uses.made[made] |= use
		} else {
			p.uses.either = append(p.uses.either, made)
		}
	}
	return found
}

// useEvaluated notes the loaders that functions are given which evaluate.
func (p *Project) useEvaluated(e *Eval) {
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if s.Calls.Func == nil || m.Role == Test || !p.evaluates(s.Calls.Func) {
				continue
			}
			for _, x := range s.Node.Args {
				p.useNamed(e, s.scope(), x, LooksAt)
			}
			for _, k := range s.Node.Keywords {
				p.useNamed(e, s.scope(), k.Value, LooksAt)
			}
		}
	}
}

// useNamed is useOf for an expression: of a variable, for all that branches set it to.
func (p *Project) useNamed(e *Eval, sc *Scope, x pysrc.Expr, use Use) {
	said := []pysrc.Expr{x}
	if name, ok := x.(*pysrc.Name); ok {
		if either := sc.Module.SaidEither(name); len(either) > 1 {
			said = either
		}
	}
	for _, x := range said {
		e.steps = mostSteps
		p.useOf(e, e.expr(x, sc), use)
	}
}

// trainingWithin is the training loop that a loop is, or that is around it or in it.
func (p *Project) trainingWithin(m *Module, id BlockID) *Loop {
	for _, l := range p.loops[m] {
		if m.holds(id, l.block) || m.holds(l.block, id) {
			return l
		}
	}
	return nil
}

// onlyLoader is the call that makes a loader, if there is exactly one: a function may return one for training or one
// for evaluation, and the choice is not followed.
func (e *Eval) onlyLoader(v Value) *Site {
	var made *Site
	for _, w := range append([]Value{v}, v.Either...) {
		if w.Made == nil {
			continue
		}
		if !w.IsInstance("torch.utils.data.DataLoader") {
			if w = e.wrapped(w); w.Made == nil {
				continue
			}
		}
		if made != nil && made != w.Made {
			return nil
		}
		made = w.Made
	}
	return made
}

// goneThroughAgain reports whether a loop runs inside another, in its function or at a call of it.
func (p *Project) goneThroughAgain(m *Module, id BlockID, depth int) bool {
	fn := m.blocks[id].Func
	for at := m.blocks[id].Parent; at >= 0 && m.blocks[at].Func == fn; at = m.blocks[at].Parent {
		if m.blocks[at].isLoop() {
			return true
		}
	}
	if depth > 3 {
		return false
	}
	for _, s := range fn.callers() {
		if s.Func == fn || p.evaluates(s.Func) {
			continue
		}
		other := s.Module()
		if other.blocks[s.Block].isLoop() || p.goneThroughAgain(other, s.Block, depth+1) {
			return true
		}
	}
	return false
}

// RepeatsTraining reports whether every training loop of the project runs repeatedly, whatever it iterates over.
func (p *Project) RepeatsTraining() bool {
	found := false
	for m, loops := range p.loops {
		for _, l := range loops {
			if m.Role == Test {
				continue
			}
			if !p.goneThroughAgain(m, l.block, 0) {
				return false
			}
			found = true
		}
	}
	return found
}
