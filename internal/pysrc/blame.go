package pysrc

// What is wrong is one thing, what to blame for it another. Here are the
// errors that CPython reports elsewhere than at the first token that does not
// fit, and its choice among several. They matter because people compare.

// forgottenComma reports two expressions next to each other in brackets, as
// CPython does: from the start of the first.
func (p *parser) forgottenComma() bool {
	if p.trying || p.exprTo != p.at || p.exprFrom >= p.exprTo || !startsExpr[p.tok.Kind] || p.bracketDepth() == 0 {
		return false
	}
	first := p.toks[p.exprFrom]
	if first.Kind == tokName && (p.isSoftKeyword(first) || p.toks[p.exprFrom+1].Kind == tokString) {
		return false
	}
	both := Span{Start: p.lastExpr().Bounds().Start}
	if !p.try(func() { both.End = p.expr().Bounds().End }) {
		switch p.tok.Kind {
		case tokNot, tokLambda, tokAwait, tokTilde, tokLBrace, tokFStringStart:
			return false
		}
		both.End = p.tok.End // what follows the first operand does not matter
	}
	p.fail(both, "invalid syntax. Perhaps you forgot a comma?")
	return true
}

// misplacedEqual reports a = where only == or := could be, as CPython does: at
// what stands left of it.
func (p *parser) misplacedEqual() bool {
	if p.trying || p.tok.Kind != tokEqual || p.namedTo != p.at || p.exprTo != p.at {
		return false
	}
	e := p.lastExpr()
	message := "cannot assign to " + describe(e) + " here. Maybe you meant '==' instead of '='?"
	switch e := e.(type) {
	case *Name:
		message = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"
	case *List, *Tuple, *GeneratorExp, *BoolOp, *Compare:
		return false
	case *Constant:
		if e.Kind <= False {
			return false
		}
	case *UnaryOp:
		if e.Op == Not {
			return false
		}
	}
	p.fail(e.Bounds(), message)
	return true
}

// lastExpr parses the last expression once more.
func (p *parser) lastExpr() (e Expr) {
	at := p.at
	p.goTo(p.exprFrom)
	p.try(func() { e = p.binary(precOr) })
	p.goTo(at)
	return e
}

// bracketDepth counts the brackets open before the current token.
func (p *parser) bracketDepth() int {
	depth := 0
	for _, t := range p.toks[:p.at] {
		switch t.Kind {
		case tokLParen, tokLBracket, tokLBrace:
			depth++
		case tokRParen, tokRBracket, tokRBrace:
			depth--
		}
	}
	return depth
}

func (p *parser) isSoftKeyword(t token) bool {
	switch p.text[t.Start:t.End] {
	case "match", "case", "type", "_":
		return true
	}
	return false
}

// blameOne drops one of two errors with the same cause: the bracket that is
// never closed, and what could not stand inside it. As in CPython, the bracket
// is blamed for errors on later lines.
func (p *parser) blameOne() {
	n := len(p.faults)
	if n < 2 || p.faults[n-2].kind != faultUnclosed || p.faults[n-1].kind != faultGrammar {
		return
	}
	if p.lineOf(p.faults[n-1].found) <= p.lineOf(p.faults[n-2].Start) {
		p.faults[n-2] = p.faults[n-1]
	}
	p.faults = p.faults[:n-1]
}

// settle decides which fault CPython would raise, of those so far.
func (p *parser) settle() {
	if p.raised < 0 {
		p.raised = p.choose()
	}
}

// choose applies CPython's order: the first fault of a token in the file, even
// after a fault of the grammar; but an unexpected indent stops it at once, a
// fault of layout ends the search, and a bracket left open is only blamed for
// errors on later lines.
func (p *parser) choose() int {
	grammar, token := -1, -1
	for i, f := range p.faults {
		switch f.kind {
		case faultGrammar, faultIndent:
			if grammar < 0 {
				grammar = i
			}
		default:
			if token < 0 {
				token = i
			}
		}
	}
	switch {
	case token < 0:
		return max(grammar, 0)
	case grammar < 0:
		return token
	}
	g, t := p.faults[grammar], p.faults[token]
	if (g.kind == faultIndent || t.kind == faultLayout) && g.found < t.Start {
		return grammar
	}
	if t.kind == faultUnclosed && p.lineOf(g.found) <= p.lineOf(t.Start) {
		return grammar
	}
	return token
}

// cpythonFault is the index of the fault CPython would raise.
func (p *parser) cpythonFault() int {
	p.settle()
	return p.raised
}
