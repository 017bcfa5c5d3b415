package project

import "saturate/internal/pysrc"

// eachIterated calls f with each value that a training loop may go over: x is what the loop names, behind an enumerate,
// say.
func (p *Project) eachIterated(f func(e *Eval, l *Loop, x pysrc.Expr, v Value)) {
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		for _, l := range p.loops[m] {
			x := l.Iter()
			if x == nil {
				continue
			}
			if x = m.iteratedBehind(x); x == nil {
				continue
			}
			e.steps = mostSteps
			v := e.expr(x, m.blocks[m.blocks[l.block].Parent].Scope)
			for _, w := range append([]Value{v}, v.Either...) {
				f(e, l, x, w)
			}
		}
	}
}

// generatorRoots returns what the training loops take their batches from where the project wrote it: a generator or an
// object with __next__. It runs in the process that trains, for each step the part between two yields.
func (p *Project) generatorRoots() (roots []*visit) {
	p.eachIterated(func(e *Eval, l *Loop, x pysrc.Expr, v Value) {
		next := e.takenBy(v, 0)
		if next == nil || next == l.Func {
			return
		}
		from := &visit{root: l.Func, fn: l.Func, kind: TrainingLoop, loop: l, sure: Certain}
		root := &visit{root: l.Func, fn: next, kind: TrainingLoop, from: from, sure: Likely, within: next.yieldLoop()}
		if call, ok := x.(*pysrc.Call); ok && v.Func == next {
			root.via = l.Module.SiteAt(call)
		}
		roots = append(roots, root)
	})
	return roots
}

// TakenBy is the function that runs when the next element is taken from a value: a generator, a method __next__, or a
// method __iter__ that yields; nil for others. A loader of torch has its samples from workers.
func (v *Value) TakenBy() *Function {
	if v.Kind != Instance {
		return nil
	}
	if v.Func != nil && v.Func.IsGenerator() {
		return v.Func
	}
	if v.Class == nil || v.Class.Derives("torch.utils.data.DataLoader", "torch.utils.data.Dataset", "torch.nn.Module") {
		return nil
	}
	if f := v.Class.Method("__next__"); f != nil {
		return f
	}
	if f := v.Class.Method("__iter__"); f != nil && f.IsGenerator() {
		return f
	}
	return nil
}

// yieldLoop is the block of the loop around the first yield of a generator, 0 where there is none: what stands outside
// runs once.
func (f *Function) yieldLoop() BlockID {
	if len(f.yields) == 0 || f.yields[0] == nil {
		return 0
	}
	m := f.Module
	for id := m.BlockAt(f.yields[0].Bounds().Start); id >= 0 && m.blocks[id].Func == f; id = m.blocks[id].Parent {
		if m.blocks[id].isLoop() {
			return id
		}
	}
	return 0
}
