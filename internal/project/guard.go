package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// Guard is what keeps a place from running in every step.
type Guard struct {
	Kind   GuardKind
	Source *Source
	Span   pysrc.Span // the test, or the branch
}

// GuardKind is what a guard waits for.
type GuardKind uint8

const (
	EveryN      GuardKind = iota // if step % 100 == 0
	MainOnly                     // if rank == 0
	Debug                        // if args.debug
	Absent                       // if not os.path.exists(cache), if self.x is None
	Memo                         // @lru_cache
	AtEnd                        // if step == last
	InEval                       // if not self.training
	Offline                      // saturate_offline.kept(…): made before training
	NotTraining                  // if reverse, if device == "cpu"
	Fault                        // except, if torch.isnan(loss), an arm that ends in raise
	Off                          // if a flag, which settings and defaults leave off
)

func (k GuardKind) String() string {
	return [...]string{
		"only every few steps", "only on the main process", "only when debugging", "only when missing", "cached",
		"only once", "only in evaluation", "made before training", "not in training", "only after a fault",
		"switched off",
	}[k]
}

// Cold reports whether code behind the guard no longer counts as run in every step.
func (g *Guard) Cold() bool { return g != nil && g.Kind != Absent && g.Kind != Memo }

// Rare returns the guard that keeps a node from running in every step, within its
// function and its training loop: a condition that is true now and then, a branch for
// faults, or one that settings leave out. It is nil where there is none.
func (e *Eval) Rare(m *Module, n interface{ Bounds() pysrc.Span }) *Guard {
	at := n.Bounds().Start
	found := m.keptAround(at)
	if found == nil && anyHolds(e.p.off[m], at) {
		found = &Guard{Kind: Off, Source: m.Source, Span: n.Bounds()}
	}
	m.around(at, func(b *Block) bool {
		if found == nil {
			found = m.guardOf(b, at)
		}
		if found == nil {
			found = e.rareArm(m, b)
		}
		if found != nil && found.Kind == Absent && e.emptiedAgain(m, b) {
			found = nil
		}
		return found == nil && !e.p.IsTrainingLoop(m, b.Owner)
	})
	if found == nil {
		found = leftBefore(m.FunctionAt(at), at)
	}
	if found == nil {
		found = ranBefore(m.FunctionAt(at), at)
	}
	return found
}

// guardWithin looks for a condition that is true now and then between an offset and a
// block of its function. Unlike Rare, it needs nothing that depends on the training loops being known.
func (m *Module) guardWithin(at int32, limit *Block) *Guard {
	found := m.keptAround(at)
	if found != nil {
		return found
	}
	m.around(at, func(b *Block) bool {
		found = m.guardOf(b, at)
		return found == nil && b != limit
	})
	return found
}

// guardOf is the condition that a block, or an early continue or return in it, puts
// before an offset.
func (m *Module) guardOf(b *Block, at int32) *Guard {
	if g := m.armGuard(b).rare(); g != nil {
		return g
	}
	return m.earlyLeave(b, at).rare()
}

// keeper is the function that the offline fix writes around work whose result it caches.
const keeper = "saturate_offline.kept"

func (s *Site) keeps() bool { return pysrc.DottedName(s.Node.Func) == keeper }

// keptAround finds the call that caches the result of the expression in its arguments.
func (m *Module) keptAround(at int32) *Guard {
	if !m.Says(keeper) {
		return nil
	}
	for _, s := range m.Sites {
		if s.keeps() && s.Node.Start < at && at < s.Node.End {
			return s.offline()
		}
	}
	return nil
}

func (s *Site) offline() *Guard {
	return &Guard{Kind: Offline, Source: s.Module().Source, Span: s.Node.Span}
}

// rare ignores a guard that lets only one process through: that process runs the code in every step, and the others
// wait for it.
func (g *Guard) rare() *Guard {
	if g != nil && g.Kind == MainOnly {
		return nil
	}
	return g
}

// armGuard is the guard of a block that is the rare arm of an if.
func (m *Module) armGuard(b *Block) *Guard {
	test, ok := b.Owner.(*pysrc.If)
	if !ok {
		return nil
	}
	kind, negated, ok := m.classify(test.Test)
	if !ok || (b.Arm == Body) == negated {
		return nil
	}
	if (kind == EveryN || kind == AtEnd) && (stepsOptimizer(test.Body) || accumulates(test.Test) || m.callsStep(test)) {
		return nil // gradient accumulation, or a network that is trained every few steps: still once per optimizer step
	}
	return &Guard{Kind: kind, Source: m.Source, Span: test.Test.Bounds()}
}

// callsStep reports an if whose body calls a function of the project that takes a step of its own: backward, and what
// the optimizer does then.
func (m *Module) callsStep(test *pysrc.If) bool {
	first, last := test.Body[0].Bounds().Start, test.Body[len(test.Body)-1].Bounds().End
	return slices.ContainsFunc(m.FunctionAt(first).Sites, func(s *Site) bool {
		return s.leads && first <= s.Node.Start && s.Node.Start < last
	})
}

// mostLeading is how many calls may lie between one that leads to a training step and the step.
const mostLeading = 4

// findLeadingCalls finds the calls that lead to a training step: self.learn(), where learn hands the loss to a function
// that calls backward.
func (p *Project) findLeadingCalls() {
	seen := map[*Function]bool{}
	var queue []*Function
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if s.Method() == "backward" && isStep(s) && !p.evaluates(s.Func) && !seen[s.Func] {
				seen[s.Func] = true
				queue = append(queue, s.Func)
			}
		}
	}
	for depth := 0; depth < mostLeading && len(queue) > 0; depth++ {
		var next []*Function
		for _, f := range queue {
			for _, s := range f.callers() {
				s.leads = true
				if !seen[s.Func] && !p.evaluates(s.Func) {
					seen[s.Func] = true
					next = append(next, s.Func)
				}
			}
		}
		queue = next
	}
}

// accumulates reports a test of step % accumulation_steps.
func accumulates(test pysrc.Expr) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Mod && HasWord(lastName(b.Right), accumulationWords...) {
			found = true
		}
		return !found
	})
	return found
}

// earlyLeave is the guard of an early continue or return in the block before an
// offset: if step % 100 != 0: continue.
func (m *Module) earlyLeave(b *Block, at int32) *Guard {
	body := bodyOf(b)
	for i, s := range body {
		if s.Bounds().End > at {
			break
		}
		if test, ok := s.(*pysrc.If); ok && len(test.Orelse) == 0 && leaves(test.Body) {
			if kind, negated, ok := m.classify(test.Test); ok && negated && !(kind == EveryN && stepsOptimizer(body[i+1:])) {
				return &Guard{Kind: kind, Source: m.Source, Span: test.Test.Bounds()}
			}
		}
	}
	return nil
}

// bodyOf returns the statements of a block.
func bodyOf(b *Block) []pysrc.Stmt {
	switch o := b.Owner.(type) {
	case *pysrc.For:
		if b.Arm == Body {
			return o.Body
		}
		return o.Orelse
	case *pysrc.While:
		if b.Arm == Body {
			return o.Body
		}
		return o.Orelse
	case *pysrc.FunctionDef:
		return o.Body
	case *pysrc.If:
		if b.Arm == Body {
			return o.Body
		}
		return o.Orelse
	case *pysrc.With:
		return o.Body
	}
	return nil
}

// leaves reports whether statements end in continue or return.
func leaves(body []pysrc.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *pysrc.Continue, *pysrc.Return:
		return true
	}
	return false
}
