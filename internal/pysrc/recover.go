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
	case at.Kind == tokIndent:
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
	if p.tok.Kind == tokIndent {
		p.next()
		bad.Body = p.suite()
		bad.End = p.lastEnd
	}
	p.stmts.push(bad)
}

// atLineStart reports whether the current token is the first of its line.
func (p *parser) atLineStart() bool {
	return p.at == 0 || p.toks[p.at-1].Kind == tokDedent
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
	if p.lines == nil {
		p.lines = lineStarts(p.src, 0) // an outline needs them only here
	}
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
		under := header && p.toks[i-1].Kind == tokColon
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

func (p *parser) lineOf(offset int32) int { return lineOf(p.lines, offset) }

// opensBlock marks the tokens that start a header.
var opensBlock = [numKinds]bool{
	tokDef: true, tokClass: true, tokIf: true, tokElif: true, tokElse: true, tokFor: true, tokWhile: true,
	tokWith: true, tokTry: true, tokExcept: true, tokFinally: true, tokAsync: true,
}

// startsStatement marks the tokens that a statement can start with.
var startsStatement = func() (starts [numKinds]bool) {
	for kind := range numKinds {
		starts[kind] = startsExpr[kind] || opensBlock[kind]
	}
	for _, kind := range []Kind{
		tokMatMult, tokImport, tokFrom, tokReturn, tokRaise, tokYield, tokPass, tokBreak, tokContinue, tokDel,
		tokAssert, tokGlobal, tokNonlocal,
	} {
		starts[kind] = true
	}
	return starts
}()

// missingBlock reports a header without a block.
func (p *parser) missingBlock(what string, header int32) {
	p.failAs(faultGrammar, p.tok.Span, fmt.Sprintf("expected an indented block after %s on line %d", what,
		p.lineOf(header)+1))
	// The token itself is good: it starts the next statement.
	p.failed = false
	p.tok = p.toks[p.at]
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

// limitDepth replaces statements whose tree is so high that walking it could
// exhaust the stack. Only chains of operators or calls can be that high: the
// parser does not nest for them.
func (p *parser) limitDepth(body []Stmt) []Stmt {
	if p.longest*maxBrackets < maxHeight {
		return body
	}
	for i, s := range body {
		if tooHigh(s) {
			p.faults = append(p.faults, fault{s.Bounds(), "too many nested expressions", faultGrammar, s.Bounds().Start})
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
