package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// rareArm is the guard of a block that a run seldom or never takes: a handler of
// exceptions, or an arm of an if that says so by its test or by what it does.
func (e *Eval) rareArm(m *Module, b *Block) *Guard {
	switch owner := b.Owner.(type) {
	case *pysrc.Try:
		if b.Arm == Handler {
			return &Guard{Kind: Fault, Source: m.Source, Span: b.Span}
		}
	case *pysrc.If:
		if kind, rare := e.rareBranch(m, owner, b.Arm); rare {
			return &Guard{Kind: kind, Source: m.Source, Span: owner.Test.Bounds()}
		}
	}
	return nil
}

func (e *Eval) rareBranch(m *Module, test *pysrc.If, arm Arm) (GuardKind, bool) {
	body := test.Body
	if arm == Else {
		body = test.Orelse
	}
	switch {
	case leavesRun(body), warns(body):
		return Fault, true
	case e.fallsBack(m, test, arm), arm == Body && (keeps(test) || runsOnce(test) || startsOver(test) || fills(test) || m.fillsByCall(test)):
		return Absent, true
	}
	if arm == Body && (waitsSinceLast(test) || m.isFollowed(test)) && !stepsOptimizer(body) && !m.callsStep(test) {
		return EveryN, true
	}
	rare, negated := test.Test, false
	if not, ok := rare.(*pysrc.UnaryOp); ok && not.Op == pysrc.Not && arm == Else {
		rare, negated = not.Operand, true
	}
	if arm == Body || negated {
		if kind, found := m.rarePart(rare); found && !((kind == EveryN || kind == AtEnd) && (stepsOptimizer(body) || m.callsStep(test))) {
			return kind, true
		}
	}
	if e.servesTesting(m, test.Test, arm) {
		return NotTraining, true
	}
	if arm == Body && e.asksForSample(m, test.Test) && !stepsOptimizer(body) {
		return EveryN, true
	}
	holds, known := e.holds(m, test.Test)
	return Off, known && holds != (arm == Body) && !(arm == Body && movesToGPU(body))
}

// movesToGPU reports an arm that only moves tensors: if args.gpu: x = x.cuda(). Who trains on a GPU turns it on.
func movesToGPU(body []pysrc.Stmt) bool {
	for _, s := range body {
		a, ok := s.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 {
			return false
		}
		targets, values := []pysrc.Expr{a.Targets[0]}, []pysrc.Expr{a.Value}
		if pair, ok := a.Value.(*pysrc.Tuple); ok {
			values = pair.Elts
			if names, ok := a.Targets[0].(*pysrc.Tuple); ok {
				targets = names.Elts
			}
		}
		for i, v := range values {
			c, ok := v.(*pysrc.Call)
			if !ok || len(values) != len(targets) {
				return false
			}
			move, ok := c.Func.(*pysrc.Attribute)
			if !ok || move.Attr != "cuda" || pysrc.DottedName(move.Value) != pysrc.DottedName(targets[i]) {
				return false
			}
		}
	}
	return len(body) > 0
}

// leftBefore is the guard of a function that training leaves before an offset: if not
// reverse: … return, or if step % n != 0: return.
func leftBefore(fn *Function, at int32) *Guard {
	if fn.Def == nil {
		return nil
	}
	m := fn.Module
	for _, s := range fn.Def.Body {
		test, ok := s.(*pysrc.If)
		if !ok || test.End > at || len(test.Body) == 0 {
			continue
		}
		if m.skipsSteps(test) && hasReturn(test) {
			return &Guard{Kind: EveryN, Source: m.Source, Span: test.Test.Bounds()}
		}
		not, ok := test.Test.(*pysrc.UnaryOp)
		if !ok || not.Op != pysrc.Not || len(test.Orelse) > 0 {
			continue
		}
		if _, last := test.Body[len(test.Body)-1].(*pysrc.Return); !last {
			continue
		}
		if kind, found := m.rarePart(not.Operand); found {
			return &Guard{Kind: kind, Source: m.Source, Span: test.Test.Bounds()}
		}
	}
	return nil
}

// skipsSteps reports an if that looks at the remainder of a step or epoch, in its test
// or below.
func (m *Module) skipsSteps(test *pysrc.If) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Mod && !m.EachTurn(b) {
			found = found || !m.isSide(b.Left)
		}
		return !found
	})
	return found
}

func hasReturn(n pysrc.Node) bool {
	found := false
	pysrc.Inspect(n, func(n pysrc.Node) bool {
		if _, ok := n.(*pysrc.Return); ok {
			found = true
		}
		return !found
	})
	return found
}

// holds reports whether a test is true by what settings and defaults say, if they do.
func (e *Eval) holds(m *Module, test pysrc.Expr) (holds, known bool) {
	return truth(test, func(x pysrc.Expr) (holds, known bool) {
		switch t := x.(type) {
		case *pysrc.Compare: // x is None
			if len(t.Ops) == 1 && pysrc.IsConst(t.Comparators[0], pysrc.None) && (t.Ops[0] == pysrc.Is || t.Ops[0] == pysrc.IsNot) {
				v := e.Of(m, t.Left)
				return v.IsNone() == (t.Ops[0] == pysrc.Is), v.Kind == Literal
			}
			return false, false
		case *pysrc.Call:
			if pysrc.DottedName(t.Func) == "torch.cuda.is_available" || isTrainingFlag(lastName(t.Func)) {
				return true, true
			}
		}
		if isTrainingFlag(lastName(x)) {
			return true, true // the question is about training
		}
		return e.isOn(m, x)
	})
}

// Seldom reports a test that training passes now and then or never, by what it asks or by settings and defaults.
func (e *Eval) Seldom(m *Module, test pysrc.Expr) bool {
	if _, rare := m.rarePart(test); rare || e.servesTesting(m, test, Body) || e.asksForSample(m, test) {
		return true
	}
	if whole, ok := m.StatementAt(test.Bounds().Start).(*pysrc.If); ok && (waitsSinceLast(whole) || m.isFollowed(whole)) {
		return true
	}
	holds, known := e.holds(m, test)
	return known && !holds || !known && leftOutByDefault(m, test)
}

// leftOutByDefault reports limit is not None of a parameter limit=None.
func leftOutByDefault(m *Module, test pysrc.Expr) bool {
	c, ok := test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.IsNot {
		return false
	}
	name, ok := c.Left.(*pysrc.Name)
	if !ok {
		return false
	}
	params := m.FunctionAt(name.Start).Params()
	return params != nil && pysrc.IsConst(params.Default(name.ID), pysrc.None)
}

// isOn reports whether a flag is on, if settings or defaults say so.
func (e *Eval) isOn(m *Module, flag pysrc.Expr) (on, known bool) {
	v := e.Of(m, flag)
	if name, ok := flag.(*pysrc.Name); ok && v.Unknown() {
		params := m.FunctionAt(name.Start).Params()
		if params != nil && len(v.Either) == 0 { // as its default, unless a caller says otherwise
			given := params.Default(name.ID)
			on = pysrc.IsConst(given, pysrc.True)
			return on, on || pysrc.IsConst(given, pysrc.False)
		}
	}
	return v.IsTrue(), v.IsTrue() || v.IsFalse()
}

// warns reports an arm that warns of what should not happen: logger.warning(…).
func warns(body []pysrc.Stmt) bool {
	for _, s := range body {
		if c := callOf(s); c != nil {
			switch lastName(c.Func) {
			case "warn", "warning", "error", "critical", "exception":
				return true
			}
		}
	}
	return false
}

// leavesRun reports statements that end the loop or the program.
func leavesRun(body []pysrc.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *pysrc.Raise, *pysrc.Break:
			return true
		case *pysrc.Assert:
			if pysrc.IsConst(s.Test, pysrc.False) {
				return true
			}
		}
		if c := callOf(s); c != nil {
			switch pysrc.DottedName(c.Func) {
			case "torch._assert":
				if len(c.Args) > 0 && pysrc.IsConst(c.Args[0], pysrc.False) {
					return true
				}
			case "exit", "quit", "sys.exit", "os._exit":
				return true
			}
		}
	}
	return false
}

// callOf is the call that a statement consists of, or nil.
func callOf(s pysrc.Stmt) *pysrc.Call {
	e, ok := s.(*pysrc.ExprStmt)
	if !ok {
		return nil
	}
	c, _ := e.Value.(*pysrc.Call)
	return c
}

// isFollowed reports if epoch > self.epoch: …; self.epoch = epoch, which runs once for each value.
func (m *Module) isFollowed(test *pysrc.If) bool {
	found := false
	pysrc.Inspect(test.Test, func(n pysrc.Node) bool {
		c, ok := n.(*pysrc.Compare)
		if !ok || len(c.Ops) != 1 {
			return true
		}
		counter, ok := c.Left.(*pysrc.Name)
		if !ok {
			return true
		}
		if b := m.blocks[m.BlockAt(counter.Start)].Scope.last(counter.ID); b == nil || b.Kind != Parameter && b.Kind != Iterated || b.prior != nil {
			return true
		}
		found = found || slices.ContainsFunc(test.Body, func(s pysrc.Stmt) bool {
			a, ok := s.(*pysrc.Assign)
			return ok && len(a.Targets) == 1 && pysrc.DottedName(a.Value) == counter.ID && pysrc.DottedName(a.Targets[0]) == pysrc.DottedName(c.Comparators[0])
		})
		return !found
	})
	return found
}

// waitsSinceLast reports an if that counts from when it was last taken: if step - last_save >= n: …; last_save = step.
func waitsSinceLast(test *pysrc.If) bool {
	last := map[string]bool{}
	pysrc.Inspect(test.Test, func(n pysrc.Node) bool {
		if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Sub {
			last[pysrc.DottedName(b.Right)] = true
		}
		return true
	})
	delete(last, "")
	set := false
	for _, s := range test.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Assign); ok && len(a.Targets) == 1 {
				set = set || last[pysrc.DottedName(a.Targets[0])]
			}
			return !set
		})
	}
	return set
}

// startsOver reports if at >= len(data): at = 0, which runs once in an epoch.
func startsOver(test *pysrc.If) bool {
	c, ok := test.Test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.Gt && c.Ops[0] != pysrc.GtE && c.Ops[0] != pysrc.Eq {
		return false
	}
	counter := RootName(c.Left)
	for _, s := range test.Body {
		a, ok := s.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 || counter == nil {
			continue
		}
		if n, zero := pysrc.IntValue(a.Value); zero && n == 0 && pysrc.DottedName(a.Targets[0]) == counter.ID {
			return true
		}
	}
	return false
}

// mentionsDotted reports a dotted name in an expression.
func mentionsDotted(x pysrc.Expr, name string) bool {
	found := false
	pysrc.Inspect(x, func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok && pysrc.DottedName(x) == name {
			found = true
		}
		return !found
	})
	return found
}

// fallsBack reports if mask is None: mask = torch.ones(…), of a parameter that callers may leave out, for which the same stands then as
// for all samples. Where training gives nothing for it, each step falls back.
func (e *Eval) fallsBack(m *Module, test *pysrc.If, arm Arm) bool {
	c, ok := test.Test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || !pysrc.IsConst(c.Comparators[0], pysrc.None) {
		return false
	}
	body := test.Body
	if arm == Else {
		body = test.Orelse
	}
	if !(c.Ops[0] == pysrc.Is && arm == Body || c.Ops[0] == pysrc.IsNot && arm == Else) {
		return false
	}
	name, ok := c.Left.(*pysrc.Name)
	if !ok || !slices.ContainsFunc(body, func(s pysrc.Stmt) bool { return fillsNew(s, name.ID) }) {
		return false
	}
	params := m.FunctionAt(name.Start).Params()
	if params == nil || params.Default(name.ID) == nil {
		return false
	}
	none, known := e.isNone(m, name)
	return !known || !none
}

// fillsNew reports a statement that sets a variable to a new tensor that holds the same number everywhere, or to a maximum.
func fillsNew(s pysrc.Stmt, name string) bool {
	set, ok := s.(*pysrc.Assign)
	if !ok || len(set.Targets) != 1 || lastName(set.Targets[0]) != name {
		return false
	}
	filled := false
	pysrc.Inspect(set.Value, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok {
			switch strings.TrimPrefix(strings.TrimSuffix(lastName(c.Func), "_like"), "new_") {
			case "ones", "zeros", "full", "max": // or a length, to the longest
				filled = true
			}
		}
		return !filled
	})
	return filled
}

// keeps reports if key not in cache: cache[key] = …, which runs once per key.
func keeps(test *pysrc.If) bool {
	c, ok := test.Test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.NotIn {
		return false
	}
	cache := pysrc.DottedName(c.Comparators[0])
	for _, s := range test.Body {
		if a, ok := s.(*pysrc.Assign); ok && cache != "" {
			for _, t := range a.Targets {
				if sub, ok := t.(*pysrc.Subscript); ok && pysrc.DottedName(sub.Value) == cache {
					return true
				}
			}
		}
	}
	return false
}

// fills reports if self.table is None or …: self.table = …, which runs again only
// when what is kept no longer fits.
func fills(test *pysrc.If) bool {
	absent := map[string]bool{}
	pysrc.Inspect(test.Test, func(n pysrc.Node) bool {
		c, ok := n.(*pysrc.Compare)
		if ok && len(c.Ops) == 1 && c.Ops[0] == pysrc.Is && pysrc.IsConst(c.Comparators[0], pysrc.None) &&
			FieldOfSelf(c.Left) != "" {
			absent[pysrc.DottedName(c.Left)] = true
		}
		return true
	})
	for _, s := range test.Body {
		if a, ok := s.(*pysrc.Assign); ok && len(a.Targets) == 1 && absent[pysrc.DottedName(a.Targets[0])] {
			return true
		}
	}
	return false
}

// FieldOfSelf is the field of self that a chain of attributes and subscripts starts
// from, or nothing.
func FieldOfSelf(x pysrc.Expr) string {
	for {
		switch y := x.(type) {
		case *pysrc.Attribute:
			if IsSelf(y.Value) {
				return y.Attr
			}
			x = y.Value
		case *pysrc.Subscript:
			x = y.Value
		default:
			return ""
		}
	}
}
