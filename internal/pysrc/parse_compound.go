package pysrc

// statement parses one statement, or the simple statements of one line, and
// pushes what it finds. It always makes progress and never leaves an error behind.
func (p *parser) statement() {
	p.badStart = p.tok.Start
	s := p.compound()
	if s != nil {
		p.stmts.push(s)
	}
	if p.failed {
		p.recover(s != nil)
	}
}

// compound parses a statement. It returns nil if it has pushed the statement
// itself, or if there is nothing worth keeping of it.
func (p *parser) compound() Stmt {
	switch p.tok.Kind {
	case tokIf:
		return p.ifStmt()
	case tokDef:
		return p.function(p.tok.Start, nil)
	case tokFor:
		return p.forStmt(p.tok.Start)
	case tokClass:
		return p.class(nil)
	case tokWith:
		return p.with(p.tok.Start)
	case tokTry:
		return p.tryStmt()
	case tokWhile:
		return p.while()
	case tokMatMult:
		return p.decorated()
	case tokAsync:
		return p.async(nil)
	case tokIndent:
		p.failAs(faultIndent, p.tok.Span, "unexpected indent")
		return nil
	case tokName:
		if p.isMatch() {
			return p.match()
		}
	}
	p.simpleLine()
	return nil
}

// block parses the colon and the statements under a header. what and start
// tell the message whose block is missing.
func (p *parser) block(what string, start int32) []Stmt {
	p.colon()
	if p.failed {
		return nil
	}
	mark := p.stmts.mark()
	if p.tok.Kind != tokNewline {
		// A block on the line of its header has simple statements only. What
		// fails in it fails the statement.
		p.simpleLine()
		return p.stmts.take(mark)
	}
	p.nextLine()
	if p.tok.Kind != tokIndent {
		p.missingBlock(what, start)
		return nil
	}
	p.next()
	if p.wanted != nil && (what == "function definition" || what == "class definition") {
		return p.skip()
	}
	return p.suite()
}

// suite parses statements up to the dedent that ends them, and the dedent.
func (p *parser) suite() []Stmt {
	mark := p.stmts.mark()
	for p.tok.Kind != tokDedent && p.tok.Kind != tokEOF {
		p.statement()
	}
	if p.tok.Kind == tokDedent {
		p.next()
	}
	return p.stmts.take(mark)
}

// colon consumes the colon of a header.
func (p *parser) colon() {
	if p.tok.Kind == tokColon {
		p.next()
		return
	}
	if p.tok.Kind == tokNewline {
		p.fail(p.tok.Span, "expected ':'")
	}
	p.unexpected()
}

// clause starts a header: if, elif, else, except and their like.
func (p *parser) clause() (start int32) {
	start = p.tok.Start
	p.badStart = start
	p.next()
	return start
}

// endClause lets a broken clause not take those after it with it.
func (p *parser) endClause() {
	if p.failed {
		p.recover(true)
	}
}

// ifStmt parses if and its elifs, which nest in the tree but not here.
func (p *parser) ifStmt() Stmt {
	top := p.ifClause("'if' statement")
	if top == nil {
		return nil
	}
	if p.failed {
		return top
	}
	last, length := top, 1
	for p.tok.Kind == tokElif {
		s := p.ifClause("'elif' statement")
		p.endClause()
		if s != nil {
			p.stmts.push(s)
			last.Orelse = p.stmts.take(p.stmts.mark() - 1)
			last = s
			length++
		}
	}
	p.chained(length)
	inner := last
	inner.Orelse = p.orelse()
	// The last block ends them all.
	for s := top; ; s = s.Orelse[0].(*If) {
		s.End = p.upTo(s.Start).End
		if s == inner {
			return top
		}
	}
}

// ifClause parses one if or elif. It returns nil when the header is broken.
func (p *parser) ifClause(what string) *If {
	start := p.clause()
	test := p.named()
	body := p.block(what, start)
	if p.failed && body == nil {
		return nil
	}
	s := p.ifs.new()
	*s = If{Span: p.upTo(start), Test: test, Body: body}
	return s
}

// orelse parses else: if there is one.
func (p *parser) orelse() []Stmt {
	if p.tok.Kind != tokElse {
		return nil
	}
	start := p.clause()
	body := p.block("'else' statement", start)
	p.endClause()
	return body
}

func (p *parser) while() Stmt {
	start := p.tok.Start
	p.next()
	s := &While{Test: p.named()}
	if s.Body, s.Orelse = p.loopBody("'while' statement", start); p.failed && s.Body == nil {
		return nil
	}
	s.Span = p.upTo(start)
	return s
}

// loopBody parses what a loop repeats, and its else.
func (p *parser) loopBody(name string, start int32) (body, orelse []Stmt) {
	body = p.block(name, start)
	if !p.failed {
		orelse = p.orelse()
	}
	return body, orelse
}

func (p *parser) forStmt(start int32) Stmt {
	s := &For{Async: p.tok.Start != start}
	p.next()
	s.Target = p.forTarget()
	p.need(tokIn)
	s.Iter = p.exprList()
	if s.Body, s.Orelse = p.loopBody("'for' statement", start); p.failed && s.Body == nil {
		return nil
	}
	s.Span = p.upTo(start)
	return s
}

// decorated parses decorators and the def or class under them.
func (p *parser) decorated() Stmt {
	mark := p.exprs.mark()
	for p.accept(tokMatMult) {
		p.exprs.push(p.named())
		if p.tok.Kind != tokNewline {
			p.unexpected()
			break
		}
		p.nextLine()
	}
	decorators := p.exprs.take(mark)
	switch p.tok.Kind {
	case tokDef:
		return p.function(p.tok.Start, decorators)
	case tokClass:
		return p.class(decorators)
	case tokAsync:
		return p.async(decorators)
	}
	p.unexpected()
	return nil
}

// async parses async def, for and with. Only a def has decorators.
func (p *parser) async(decorators []Expr) Stmt {
	start := p.tok.Start
	p.next()
	switch {
	case p.tok.Kind == tokDef:
		return p.function(start, decorators)
	case p.tok.Kind == tokFor && decorators == nil:
		return p.forStmt(start)
	case p.tok.Kind == tokWith && decorators == nil:
		return p.with(start)
	}
	p.unexpected()
	return nil
}

// function parses a def; start is before it when it is async.
func (p *parser) function(start int32, decorators []Expr) Stmt {
	f := p.functions.new()
	f.Async = p.tok.Start != start
	f.Decorators = decorators
	p.next()
	f.NameSpan = p.tok.Span
	f.Name = p.identifier()
	f.TypeParams = p.typeParams()
	p.expect(tokLParen, "expected '('")
	f.Args = p.parameters(tokRParen)
	p.need(tokRParen)
	if p.tok.Kind == tokArrow {
		f.Returns = p.returnType()
	}
	f.Body = p.block("function definition", start)
	if p.failed && f.Body == nil {
		return nil
	}
	f.Span = p.upTo(start)
	return f
}

// returnType parses -> type. CPython blames the arrow for a type that does not parse.
func (p *parser) returnType() Expr {
	arrow := p.tok
	p.next()
	var e Expr
	at := p.at
	if p.try(func() {
		e = p.expr()
		at = p.at
	}) {
		p.goTo(at)
		return e
	}
	p.fail(arrow.Span, "expected ':'")
	return e
}

func (p *parser) class(decorators []Expr) Stmt {
	start := p.tok.Start
	p.next()
	c := p.classes.new()
	c.Decorators, c.NameSpan = decorators, p.tok.Span
	c.Name = p.identifier()
	c.TypeParams = p.typeParams()
	if p.tok.Kind == tokLParen {
		open := p.tok.Start
		p.next()
		c.Bases, c.Keywords = p.callArguments(open, false)
	}
	c.Body = p.block("class definition", start)
	if p.failed && c.Body == nil {
		return nil
	}
	c.Span = p.upTo(start)
	return c
}
