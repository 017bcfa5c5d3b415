package project

import "saturate/internal/pysrc"

// findUnreached finds the statements of a module that no run gets to: those behind a continue, break, return or raise of
// their own block, and what stands below if False. The cells of a notebook run one by one, so that one may end in an error.
func (p *Project) findUnreached(m *Module) {
	if m.Outline {
		return
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		if test, ok := b.Owner.(*pysrc.If); ok && isNever(test.Test) && b.Arm == Body {
			m.unreached = append(m.unreached, b.Span)
		}
		if m.Notebook && i == 0 {
			continue
		}
		body := statementsOf(b)
		for k, s := range body {
			if ends(s) && k+1 < len(body) {
				m.unreached = append(m.unreached, pysrc.Span{Start: startOf(body[k+1]), End: b.Span.End})
				break
			}
		}
	}
}

// isUnreached reports a place of a module that no run gets to.
func (m *Module) isUnreached(at int32) bool { return anyHolds(m.unreached, at) }

func anyHolds(list []pysrc.Span, at int32) bool {
	for _, s := range list {
		if s.Start <= at && at < s.End {
			return true
		}
	}
	return false
}

// isNever reports a constant that Python takes for false.
func isNever(test pysrc.Expr) bool {
	if n, ok := pysrc.IntValue(test); ok {
		return n == 0
	}
	return pysrc.IsConst(test, pysrc.False) || pysrc.IsConst(test, pysrc.None)
}

// statementsOf are the statements of a block, also of a module and of the body of a try.
func statementsOf(b *Block) []pysrc.Stmt {
	switch o := b.Owner.(type) {
	case *pysrc.Module:
		return o.Body
	case *pysrc.Try:
		switch b.Arm {
		case Body:
			return o.Body
		case Else:
			return o.Orelse
		case Finally:
			return o.Finalbody
		}
		for _, h := range o.Handlers {
			if len(h.Body) > 0 && startOf(h.Body[0]) == b.Span.Start {
				return h.Body
			}
		}
	case *pysrc.MatchCase:
		return o.Body
	}
	return bodyOf(b)
}

// ends reports a statement after which the next one of its block never runs.
func ends(s pysrc.Stmt) bool {
	switch s := s.(type) {
	case *pysrc.Continue, *pysrc.Break, *pysrc.Return, *pysrc.Raise:
		return true
	case *pysrc.If:
		return len(s.Orelse) > 0 && endsIn(s.Body) && endsIn(s.Orelse)
	case *pysrc.ExprStmt:
		return leavesRun([]pysrc.Stmt{s})
	}
	return false
}

// endsIn reports statements of which one ends them.
func endsIn(list []pysrc.Stmt) bool {
	for _, s := range list {
		if ends(s) {
			return true
		}
	}
	return false
}
