package pysrc

func (p *parser) tryStmt() Stmt {
	start := p.tok.Start
	p.next()
	s := &Try{}
	s.Body = p.block("'try' statement", start)
	if p.failed && s.Body == nil {
		return nil
	}
	if p.failed {
		s.Span = p.upTo(start)
		return s
	}
	handled := false
	for p.tok.Kind == tokExcept {
		handled = true
		h := p.except(s)
		p.endClause()
		if h != nil {
			s.Handlers = append(s.Handlers, h)
		}
	}
	if handled {
		s.Orelse = p.orelse()
	}
	if p.tok.Kind == tokFinally {
		at := p.clause()
		s.Finalbody = p.block("'finally' statement", at)
		p.endClause()
	} else if !handled {
		p.fail(p.tok.Span, "expected 'except' or 'finally' block")
	}
	s.Span = p.upTo(start)
	return s
}

// except parses a handler. PEP 758 lets several types stand without
// parentheses if there is no as.
func (p *parser) except(s *Try) *ExceptHandler {
	start := p.clause()
	star := p.accept(tokMult)
	if len(s.Handlers) > 0 && star != s.Star {
		p.fail(Span{start, p.end()}, "cannot have both 'except' and 'except*' on the same 'try'")
	}
	s.Star = star
	h := &ExceptHandler{}
	what := "'except' statement"
	if star {
		what = "'except*' statement"
	}
	if p.tok.Kind != tokColon {
		at := p.tok.Start
		h.Type = p.expr()
		isTuple := p.tok.Kind == tokComma
		if isTuple {
			h.Type = p.tupleRest(at, h.Type, (*parser).expr)
		}
		if p.accept(tokAs) {
			h.Name = p.identifier()
			if isTuple {
				p.fail(Span{at, p.end()}, "multiple exception types must be parenthesized when using 'as'")
			}
		}
	} else if star {
		p.fail(p.tok.Span, "expected one or more exception types")
	}
	h.Body = p.block(what, start)
	if p.failed && h.Body == nil {
		return nil
	}
	h.Span = p.upTo(start)
	return h
}

// with parses with; start is before it when it is async.
func (p *parser) with(start int32) Stmt {
	s := &With{Async: p.tok.Start != start}
	p.next()
	if p.tok.Kind == tokLParen && p.closedByColon() {
		s.Items = p.withParens()
	}
	if s.Items == nil {
		for {
			s.Items = append(s.Items, p.withItem())
			if !p.accept(tokComma) {
				break
			}
		}
	}
	s.Body = p.block("'with' statement", start)
	if p.failed && s.Body == nil {
		return nil
	}
	s.Span = p.upTo(start)
	return s
}

// closedByColon reports whether the parenthesis at the current token closes
// right before a colon.
func (p *parser) closedByColon() bool {
	depth := 0
	for i := p.at; i+1 < len(p.toks); i++ {
		switch p.toks[i].Kind {
		case tokLParen, tokLBracket, tokLBrace:
			depth++
		case tokRParen, tokRBracket, tokRBrace:
			depth--
			if depth == 0 {
				return p.toks[i+1].Kind == tokColon
			}
		}
	}
	return false
}

// withParens tries to parse with (a as b, c): as items in parentheses. That
// they are an expression, as in with (yield): or with (a := b):, shows on the
// way; then it goes back and returns nil.
func (p *parser) withParens() []*WithItem {
	var items []*WithItem
	end := 0
	ok := p.try(func() {
		p.next()
		for {
			items = append(items, p.withItem())
			if !p.accept(tokComma) || p.tok.Kind == tokRParen {
				break
			}
		}
		p.need(tokRParen)
		if p.tok.Kind != tokColon {
			p.unexpected()
		}
		end = p.at
	})
	if !ok {
		return nil
	}
	p.goTo(end)
	return items
}

func (p *parser) withItem() *WithItem {
	start := p.tok.Start
	item := &WithItem{Context: p.expr()}
	if p.accept(tokAs) {
		item.Vars = p.targetElement()
		p.store(item.Vars)
	}
	item.Span = p.since(start)
	return item
}
