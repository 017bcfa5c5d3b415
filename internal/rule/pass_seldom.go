package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// seldom tells whether a place stands in a branch that a run seldom or never
// takes: a handler of exceptions, an arm that ends in raise, break or exit, one
// that waits for a NaN or for time to pass, or one that a setting leaves out.
func (p *SourcePass) seldom(m *project.Module, n Node) bool {
	at := n.Bounds().Start
	fn := m.FunctionAt(at)
	if leavesMostly(fn, at) || leftBefore(fn, at) {
		return true
	}
	for id := m.BlockAt(at); id >= 0 && m.Block(id).Func == fn; id = m.Block(id).Parent {
		b := m.Block(id)
		switch owner := b.Owner.(type) {
		case *pysrc.Try:
			if b.Arm == project.Handler {
				return true
			}
		case *pysrc.If:
			if p.seldomArm(m, owner, b.Arm) {
				return true
			}
		case *pysrc.For, *pysrc.While:
			if p.isTrainingLoop(m, b.Owner) {
				return false
			}
		}
	}
	return false
}

// leavesMostly reports a function that returns before the place in most steps:
// if step % n != 0: return.
func leavesMostly(fn *project.Function, at int32) bool {
	if fn.Def == nil {
		return false
	}
	for _, s := range fn.Def.Body {
		test, ok := s.(*pysrc.If)
		if !ok || s.Bounds().End > at || len(test.Body) == 0 {
			continue
		}
		found := false
		inspect := func(n pysrc.Node) bool {
			if b, ok := n.(*pysrc.BinOp); ok && b.Op == pysrc.Mod && !fn.Module.EachTurn(b) && hasAnyWord(lastName(b.Left), "step", "steps", "epoch", "iter", "iteration", "idx") {
				found = true
			}
			return !found
		}
		pysrc.Inspect(test, inspect)
		returns := false
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			if _, ok := n.(*pysrc.Return); ok {
				returns = true
			}
			return !returns
		})
		if found && returns {
			return true
		}
	}
	return false
}

// leftBefore reports a function that training leaves before the place: if not
// reverse: … return.
func leftBefore(fn *project.Function, at int32) bool {
	if fn.Def == nil {
		return false
	}
	for _, s := range fn.Def.Body {
		test, ok := s.(*pysrc.If)
		if !ok || test.End > at || len(test.Orelse) > 0 || len(test.Body) == 0 {
			continue
		}
		if _, returns := test.Body[len(test.Body)-1].(*pysrc.Return); returns && waitsNot(fn.Module, test.Test) {
			return true
		}
	}
	return false
}

// waitsNot reports a test that training passes: not of what it seldom does.
func waitsNot(m *project.Module, test pysrc.Expr) bool {
	not, ok := test.(*pysrc.UnaryOp)
	return ok && not.Op == pysrc.Not && waits(m, not.Operand)
}

func (p *SourcePass) seldomArm(m *project.Module, test *pysrc.If, arm project.Arm) bool {
	body := test.Body
	if arm == project.Else {
		body = test.Orelse
	}
	if leavesRun(body) || countsFaults(body) || warns(body) || fallsBack(m, test, arm) || arm == project.Body && (keeps(test) || once(test) || fills(test)) {
		return true
	}
	if arm == project.Body && waits(m, test.Test) || arm == project.Else && waitsNot(m, test.Test) {
		return true
	}
	holds, known := p.holds(m, test.Test)
	return known && holds != (arm == project.Body)
}

// holds tells whether a test is true by what settings and defaults say, if they do.
func (p *SourcePass) holds(m *project.Module, test pysrc.Expr) (holds, known bool) {
	switch t := test.(type) {
	case *pysrc.UnaryOp:
		if t.Op == pysrc.Not {
			holds, known = p.holds(m, t.Operand)
			return !holds, known
		}
	case *pysrc.BoolOp:
		for _, v := range t.Values {
			if h, ok := p.holds(m, v); ok && h == (t.Op == pysrc.Or) {
				return h, true // one part decides
			}
		}
		return false, false
	case *pysrc.Compare: // x is None
		if len(t.Ops) == 1 && pysrc.IsConst(t.Comparators[0], pysrc.None) && (t.Ops[0] == pysrc.Is || t.Ops[0] == pysrc.IsNot) {
			v := p.eval.Of(m, t.Left)
			return v.IsNone() == (t.Ops[0] == pysrc.Is), v.Kind == project.Literal
		}
		return false, false
	}
	if name := lastName(test); name == "training" || name == "is_training" {
		return true, true // it is training that is asked about
	}
	if c, ok := test.(*pysrc.Call); ok && pysrc.DottedName(c.Func) == "torch.cuda.is_available" {
		return true, true // and training on a GPU
	}
	v := p.eval.Of(m, test)
	if name, ok := test.(*pysrc.Name); ok && v.Unknown() {
		if params := m.FunctionAt(name.Start).Params(); params != nil && pysrc.IsConst(params.Default(name.ID), pysrc.False) {
			return false, len(v.Either) == 0 // a flag that is off unless a caller says so
		}
	}
	return v.IsTrue(), v.IsTrue() || v.IsFalse()
}

// countsFaults reports an arm for what should not happen: self.nonfinite_count += 1.
func countsFaults(body []pysrc.Stmt) bool {
	for _, s := range body {
		if a, ok := s.(*pysrc.AugAssign); ok && hasAnyWord(lastName(a.Target), "nonfinite", "nan", "nans", "inf", "skipped", "skip", "bad", "overflow", "overflows", "failed", "failures", "errors") {
			return true
		}
	}
	return false
}

// warns reports an arm that warns of what should not happen: logger.warning(…).
func warns(body []pysrc.Stmt) bool {
	for _, s := range body {
		if e, ok := s.(*pysrc.ExprStmt); ok {
			if c, ok := e.Value.(*pysrc.Call); ok {
				switch lastName(c.Func) {
				case "warn", "warning", "error", "critical", "exception":
					return true
				}
			}
		}
	}
	return false
}

// once reports if self.first: self.first = False, which runs once.
func once(test *pysrc.If) bool {
	for _, s := range test.Body {
		a, ok := s.(*pysrc.Assign)
		if !ok {
			continue
		}
		_, flag := pysrc.BoolValue(a.Value)
		for _, t := range a.Targets {
			name := pysrc.DottedName(t)
			found := false
			pysrc.Inspect(test.Test, func(n pysrc.Node) bool {
				if e, ok := n.(pysrc.Expr); ok && name != "" && pysrc.DottedName(e) == name {
					found = true
				}
				return !found
			})
			if flag && found {
				return true
			}
		}
	}
	return false
}

// fallsBack reports if mask is None: mask = …, of a parameter that batches of
// unequal samples carry with them.
func fallsBack(m *project.Module, test *pysrc.If, arm project.Arm) bool {
	c, ok := test.Test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || !pysrc.IsConst(c.Comparators[0], pysrc.None) {
		return false
	}
	if !(c.Ops[0] == pysrc.Is && arm == project.Body || c.Ops[0] == pysrc.IsNot && arm == project.Else) {
		return false
	}
	name, ok := c.Left.(*pysrc.Name)
	if !ok || !hasAnyWord(name.ID, "mask", "masks", "length", "lengths", "len", "lens") {
		return false
	}
	params := m.FunctionAt(name.Start).Params()
	return params != nil && params.Default(name.ID) != nil
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
		if ok && len(c.Ops) == 1 && c.Ops[0] == pysrc.Is && pysrc.IsConst(c.Comparators[0], pysrc.None) && ofSelf(c.Left) != "" {
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

// leavesRun reports statements that end the loop or the program.
func leavesRun(body []pysrc.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *pysrc.Raise, *pysrc.Break:
			return true
		case *pysrc.ExprStmt:
			if c, ok := s.Value.(*pysrc.Call); ok {
				switch pysrc.DottedName(c.Func) {
				case "exit", "quit", "sys.exit", "os._exit":
					return true
				}
			}
		}
	}
	return false
}

// waits reports a test that is seldom true in training: of a NaN, of the clock,
// of one step among all, of another kind of device, of a flag for inference or show.
func waits(m *project.Module, test pysrc.Expr) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			found = found || hasAnyWord(n.ID, rareFlags...)
		case *pysrc.Attribute:
			found = found || hasAnyWord(n.Attr, rareFlags...)
		case *pysrc.Constant:
			found = found || n.Kind == pysrc.Str && (n.Value == "mps" || n.Value == "cpu" || n.Value == "xpu")
		case *pysrc.Compare:
			b, ok := n.Left.(*pysrc.BinOp)
			if ok && m.EachTurn(b) {
				return false // whatever its names say
			}
			if ok && b.Op == pysrc.Mod && n.Ops[0] == pysrc.Eq && !hasAnyWord(lastName(b.Right), "accum", "accumulation", "accumulate", "acc") {
				found = true // last or step % 100 == 0
			}
			found = found || len(n.Ops) == 1 && n.Ops[0] == pysrc.Eq && hasAnyWord(lastName(n.Left), "step", "steps", "iter", "iteration", "idx") && !hasAnyWord(lastName(n.Left), "optimizer")
		case *pysrc.UnaryOp:
			if n.Op == pysrc.Invert {
				found = found || speaksOf(n.Operand, "isfinite", "finite")
			}
			if n.Op == pysrc.Not {
				found = found || speaksOf(n.Operand, "isfinite", "finite")
				return false
			}
		case *pysrc.Call:
			switch lastName(n.Func) {
			case "isnan", "isinf", "time", "monotonic", "perf_counter":
				found = true
			}
		}
		return !found
	})
	return found
}

// rareFlags are parts of names of flags for what training does not do in every step.
var rareFlags = []string{"reverse", "inverse", "infer", "inference", "print", "plot", "show", "visualize", "vis", "dump", "verbose", "debug", "export", "onnx", "jit", "scripting", "tracing", "mps"}

// speaksOf reports a name in an expression that has one of the words.
func speaksOf(e pysrc.Expr, words ...string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if x, ok := n.(pysrc.Expr); ok && hasAnyWord(lastName(x), words...) {
			found = true
		}
		return !found
	})
	return found
}

func callsNamed(e pysrc.Expr, name string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && lastName(c.Func) == name {
			found = true
		}
		return !found
	})
	return found
}
