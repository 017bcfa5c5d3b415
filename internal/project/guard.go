package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// Guard is a condition that lets a place run only now and then.
type Guard struct {
	Kind   GuardKind
	Source *Source
	Span   pysrc.Span // the test
}

// GuardKind is what a guard waits for.
type GuardKind uint8

const (
	EveryN   GuardKind = iota // if step % 100 == 0
	MainOnly                  // if rank == 0
	Debug                     // if args.debug
	Absent                    // if not os.path.exists(cache), if self.x is None
	Memo                      // @lru_cache
	AtEnd                     // if step == last
	InEval                    // if not self.training
	Offline                   // saturate_offline.kept(…): made before training
)

func (k GuardKind) String() string {
	return [...]string{
		"only every so many steps", "only on the main process", "only when debugging",
		"only when it is not there yet", "its results are kept", "only once in a while", "only in evaluation", "made before training",
	}[k]
}

// Cold reports a guard after which code no longer counts as run in every step.
func (g *Guard) Cold() bool { return g != nil && g.Kind != Absent && g.Kind != Memo }

// GuardOf returns the innermost guard around a node within its function and its
// innermost loop, or nil.
func (m *Module) GuardOf(n interface{ Bounds() pysrc.Span }) *Guard {
	return m.guardWithin(n.Bounds().Start, nil)
}

// guardWithin looks for a guard between an offset and a block, nil for the function.
func (m *Module) guardWithin(at int32, limit *Block) *Guard {
	found := m.keptAround(at)
	if found != nil {
		return found
	}
	m.around(at, func(b *Block) bool {
		if b != limit {
			found = m.armGuard(b).rare()
		}
		if found == nil {
			found = m.earlyLeave(b, at).rare()
		}
		return found == nil && b != limit && (limit != nil || !b.isLoop())
	})
	return found
}

// keeper is the function that the offline repair writes around work whose result it keeps.
const keeper = "saturate_offline.kept"

func (s *Site) keeps() bool { return pysrc.DottedName(s.Node.Func) == keeper }

// keptAround finds the call that keeps the result of what stands in its arguments.
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

// rare leaves out the guard that lets one process through: it runs there in every
// step, and the others wait for it.
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
	if !ok || (b.Arm == Body) == negated || (kind == EveryN || kind == AtEnd) && (stepsOptimizer(test.Body) || accumulates(test.Test)) {
		return nil // the last is gradient accumulation: still once per optimizer step
	}
	return &Guard{Kind: kind, Source: m.Source, Span: test.Test.Bounds()}
}

// accumulates reports a test of step % accumulation_steps.
func accumulates(test pysrc.Expr) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Mod && hasWord(lastName(b.Right), "accum", "accumulation", "accumulate", "acc") {
			found = true
		}
		return !found
	})
	return found
}

// earlyLeave is the guard of an early continue or return in the block before an
// offset: if step % 100 != 0: continue.
func (m *Module) earlyLeave(b *Block, at int32) *Guard {
	for _, s := range bodyOf(b) {
		if s.Bounds().Start >= at {
			break
		}
		if test, ok := s.(*pysrc.If); ok && len(test.Orelse) == 0 && leaves(test.Body) {
			if kind, negated, ok := m.classify(test.Test); ok && negated {
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

// classify tells what a test waits for. Negated means that the other arm is the
// rare one: if step % 100 != 0, if rank != 0, if os.path.exists(cache).
func (m *Module) classify(test pysrc.Expr) (kind GuardKind, negated, ok bool) {
	switch t := test.(type) {
	case *pysrc.UnaryOp:
		if t.Op == pysrc.Not {
			if b, isMod := t.Operand.(*pysrc.BinOp); isMod && b.Op == pysrc.Mod {
				return EveryN, false, !m.EachTurn(b)
			}
			kind, negated, ok = m.classify(t.Operand)
			return kind, !negated, ok
		}
	case *pysrc.BinOp:
		if t.Op == pysrc.Mod {
			return EveryN, !m.EachTurn(t), true
		}
	case *pysrc.BoolOp:
		// a and b is rare if either is; a or b only if both are.
		for i, v := range t.Values {
			k, n, found := m.classify(v)
			if t.Op == pysrc.And && found && !n {
				if kind, ok = k, true; k != MainOnly {
					break
				}
			}
			if t.Op == pysrc.Or && (!found || n) {
				return 0, false, false
			}
			if t.Op == pysrc.Or && (i == 0 || k == EveryN) {
				kind = k
			}
		}
		return kind, false, ok || t.Op == pysrc.Or
	case *pysrc.Compare:
		return m.classifyCompare(t)
	case *pysrc.Name:
		if kind, negated, ok = classifyName(t.ID); !ok {
			if said := m.saidOnce(t); said != nil { // now = step % 100 == 0; if now:
				return m.classify(said)
			}
		}
		return kind, negated, ok
	case *pysrc.Attribute:
		return classifyName(t.Attr)
	case *pysrc.Call:
		return classifyCall(t)
	}
	return 0, false, false
}

func (m *Module) classifyCompare(t *pysrc.Compare) (GuardKind, bool, bool) {
	if len(t.Ops) != 1 {
		return 0, false, false
	}
	op, right := t.Ops[0], t.Comparators[0]
	negated := op == pysrc.NotEq || op == pysrc.IsNot || op == pysrc.NotIn
	if b, ok := t.Left.(*pysrc.BinOp); ok && b.Op == pysrc.Mod {
		if m.EachTurn(b) {
			return EveryN, false, op == pysrc.NotEq || op == pysrc.Gt // never
		}
		return EveryN, negated || op == pysrc.Gt, op == pysrc.Eq || op == pysrc.NotEq || op == pysrc.Gt
	}
	if pysrc.IsConst(right, pysrc.None) && (op == pysrc.Is || op == pysrc.IsNot || op == pysrc.Eq) {
		if a, ok := t.Left.(*pysrc.Attribute); ok && isSelf(a.Value) {
			return Absent, negated, true // if self.file is None
		}
		return 0, false, false
	}
	name := strings.ToLower(lastName(t.Left))
	if c, ok := t.Left.(*pysrc.Call); ok {
		name = strings.ToLower(lastName(c.Func))
	}
	if n, ok := pysrc.IntValue(right); ok {
		switch same := op == pysrc.Eq || op == pysrc.NotEq; {
		case same && strings.Contains(name, "rank"):
			return MainOnly, negated, n <= 0
		case (same || op == pysrc.Lt && n <= 100) && m.countsSteps(t.Left): // step == 10, step < 3
			return AtEnd, negated, true
		}
	}
	if last, ok := right.(*pysrc.BinOp); ok && last.Op == pysrc.Sub && (op == pysrc.Eq || op == pysrc.NotEq) && m.countsSteps(t.Left) {
		return AtEnd, negated, true // step == len(loader) - 1
	}
	if strings.Contains(name, "rank") && (op == pysrc.In || op == pysrc.NotIn) {
		return MainOnly, negated, true // local_rank in (-1, 0)
	}
	if op == pysrc.NotIn || op == pysrc.In {
		if a, ok := right.(*pysrc.Attribute); ok && isSelf(a.Value) && hasWord(a.Attr, "cache", "cached", "memo") {
			return Absent, op == pysrc.In, true // if key not in self.cache
		}
		if n, ok := right.(*pysrc.Name); ok && hasWord(n.ID, "cache", "cached", "memo") {
			return Absent, op == pysrc.In, true
		}
	}
	return 0, false, false
}

// countsSteps reports a variable that counts steps, by its name or by that of what it is made from: ni = i + n * epoch.
func (m *Module) countsSteps(x pysrc.Expr) bool {
	if name := strings.ToLower(lastName(x)); hasWord(name, "step", "iter", "iteration", "batch", "idx", "i", "it") {
		return !hasWord(name, "size", "per", "optimizer") // Lightning's optimizer_idx: each has its turn in every step
	}
	if name, ok := x.(*pysrc.Name); ok {
		if sum, ok := m.saidOnce(name).(*pysrc.BinOp); ok && (sum.Op == pysrc.Add || sum.Op == pysrc.Sub) {
			return m.countsSteps(sum.Left) || m.countsSteps(sum.Right)
		}
	}
	return false
}

// saidOnce is what the only assignment to a variable of its function says, or nil. It stands before the
// variable's use, so that whoever goes from value to value comes to an end.
func (m *Module) saidOnce(name *pysrc.Name) pysrc.Expr {
	b := m.blocks[m.BlockAt(name.Start)].Scope.last(name.ID)
	if b == nil || b.Kind != Assigned || b.prior != nil || b.path != 0 || b.Value == nil || b.Value.Bounds().End > name.Start {
		return nil
	}
	return b.Value
}

func classifyName(name string) (GuardKind, bool, bool) {
	switch lower := strings.ToLower(name); {
	case lower == "training" || lower == "is_training" || lower == "is_train":
		return InEval, true, true
	case hasWord(lower, "debug", "profile", "profiling", "verbose", "dry"):
		return Debug, false, true
	case strings.HasPrefix(lower, "is_main") || strings.HasPrefix(lower, "is_master") || strings.HasPrefix(lower, "is_local_main") ||
		strings.HasPrefix(lower, "is_world_process_zero") || strings.HasPrefix(lower, "is_global_zero") || strings.HasPrefix(lower, "is_rank_zero") || lower == "master_process" || lower == "main_process":
		return MainOnly, false, true
	case hasWord(lower, "log", "logging", "eval", "evaluate", "validate", "validation", "save", "checkpoint") && hasWord(lower, "should", "do", "now", "to", "run", "need"):
		return EveryN, false, true // should_log, do_eval
	case hasWord(lower, "last", "final", "first") && hasWord(lower, "step", "iter", "iteration", "batch") && !hasWord(lower, "micro", "accum"):
		return AtEnd, false, true
	}
	return 0, false, false
}

func classifyCall(t *pysrc.Call) (GuardKind, bool, bool) {
	name := lastName(t.Func)
	switch name {
	case "exists", "isfile", "is_file", "isdir", "is_dir":
		return Absent, true, true
	case "should_log", "should_log_fn", "is_logging_step":
		return EveryN, false, true
	}
	return classifyName(name)
}

func isSelf(e pysrc.Expr) bool {
	n, ok := e.(*pysrc.Name)
	return ok && n.ID == "self"
}

// stepsOptimizer reports whether statements call x.step(), as gradient accumulation does.
func stepsOptimizer(body []pysrc.Stmt) bool {
	found := false
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok {
				if a, ok := c.Func.(*pysrc.Attribute); ok && a.Attr == "step" && !hasWord(lastName(a.Value), "profiler", "prof", "scheduler", "sched") {
					found = true
				}
			}
			return !found
		})
	}
	return found
}
