package pysrc

import "fmt"

// Limits that keep hostile files linear.
const (
	maxFaults   = 1000
	maxRestarts = 50
	maxHeight   = 10000 // of a tree
)

// recover ends a failure: it drops the rest of the logical line, keeps the
// block below it if there is one, and pushes a BadStmt for what it dropped.
// kept tells that something of the statement is in the tree already.
func (p *parser) recover(kept bool) {
	p.failed = false
	at := p.toks[p.at]
	p.tok = at
	bad := &BadStmt{Span: Span{p.badStart, p.lastEnd}}
	switch {
	case len(p.faults) >= maxFaults:
		p.giveUp()
		bad.End = int32(len(p.src))
	case at.Kind == TokIndent:
		// What is under an unexpected indent is read as a block.
	case p.atLineStart() && at.Start > p.badStart:
		// Something is missing before this line; the line itself is good.
		if kept {
			return
		}
	default:
		p.resync()
		bad.End = max(p.badStart, p.lastEnd)
	}
	if p.tok.Kind == TokIndent {
		p.next()
		bad.Body = p.suite()
		bad.End = p.lastEnd
	}
	p.stmts.push(bad)
}

// atLineStart reports whether the current token is the first of its line.
func (p *parser) atLineStart() bool {
	return p.at == 0 || p.toks[p.at-1].Kind == TokDedent
}

// giveUp ends a file that has too many errors to go on.
func (p *parser) giveUp() {
	p.pos = len(p.src)
	p.nextLine()
}

// resync goes to the next logical line. When the line ran on because of a
// bracket that is never closed, that is the physical line where the next
// statement seems to start.
func (p *parser) resync() {
	p.at = len(p.toks) - 1
	if p.unclosed && p.restarts < maxRestarts {
		p.restarts++
		p.blameOne()
		p.settle()
		if at := p.nextStatement(); at > 0 {
			p.at = at
			p.restart(int(p.lines[p.lineOf(p.toks[at].Start)]))
		}
	}
	p.nextLine()
}

// nextStatement finds, in a line with an open bracket, the first token that
// looks like the start of a statement: first on its physical line, and not
// indented deeper than the broken statement, or else under its header.
func (p *parser) nextStatement() int {
	line := p.lineOf(p.badStart)
	column := p.badColumn(line)
	header := false
	for i, t := range p.toks {
		if t.Start <= p.badStart {
			header = opensBlock[t.Kind]
			continue
		}
		if line+1 == len(p.lines) || t.Start < p.lines[line+1] {
			continue
		}
		line = p.lineOf(t.Start)
		under := header && p.toks[i-1].Kind == TokColon
		if (t.Start-p.lines[line] <= column || under) && startsStatement[t.Kind] {
			return i
		}
	}
	return 0
}

// badColumn is the indentation of the line where the broken statement starts.
func (p *parser) badColumn(line int) int32 {
	start := p.lines[line]
	at := start
	for class[p.src[at]] == classSpace {
		at++
	}
	return at - start
}

// blameOne drops one of two errors with the same cause: the bracket that is
// never closed, and what could not stand inside it. As in CPython, the bracket
// is blamed for errors on later lines.
func (p *parser) blameOne() {
	n := len(p.faults)
	if n < 2 || p.faults[n-2].kind != faultUnclosed || p.faults[n-1].kind != faultGrammar {
		return
	}
	if p.lineOf(p.faults[n-1].Start) <= p.lineOf(p.faults[n-2].Start) {
		p.faults[n-2] = p.faults[n-1]
	}
	p.faults = p.faults[:n-1]
}

func (p *parser) lineOf(offset int32) int { return lineOf(p.lines, offset) }

// opensBlock marks the tokens that start a header.
var opensBlock = [numKinds]bool{
	TokDef: true, TokClass: true, TokIf: true, TokElif: true, TokElse: true, TokFor: true, TokWhile: true,
	TokWith: true, TokTry: true, TokExcept: true, TokFinally: true, TokAsync: true,
}

// startsStatement marks the tokens that a statement can start with.
var startsStatement = func() (starts [numKinds]bool) {
	for kind := range numKinds {
		starts[kind] = startsExpr[kind] || opensBlock[kind]
	}
	for _, kind := range []Kind{
		TokMatMult, TokImport, TokFrom, TokReturn, TokRaise, TokYield, TokPass, TokBreak, TokContinue, TokDel,
		TokAssert, TokGlobal, TokNonlocal,
	} {
		starts[kind] = true
	}
	return starts
}()

// missingBlock reports a header without a block.
func (p *parser) missingBlock(what string, header int32) {
	p.failAs(faultGrammar, p.tok.Span, fmt.Sprintf("expected an indented block after %s on line %d", what, p.lineOf(header)+1))
	// The token itself is good: it starts the next statement.
	p.failed = false
	p.tok = p.toks[p.at]
}

// forgottenComma reports two expressions next to each other in brackets, as
// CPython does: from the start of the first.
func (p *parser) forgottenComma() bool {
	if p.trying || p.exprTo != p.at || p.exprFrom >= p.exprTo || !startsExpr[p.tok.Kind] || p.bracketDepth() == 0 {
		return false
	}
	first := p.toks[p.exprFrom]
	if first.Kind == TokName && (p.isSoftKeyword(first) || p.toks[p.exprFrom+1].Kind == TokString) {
		return false
	}
	both := Span{Start: p.lastExpr().Bounds().Start}
	if !p.try(func() { both.End = p.expr().Bounds().End }) {
		switch p.tok.Kind {
		case TokNot, TokLambda, TokAwait, TokTilde, TokLBrace, TokFStringStart:
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
	if p.trying || p.tok.Kind != TokEqual || p.namedTo != p.at || p.exprTo != p.at {
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

// goTo makes the token of that index the current one.
func (p *parser) goTo(at int) { p.at, p.tok = at, p.toks[at] }

// try calls parse, tells whether it went well, and goes back.
func (p *parser) try(parse func()) bool {
	at, faults, trying := p.at, len(p.faults), p.trying
	p.trying = true
	parse()
	ok := !p.failed
	p.failed, p.faults, p.trying = false, p.faults[:faults], trying
	p.goTo(at)
	return ok
}

// bracketDepth counts the brackets open before the current token.
func (p *parser) bracketDepth() int {
	depth := 0
	for _, t := range p.toks[:p.at] {
		switch t.Kind {
		case TokLParen, TokLBracket, TokLBrace:
			depth++
		case TokRParen, TokRBracket, TokRBrace:
			depth--
		}
	}
	return depth
}

func (p *parser) isSoftKeyword(t Token) bool {
	switch p.text[t.Start:t.End] {
	case "match", "case", "type", "_":
		return true
	}
	return false
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
	if (g.kind == faultIndent || t.kind == faultLayout) && g.Start < t.Start {
		return grammar
	}
	if t.kind == faultUnclosed && p.lineOf(g.Start) <= p.lineOf(t.Start) {
		return grammar
	}
	return token
}

// cpythonFault is the index of the fault CPython would raise.
func (p *parser) cpythonFault() int {
	p.settle()
	return p.raised
}

// limitDepth replaces statements whose tree is so high that walking it could
// exhaust the stack. Only chains of operators or calls can be that high: the
// parser does not nest for them.
func (p *parser) limitDepth(body []Stmt) []Stmt {
	if p.longest*maxBrackets < maxHeight {
		return body
	}
	for i, s := range body {
		if tooHigh(s) {
			p.faults = append(p.faults, fault{s.Bounds(), "too many nested expressions", faultGrammar})
			body[i] = &BadStmt{Span: s.Bounds()}
		}
	}
	return body
}

// tooHigh measures a tree level by level, without recursion.
func tooHigh(s Stmt) bool {
	level := []Node{s}
	var below []Node
	for range maxHeight {
		below = below[:0]
		for _, n := range level {
			Children(n, func(child Node) { below = append(below, child) })
		}
		if len(below) == 0 {
			return false
		}
		level, below = below, level
	}
	return true
}
