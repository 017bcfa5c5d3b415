package pysrc

// isMatch tells a match statement from an expression that starts with a name
// match. Only a header ends its line with a colon.
func (p *parser) isMatch() bool {
	if !p.isWord("match") {
		return false
	}
	n := len(p.toks)
	return startsExpr[p.peek()] && n >= p.at+4 && p.toks[n-1].Kind == tokNewline && p.toks[n-2].Kind == tokColon
}

func (p *parser) match() Stmt {
	start := p.tok.Start
	p.next()
	at := p.tok.Start
	m := &Match{Subject: p.starNamed()}
	if p.tok.Kind == tokComma {
		m.Subject = p.tupleRest(at, m.Subject, (*parser).starNamed)
	} else if s, ok := m.Subject.(*Starred); ok {
		p.fail(s.Span, "cannot use starred expression here")
	}
	p.colon()
	if p.failed {
		return nil
	}
	if p.tok.Kind != tokNewline {
		p.unexpected()
		return nil
	}
	p.nextLine()
	if p.tok.Kind != tokIndent {
		p.missingBlock("'match' statement", start)
	} else {
		p.next()
		p.cases(m)
	}
	m.Span = p.upTo(start)
	return m
}

// cases parses the cases of a match and the dedent after them.
func (p *parser) cases(m *Match) {
	for p.tok.Kind != tokDedent && p.tok.Kind != tokEOF {
		if p.isWord("case") {
			if c := p.matchCase(); c != nil {
				m.Cases = append(m.Cases, c)
			}
			p.endClause()
			continue
		}
		// What is not a case is an error, and a statement all the same.
		if p.tok.Kind != tokIndent {
			p.unexpected()
			p.failed = false
			p.goTo(p.at)
		}
		p.statement()
	}
	if p.tok.Kind == tokDedent {
		p.next()
	}
}

func (p *parser) matchCase() *MatchCase {
	start := p.clause()
	c := &MatchCase{Pattern: p.casePattern()}
	if p.accept(tokIf) {
		c.Guard = p.named()
	}
	c.Body = p.block("'case' statement", start)
	if p.failed && c.Body == nil {
		return nil
	}
	c.Span = p.upTo(start)
	return c
}

// noPattern stands for a pattern that does not parse.
var noPattern = &MatchAs{}

// casePattern parses what stands after case, where a sequence needs no brackets.
func (p *parser) casePattern() Pattern {
	start := p.tok.Start
	first := p.starPattern()
	if p.tok.Kind != tokComma {
		if s, ok := first.(*MatchStar); ok {
			p.fail(s.Span, "invalid syntax")
		}
		return first
	}
	list := []Pattern{first}
	for p.accept(tokComma) && p.tok.Kind != tokColon && p.tok.Kind != tokIf {
		list = append(list, p.starPattern())
	}
	return &MatchSequence{p.since(start), list}
}

// starPattern parses a pattern or *name.
func (p *parser) starPattern() Pattern {
	if p.tok.Kind != tokMult {
		return p.asPattern()
	}
	start := p.tok.Start
	p.next()
	name := p.identifier()
	if name == "_" {
		name = ""
	}
	return &MatchStar{p.since(start), name}
}

// asPattern parses alternatives and the name they are bound to.
func (p *parser) asPattern() Pattern {
	start := p.tok.Start
	pattern := p.orPattern()
	if !p.accept(tokAs) {
		return pattern
	}
	if p.isWord("_") {
		p.fail(p.tok.Span, "cannot use '_' as a target")
	} else if p.tok.Kind != tokName || p.peek() == tokDot || p.peek() == tokLParen {
		p.fail(p.tok.Span, "invalid pattern target")
	}
	name := p.identifier()
	return &MatchAs{p.since(start), pattern, name}
}

func (p *parser) orPattern() Pattern {
	start := p.tok.Start
	first := p.closedPattern()
	if p.tok.Kind != tokBitOr {
		return first
	}
	list := []Pattern{first}
	for p.accept(tokBitOr) {
		list = append(list, p.closedPattern())
	}
	return &MatchOr{p.since(start), list}
}

func (p *parser) closedPattern() Pattern {
	start := p.tok.Start
	switch p.tok.Kind {
	case tokNone, tokTrue, tokFalse:
		kind := map[Kind]ConstKind{tokNone: None, tokTrue: True, tokFalse: False}[p.tok.Kind]
		p.next()
		return &MatchSingleton{p.since(start), kind}
	case tokNumber, tokSub, tokString, tokFStringStart:
		value := p.literalKey()
		return &MatchValue{p.since(start), value}
	case tokLParen, tokLBracket:
		return p.groupPattern()
	case tokLBrace:
		return p.mappingPattern()
	case tokName:
		return p.namePattern()
	}
	p.unexpected()
	return noPattern
}

// literalKey parses a number with its sign, a complex number or a string.
func (p *parser) literalKey() Expr {
	start := p.tok.Start
	if p.tok.Kind == tokString || p.tok.Kind == tokFStringStart {
		value := p.stringExpr()
		if _, ok := value.(*JoinedStr); ok {
			p.fail(value.Bounds(), "patterns may only match literals and attribute lookups")
		}
		return value
	}
	left := p.signedNumber()
	if p.tok.Kind != tokAdd && p.tok.Kind != tokSub {
		return left
	}
	op := Add
	if p.tok.Kind == tokSub {
		op = Sub
	}
	if real, ok := left.(*Constant); ok && real.Kind == Complex {
		p.fail(real.Span, "real number required in complex literal")
	}
	p.next()
	right := p.signedNumber()
	if imaginary, ok := right.(*Constant); !ok || imaginary.Kind != Complex {
		p.fail(right.Bounds(), "imaginary number required in complex literal")
	}
	return &BinOp{p.since(start), left, op, right}
}

func (p *parser) signedNumber() Expr {
	start := p.tok.Start
	minus := p.accept(tokSub)
	if p.tok.Kind != tokNumber {
		p.unexpected()
		return &p.none
	}
	number := p.numberConst()
	if minus {
		return &UnaryOp{p.since(start), USub, number}
	}
	return number
}

// namePattern parses a capture, the wildcard, a dotted name or a class.
func (p *parser) namePattern() Pattern {
	start := p.tok.Start
	name := p.name()
	switch p.tok.Kind {
	case tokDot, tokLParen:
		var value Expr = name
		for p.accept(tokDot) {
			at := p.tok.Start
			attr := p.identifier()
			value = &Attribute{Span: p.since(start), AttrStart: at, Value: value, Attr: attr}
		}
		if p.tok.Kind == tokLParen {
			return p.classPattern(start, value)
		}
		return &MatchValue{p.since(start), value}
	}
	id := name.ID
	if id == "_" {
		id = ""
	}
	return &MatchAs{Span: name.Span, Name: id}
}

// groupPattern parses a sequence, or a pattern in parentheses.
func (p *parser) groupPattern() Pattern {
	start := p.tok.Start
	end := tokRBracket
	if p.tok.Kind == tokLParen {
		end = tokRParen
	}
	if !p.enter() {
		return noPattern
	}
	defer p.leave()
	p.next()
	var list []Pattern
	comma := false
	for p.tok.Kind != end && !p.failed {
		list = append(list, p.starPattern())
		if comma = p.accept(tokComma); !comma {
			break
		}
	}
	p.need(end)
	if len(list) == 1 && !comma && end == tokRParen {
		if s, ok := list[0].(*MatchStar); ok {
			p.fail(s.Span, "invalid syntax")
		}
		return list[0]
	}
	return &MatchSequence{p.since(start), list}
}

func (p *parser) mappingPattern() Pattern {
	start := p.tok.Start
	m := &MatchMapping{}
	p.next()
	for p.tok.Kind != tokRBrace && !p.failed {
		if m.Rest != "" {
			p.unexpected()
		}
		if p.accept(tokPow) {
			m.Rest = p.identifier()
			if m.Rest == "_" {
				p.fail(p.toks[p.at-1].Span, "invalid syntax")
			}
		} else {
			m.Keys = append(m.Keys, p.mappingKey())
			p.need(tokColon)
			m.Patterns = append(m.Patterns, p.asPattern())
		}
		if !p.accept(tokComma) {
			break
		}
	}
	p.need(tokRBrace)
	m.Span = p.since(start)
	return m
}

// mappingKey parses a literal or a dotted name.
func (p *parser) mappingKey() Expr {
	start := p.tok.Start
	switch p.tok.Kind {
	case tokNumber, tokSub, tokString, tokFStringStart:
		return p.literalKey()
	case tokNone:
		return p.constant(None, "")
	case tokTrue:
		return p.constant(True, "")
	case tokFalse:
		return p.constant(False, "")
	case tokName:
		var value Expr = p.name()
		if p.tok.Kind != tokDot {
			p.unexpected()
		}
		for p.accept(tokDot) {
			at := p.tok.Start
			attr := p.identifier()
			value = &Attribute{Span: p.since(start), AttrStart: at, Value: value, Attr: attr}
		}
		return value
	}
	p.unexpected()
	return &p.none
}

func (p *parser) classPattern(start int32, class Expr) Pattern {
	if !p.enter() {
		return noPattern
	}
	defer p.leave()
	c := &MatchClass{Class: class}
	p.next()
	for p.tok.Kind != tokRParen && !p.failed {
		at := p.tok.Start
		if p.tok.Kind == tokName && p.peek() == tokEqual {
			c.KwdAttrs = append(c.KwdAttrs, p.identifier())
			p.next()
			c.KwdPatterns = append(c.KwdPatterns, p.asPattern())
		} else {
			c.Patterns = append(c.Patterns, p.asPattern())
			if len(c.KwdAttrs) > 0 {
				p.fail(Span{at, p.end()}, "positional patterns follow keyword patterns")
			}
		}
		if !p.accept(tokComma) {
			break
		}
	}
	p.need(tokRParen)
	c.Span = p.since(start)
	return c
}
