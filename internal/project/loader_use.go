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
			for _, w := range append([]Value{v}, v.Either...) {
				if w.Made != nil && w.IsInstance("torch.utils.data.DataLoader") {
					p.uses.made[w.Made] |= use
				}
			}
		}
	}
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
