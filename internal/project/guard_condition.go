package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// classify tells what a test waits for. Negated means that the other arm is the
// rare one: if step % 100 != 0, if rank != 0, if os.path.exists(cache).
func (m *Module) classify(test pysrc.Expr) (kind GuardKind, negated, ok bool) {
	return m.classifyAnswer(test, maxAnswers)
}

// maxAnswers is how many functions that only return what another one answers are followed: one may ask itself.
const maxAnswers = 4

// classifyAnswer is classify where only so many more functions are followed to what they return.
func (m *Module) classifyAnswer(test pysrc.Expr, left int) (kind GuardKind, negated, ok bool) {
	switch t := test.(type) {
	case *pysrc.UnaryOp:
		if t.Op == pysrc.Not {
			if b, isMod := t.Operand.(*pysrc.BinOp); isMod && b.Op == pysrc.Mod {
				return EveryN, false, !m.EachTurn(b) && !m.isSide(b.Left)
			}
			kind, negated, ok = m.classifyAnswer(t.Operand, left)
			return kind, !negated, ok
		}
	case *pysrc.BinOp:
		if t.Op == pysrc.Mod {
			return EveryN, !m.EachTurn(t), !m.isSide(t.Left)
		}
	case *pysrc.BoolOp:
		kind, ok = m.classifyAll(t, left)
		return kind, false, ok
	case *pysrc.Compare:
		if holds, ok := againstBool(t); ok { // if self.training is False
			kind, negated, ok = m.classifyAnswer(t.Left, left)
			return kind, negated == holds, ok
		}
		return m.classifyCompare(t)
	case *pysrc.Name:
		if kind, negated, ok = classifyName(t.ID); !ok {
			if m.trainsIf(t) {
				return InEval, true, true
			}
			if said := m.SaidOnce(t); said != nil { // now = step % 100 == 0; if now:
				return m.classifyAnswer(said, left)
			}
		}
		return kind, negated, ok
	case *pysrc.Attribute:
		return classifyName(t.Attr)
	case *pysrc.Call:
		if said := m.asked(t); said != nil && left > 0 { // def due(step, n): return step % n == 0
			if kind, negated, ok = said.Module.classifyAnswer(said.returns[0], left-1); ok && kind == EveryN {
				return kind, negated, !m.askedEachTurn(t, said)
			}
		}
		if m.asksSeldom(t) {
			return EveryN, false, true
		}
		return classifyCall(t)
	}
	return 0, false, false
}

// againstBool reports a comparison with True or False, and whether it holds for what is true.
func againstBool(t *pysrc.Compare) (holds, ok bool) {
	if len(t.Ops) != 1 {
		return false, false
	}
	same := t.Ops[0] == pysrc.Is || t.Ops[0] == pysrc.Eq
	if !same && t.Ops[0] != pysrc.IsNot && t.Ops[0] != pysrc.NotEq {
		return false, false
	}
	isTrue := pysrc.IsConst(t.Comparators[0], pysrc.True)
	return same == isTrue, isTrue || pysrc.IsConst(t.Comparators[0], pysrc.False)
}

// asked is the function of the project that a test calls, where it does nothing but return an answer.
func (m *Module) asked(call *pysrc.Call) *Function {
	s := m.SiteAt(call)
	if s == nil || s.Calls.Func == nil || s.Calls.Func.Def == nil || len(s.Calls.Func.returns) != 1 || len(s.Calls.Func.Def.Body) > 2 {
		return nil
	}
	return s.Calls.Func
}

// askedEachTurn reports a call of such a function with 1 for the number of steps that it waits: due(step, every) where
// every is a parameter whose default is 1.
func (m *Module) askedEachTurn(call *pysrc.Call, asked *Function) bool {
	var every pysrc.Expr
	pysrc.Inspect(asked.returns[0], func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Mod {
			every = b.Right
		}
		return every == nil
	})
	name, ok := every.(*pysrc.Name)
	if !ok {
		return false
	}
	given := m.SiteAt(call).ArgumentNode(name.ID, asked.position(name.ID))
	if handed, ok := given.(*pysrc.Name); ok {
		if params := m.FunctionAt(handed.Start).Params(); params != nil {
			given = params.Default(handed.ID)
		}
	}
	if given == nil {
		return false
	}
	n, whole := pysrc.IntValue(given)
	return whole && n == 1
}

// classifyAll is classify for a and b, which is rare if either is, and for a or b, which
// is rare only if both are.
func (m *Module) classifyAll(t *pysrc.BoolOp, left int) (kind GuardKind, ok bool) {
	for i, v := range t.Values {
		k, negated, found := m.classifyAnswer(v, left)
		rare := found && !negated
		switch {
		case t.Op == pysrc.And && rare:
			if kind, ok = k, true; k != MainOnly {
				return kind, true
			}
		case t.Op == pysrc.Or && !rare:
			return 0, false
		case t.Op == pysrc.Or && (i == 0 || k == EveryN):
			kind, ok = k, true
		}
	}
	return kind, ok
}

func (m *Module) classifyCompare(t *pysrc.Compare) (GuardKind, bool, bool) {
	if len(t.Ops) != 1 {
		return 0, false, false
	}
	op, right := t.Ops[0], t.Comparators[0]
	if b, ok := t.Left.(*pysrc.BinOp); ok && b.Op == pysrc.Mod {
		if m.isSide(b.Left) {
			return 0, false, false
		}
		return m.classifyRemainder(b, op)
	}
	negated := op == pysrc.NotEq || op == pysrc.IsNot || op == pysrc.NotIn
	if (op == pysrc.Eq || op == pysrc.NotEq || op == pysrc.GtE) && m.isLastTurn(t.Left, right) {
		return AtEnd, negated, true
	}
	switch op {
	case pysrc.Is, pysrc.IsNot:
		return Absent, negated, isAbsence(t.Left, right)
	case pysrc.In, pysrc.NotIn:
		if namesRank(t.Left) {
			return MainOnly, negated, true // local_rank in (-1, 0)
		}
		if _, counted := right.(*pysrc.Call); !counted && m.countsSteps(t.Left) {
			return AtEnd, negated, true // step in milestones, and not step in range(…)
		}
		return 0, false, false
	case pysrc.Eq, pysrc.NotEq, pysrc.Lt:
		if op == pysrc.Eq && pysrc.IsConst(right, pysrc.None) {
			return Absent, false, isAbsence(t.Left, right)
		}
		if trained, asked := m.trainsIfEqual(t.Left, right); asked && op != pysrc.Lt {
			return InEval, trained != negated, true
		}
		n, whole := pysrc.IntValue(right)
		if whole && op != pysrc.Lt && namesRank(t.Left) {
			return MainOnly, negated, n <= 0
		}
		return AtEnd, negated, m.isOneStep(t.Left, op, right)
	}
	return 0, false, false
}

// classifyRemainder is classify for step % 100 compared with something: with zero, mostly.
func (m *Module) classifyRemainder(b *pysrc.BinOp, op pysrc.CmpOp) (GuardKind, bool, bool) {
	if m.EachTurn(b) {
		return EveryN, false, op == pysrc.NotEq || op == pysrc.Gt // never
	}
	return EveryN, op != pysrc.Eq, op == pysrc.Eq || op == pysrc.NotEq || op == pysrc.Gt
}

// isSide reports the length of a side of a tensor, whose remainder tells how it can be divided and not which step it is:
// x.shape[0] % devices.
func (m *Module) isSide(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Subscript:
		a, ok := x.Value.(*pysrc.Attribute)
		return ok && a.Attr == "shape"
	case *pysrc.Call:
		a, ok := x.Func.(*pysrc.Attribute)
		return ok && a.Attr == "size" && len(x.Args) == 1
	case *pysrc.Name:
		said := m.SaidOnce(x)
		return said != nil && m.isSide(said)
	}
	return false
}

// firstSteps is how many steps may be the first few of a training: step < 3.
const firstSteps = 100

// isOneStep reports a test for one step among all, or for the first few: step == 10,
// step < 3, step == len(loader) - 1.
func (m *Module) isOneStep(left pysrc.Expr, op pysrc.CmpOp, right pysrc.Expr) bool {
	n, whole := pysrc.IntValue(right)
	last, computed := right.(*pysrc.BinOp)
	switch {
	case whole && op == pysrc.Lt && n > firstSteps, !whole && (op == pysrc.Lt || !computed || last.Op != pysrc.Sub):
		return false
	}
	return m.countsSteps(left)
}

// isAbsence reports self.file is None.
func isAbsence(left, right pysrc.Expr) bool {
	a, ok := left.(*pysrc.Attribute)
	return ok && IsSelf(a.Value) && pysrc.IsConst(right, pysrc.None)
}

// namesRank reports rank, args.local_rank, get_rank().
func namesRank(x pysrc.Expr) bool {
	if c, ok := x.(*pysrc.Call); ok {
		x = c.Func
	}
	return strings.Contains(strings.ToLower(lastName(x)), "rank")
}

// countsSteps reports a variable that counts steps, by its name or by that of what it is made from: ni = i + n * epoch.
func (m *Module) countsSteps(x pysrc.Expr) bool {
	if name := strings.ToLower(lastName(x)); HasWord(name, stepWords...) {
		return !HasWord(name, notStepWords...)
	}
	if sum, ok := x.(*pysrc.BinOp); ok && (sum.Op == pysrc.Add || sum.Op == pysrc.Sub) {
		if _, one := pysrc.IntValue(sum.Right); one { // step + 1
			return m.countsSteps(sum.Left)
		}
	}
	if name, ok := x.(*pysrc.Name); ok {
		if m.enumerates(name) {
			return true
		}
		if sum, ok := m.SaidOnce(name).(*pysrc.BinOp); ok && (sum.Op == pysrc.Add || sum.Op == pysrc.Sub) {
			return m.countsSteps(sum.Left) || m.countsSteps(sum.Right)
		}
	}
	return false
}

// enumerates reports the number that for i, batch in enumerate(loader) counts.
func (m *Module) enumerates(name *pysrc.Name) bool {
	b := m.blocks[m.BlockAt(name.Start)].Scope.last(name.ID)
	if b == nil || b.Kind != Iterated || b.path == 0 || b.path.first() != 0 {
		return false
	}
	c, ok := b.Value.(*pysrc.Call)
	return ok && lastName(c.Func) == "enumerate"
}

// SaidOnce is the value of the only assignment to a variable of its function, or nil. The assignment comes before the
// variable's use, so that following values from variable to variable ends.
func (m *Module) SaidOnce(name *pysrc.Name) pysrc.Expr {
	b := m.blocks[m.BlockAt(name.Start)].Scope.last(name.ID)
	if b == nil || b.Kind != Assigned || b.prior != nil || b.Value == nil ||
		b.Value.Bounds().End > name.Start {
		return nil
	}
	return b.whole()
}

// whole is the value that an assignment sets a variable to: all of it, or its part of a tuple that is written out; nil
// for a part of anything else.
func (b *Binding) whole() pysrc.Expr {
	if b.path.rest() != 0 {
		return nil
	}
	return partAt(b.Value, b.path)
}

// SaidLast is the value that a variable was last set to on every path to its use, or nil if branches or loops decide.
func (m *Module) SaidLast(name *pysrc.Name) pysrc.Expr {
	here := m.BlockAt(name.Start)
	b := m.blocks[here].Scope.last(name.ID)
	for b != nil && (b.At > name.Start || b.Value != nil && b.Value.Bounds().End > name.Start) {
		b = b.prior
	}
	if b == nil || b.Kind != Assigned || b.Value == nil {
		return nil
	}
	set := m.beyondWith(b.Block)
	for id := here; id >= 0; id = m.blocks[id].Parent {
		if id == b.Block || id == set {
			return b.whole()
		}
	}
	return nil
}

// beyondWith is the block that runs whenever a block does: the one around a with statement.
func (m *Module) beyondWith(id BlockID) BlockID {
	for id >= 0 {
		if _, ok := m.blocks[id].Owner.(*pysrc.With); !ok || m.blocks[id].Parent < 0 {
			return id
		}
		id = m.blocks[id].Parent
	}
	return id
}

// SaidEither is what a variable may have been set to at its use, in the order of the source; nil where one of them is not
// a plain assignment.
func (m *Module) SaidEither(name *pysrc.Name) []pysrc.Expr {
	settings, given := m.SaidOrGiven(name)
	if given {
		return nil
	}
	var values []pysrc.Expr
	for _, s := range settings {
		value := s.Value
		if s.Place >= 0 {
			value = partAt(value, trail(0).then(s.Place))
		}
		if value == nil {
			return nil
		}
		values = append(values, value)
	}
	return values
}

// Said is what a variable is set to: a value, or what stands at a place of it: 1 for y of x, y = value, and -1 for the
// whole.
type Said struct {
	Value pysrc.Expr
	Place int
}

// SaidOrGiven is what a variable may have been set to at its use, in the order of the source, and whether it may still be
// the parameter that it was. It is nothing where a loop or a star decides.
func (m *Module) SaidOrGiven(name *pysrc.Name) (list []Said, given bool) {
	sc := m.blocks[m.BlockAt(name.Start)].Scope
	var room [8]*Binding
	for _, b := range sc.reaching(room[:0], name.ID, sc, name.Start) {
		place := -1
		if b.path != 0 {
			place = b.path.first()
		}
		switch {
		case b.Kind == Parameter:
			given = true
		case b.Kind != Assigned || b.Value == nil || b.Value.Bounds().End > name.Start || b.path.rest() != 0 || b.path != 0 && place < 0:
			return nil, false
		default:
			list = append(list, Said{b.Value, place})
		}
	}
	slices.Reverse(list)
	return list, given
}

func classifyName(name string) (GuardKind, bool, bool) {
	switch lower := strings.ToLower(name); {
	case isTrainingFlag(lower):
		return InEval, true, true
	case HasWord(lower, debugWords...):
		return Debug, false, true
	case namesMainProcess(lower):
		return MainOnly, false, true
	case HasWord(lower, periodicWords...) && HasWord(lower, nowWords...):
		return EveryN, false, true
	case HasWord(lower, "last", "final", "first") && HasWord(lower, "step", "iter", "iteration", "batch") &&
		!HasWord(lower, "micro", "accum"):
		return AtEnd, false, true
	}
	return 0, false, false
}

// isTrainingFlag reports the name of the flag that tells training from evaluation.
func isTrainingFlag(name string) bool {
	return name == "training" || name == "is_training" || name == "is_train"
}

// namesMainProcess reports the name of a flag that is true on one process of several.
func namesMainProcess(name string) bool {
	for _, prefix := range [...]string{
		"is_main", "is_master", "is_local_main", "is_world_process_zero", "is_global_zero", "is_rank_zero",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "master_process" || name == "main_process"
}

func classifyCall(t *pysrc.Call) (GuardKind, bool, bool) {
	switch name := lastName(t.Func); name {
	case "exists", "isfile", "is_file", "isdir", "is_dir":
		return Absent, true, true
	case "should_log", "should_log_fn", "is_logging_step":
		return EveryN, false, true
	default:
		return classifyName(name)
	}
}

// rarePart returns the guard kind of a test if any part of it is seldom true in training, regardless of the other
// parts: a NaN, the clock, a single step, another kind of device, a flag for inference or display.
func (m *Module) rarePart(test pysrc.Expr) (kind GuardKind, found bool) {
	if or, ok := test.(*pysrc.BoolOp); ok && or.Op == pysrc.Or { // as frequent as its most frequent part
		for _, part := range or.Values {
			if kind, found = m.rarePart(part); !found {
				return kind, false
			}
		}
		return kind, found
	}
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *pysrc.Name:
			kind, found = rareFlag(n.ID)
		case *pysrc.Attribute:
			kind, found = rareFlag(n.Attr)
		case *pysrc.Constant:
			kind, found = NotTraining, n.Kind == pysrc.Str && (n.Value == "mps" || n.Value == "cpu" || n.Value == "xpu")
		case *pysrc.Compare:
			if b, ok := n.Left.(*pysrc.BinOp); ok && m.EachTurn(b) {
				return false // true in every step, so its names say nothing
			}
			if _, ok := againstBool(n); ok {
				said, negated, known := m.classifyAnswer(n, 0)
				kind, found = said, known && !negated
				return false
			}
			kind, found = m.rareCompare(n)
		case *pysrc.UnaryOp:
			if n.Op == pysrc.Not || n.Op == pysrc.Invert {
				kind, found = Fault, speaksOf(n.Operand, "isfinite", "finite")
			}
			return !found && n.Op != pysrc.Not
		case *pysrc.Call:
			kind, found = rareCall(n)
		}
		return !found
	})
	return kind, found
}

// rareCompare is rarePart for a comparison: step % 100 == 0, step == last_step.
func (m *Module) rareCompare(t *pysrc.Compare) (GuardKind, bool) {
	if t.Ops[0] != pysrc.Eq {
		return 0, false
	}
	if b, ok := t.Left.(*pysrc.BinOp); ok && b.Op == pysrc.Mod {
		return EveryN, !accumulates(b)
	}
	return AtEnd, len(t.Ops) == 1 && m.countsSteps(t.Left)
}

func rareFlag(name string) (GuardKind, bool) {
	if HasWord(name, debugWords...) {
		return Debug, true
	}
	return NotTraining, HasWord(name, notTrainingWords...)
}

func rareCall(c *pysrc.Call) (GuardKind, bool) {
	switch lastName(c.Func) {
	case "isnan", "isinf":
		return Fault, true
	case "time", "monotonic", "perf_counter":
		return EveryN, true
	}
	return 0, false
}

// speaksOf reports a name in an expression that has one of the words.
func speaksOf(x pysrc.Expr, words ...string) bool {
	found := false
	pysrc.Inspect(x, func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok && HasWord(lastName(x), words...) {
			found = true
		}
		return !found
	})
	return found
}

// IsSelf reports the name self.
func IsSelf(e pysrc.Expr) bool {
	n, ok := e.(*pysrc.Name)
	return ok && n.ID == "self"
}

// stepsOptimizer reports whether statements call x.step(), as gradient accumulation does.
func stepsOptimizer(body []pysrc.Stmt) bool {
	found := false
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok {
				if a, ok := c.Func.(*pysrc.Attribute); ok && a.Attr == "step" &&
					!HasWord(lastName(a.Value), "profiler", "prof", "scheduler", "sched") {
					found = true
				}
			}
			return !found
		})
	}
	return found
}
