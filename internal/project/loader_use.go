package project

import (
	"sync"

	"saturate/internal/pysrc"
)

// Use is what the loops that go over a loader do with what it gives.
type Use uint8

const (
	NoUse   Use = 0      // nothing is seen to go over it
	Trains  Use = 1 << 0 // a training loop goes over it
	LooksAt Use = 1 << 1 // a loop that does not train goes over it
	Repeats Use = 1 << 2 // the training loop is gone through again and again
)

// loaderUses are the uses of what calls make, once somebody has asked.
type loaderUses struct {
	once sync.Once
	made map[*Site]Use
}

// LoaderUse tells what the project's loops do with what a call makes: what they go over is followed to the call,
// whatever variables, fields and parameters it takes on the way.
func (p *Project) LoaderUse(s *Site) Use {
	p.uses.once.Do(p.findLoaderUses)
	return p.uses.made[s]
}

func (p *Project) findLoaderUses() {
	p.uses.made = map[*Site]Use{}
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		if m.Role == Test || !m.imports["torch"] {
			continue
		}
		for id := range m.blocks {
			b := &m.blocks[id]
			loop, ok := b.Owner.(*pysrc.For)
			if !ok || !b.isLoop() {
				continue
			}
			use := LooksAt
			if p.holdsTraining(m, BlockID(id)) {
				use = Trains
			}
			x := iterated(loop.Iter)
			if x == nil {
				continue
			}
			e.steps = mostSteps
			v := e.expr(x, m.blocks[b.Parent].Scope)
			if use == Trains && p.goneThroughAgain(m, BlockID(id), 0) {
				use |= Repeats
			}
			if made := onlyLoader(v); made != nil {
				p.uses.made[made] |= use
			}
		}
	}
}

// onlyLoader is the call that makes a loader, where there is just one: a function may give one for training or one for
// evaluation, and which is asked for is not followed.
func onlyLoader(v Value) *Site {
	var made *Site
	for _, w := range append([]Value{v}, v.Either...) {
		if w.Made != nil && w.IsInstance("torch.utils.data.DataLoader") {
			if made != nil && made != w.Made {
				return nil
			}
			made = w.Made
		}
	}
	return made
}

// goneThroughAgain reports a loop that another is around, in its function or where that is called.
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
	for _, s := range p.users[fn] {
		if s.Func == fn || forEvaluation(s.Func) {
			continue
		}
		other := s.Module()
		if other.blocks[s.Block].isLoop() || p.goneThroughAgain(other, s.Block, depth+1) {
			return true
		}
	}
	return false
}

// holdsTraining reports a loop that is a training loop, or around one.
func (p *Project) holdsTraining(m *Module, id BlockID) bool {
	for _, l := range p.loops[m] {
		if m.holds(id, l.block) || m.holds(l.block, id) {
			return true
		}
	}
	return false
}

// iterated is what a loop goes over behind enumerate, tqdm and the like; nil for a range.
func iterated(x pysrc.Expr) pysrc.Expr {
	for {
		c, ok := x.(*pysrc.Call)
		if !ok || len(c.Args) == 0 {
			return x
		}
		switch lastName(c.Func) {
		case "enumerate", "tqdm", "track", "iter", "islice", "cycle", "log_every", "ProgressBar":
			x = c.Args[0]
		case "range", "trange", "zip":
			return nil
		default:
			return x
		}
	}
}
