package pysrc

// isMatch tells a match statement from an expression that starts with a name
// match. Only a header ends its line with a colon.
func (p *parser) isMatch() bool {
	if !p.isWord("match") {
		return false
	}
	n := len(p.toks)
	return startsExpr[p.peek()] && n >= p.at+4 && p.toks[n-1].Kind == TokNewline && p.toks[n-2].Kind == TokColon
}

func (p *parser) match() Stmt {
	start := p.tok.Start
	p.next()
	at := p.tok.Start
	m := &Match{Subject: p.starNamed()}
	if p.tok.Kind == TokComma {
		m.Subject = p.tupleRest(at, m.Subject, (*parser).starNamed)
	} else if s, ok := m.Subject.(*Starred); ok {
		p.fail(s.Span, "cannot use starred expression here")
	}
	p.colon()
	if p.failed {
		return nil
	}
	if p.tok.Kind != TokNewline {
		p.unexpected()
		return nil
	}
	p.nextLine()
	if p.tok.Kind != TokIndent {
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
	for p.tok.Kind != TokDedent && p.tok.Kind != TokEOF {
		if p.isWord("case") {
			if c := p.matchCase(); c != nil {
				m.Cases = append(m.Cases, c)
			}
			p.endClause()
			continue
		}
		// What is no case is an error, and a statement all the same.
		if p.tok.Kind != TokIndent {
			p.unexpected()
			p.failed = false
			p.goTo(p.at)
		}
		p.statement()
	}
	if p.tok.Kind == TokDedent {
		p.next()
	}
}

func (p *parser) matchCase() *MatchCase {
	start := p.clause()
	c := &MatchCase{Pattern: p.casePattern()}
	if p.accept(TokIf) {
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
	if p.tok.Kind != TokComma {
		if s, ok := first.(*MatchStar); ok {
			p.fail(s.Span, "invalid syntax")
		}
		return first
	}
	list := []Pattern{first}
	for p.accept(TokComma) && p.tok.Kind != TokColon && p.tok.Kind != TokIf {
		list = append(list, p.starPattern())
	}
	return &MatchSequence{p.since(start), list}
}

// starPattern parses a pattern or *name.
func (p *parser) starPattern() Pattern {
	if p.tok.Kind != TokMult {
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
	if !p.accept(TokAs) {
		return pattern
	}
	if p.isWord("_") {
		p.fail(p.tok.Span, "cannot use '_' as a target")
	} else if p.tok.Kind != TokName || p.peek() == TokDot || p.peek() == TokLParen {
		p.fail(p.tok.Span, "invalid pattern target")
	}
	name := p.identifier()
	return &MatchAs{p.since(start), pattern, name}
}

func (p *parser) orPattern() Pattern {
	start := p.tok.Start
	first := p.closedPattern()
	if p.tok.Kind != TokBitOr {
		return first
	}
	list := []Pattern{first}
	for p.accept(TokBitOr) {
		list = append(list, p.closedPattern())
	}
	return &MatchOr{p.since(start), list}
}

func (p *parser) closedPattern() Pattern {
	start := p.tok.Start
	switch p.tok.Kind {
	case TokNone, TokTrue, TokFalse:
		kind := map[Kind]ConstKind{TokNone: None, TokTrue: True, TokFalse: False}[p.tok.Kind]
		p.next()
		return &MatchSingleton{p.since(start), kind}
	case TokNumber, TokSub, TokString, TokFStringStart:
		value := p.literalKey()
		return &MatchValue{p.since(start), value}
	case TokLParen, TokLBracket:
		return p.groupPattern()
	case TokLBrace:
		return p.mappingPattern()
	case TokName:
		return p.namePattern()
	}
	p.unexpected()
	return noPattern
}

// literalKey parses a number with its sign, a complex number or a string.
func (p *parser) literalKey() Expr {
	start := p.tok.Start
	if p.tok.Kind == TokString || p.tok.Kind == TokFStringStart {
		value := p.stringExpr()
		if _, ok := value.(*JoinedStr); ok {
			p.fail(value.Bounds(), "patterns may only match literals and attribute lookups")
		}
		return value
	}
	left := p.signedNumber()
	if p.tok.Kind != TokAdd && p.tok.Kind != TokSub {
		return left
	}
	op := Add
	if p.tok.Kind == TokSub {
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
	minus := p.accept(TokSub)
	if p.tok.Kind != TokNumber {
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
	case TokDot, TokLParen:
		var value Expr = name
		for p.accept(TokDot) {
			at := p.tok.Start
			attr := p.identifier()
			value = &Attribute{Span: p.since(start), AttrStart: at, Value: value, Attr: attr}
		}
		if p.tok.Kind == TokLParen {
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
	end := TokRBracket
	if p.tok.Kind == TokLParen {
		end = TokRParen
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
		if comma = p.accept(TokComma); !comma {
			break
		}
	}
	p.need(end)
	if len(list) == 1 && !comma && end == TokRParen {
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
	for p.tok.Kind != TokRBrace && !p.failed {
		if m.Rest != "" {
			p.unexpected()
		}
		if p.accept(TokPow) {
			m.Rest = p.identifier()
			if m.Rest == "_" {
				p.fail(p.toks[p.at-1].Span, "invalid syntax")
			}
		} else {
			m.Keys = append(m.Keys, p.mappingKey())
			p.need(TokColon)
			m.Patterns = append(m.Patterns, p.asPattern())
		}
		if !p.accept(TokComma) {
			break
		}
	}
	p.need(TokRBrace)
	m.Span = p.since(start)
	return m
}

// mappingKey parses a literal or a dotted name.
func (p *parser) mappingKey() Expr {
	start := p.tok.Start
	switch p.tok.Kind {
	case TokNumber, TokSub, TokString, TokFStringStart:
		return p.literalKey()
	case TokNone:
		return p.constant(None, "")
	case TokTrue:
		return p.constant(True, "")
	case TokFalse:
		return p.constant(False, "")
	case TokName:
		var value Expr = p.name()
		if p.tok.Kind != TokDot {
			p.unexpected()
		}
		for p.accept(TokDot) {
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
	for p.tok.Kind != TokRParen && !p.failed {
		at := p.tok.Start
		if p.tok.Kind == TokName && p.peek() == TokEqual {
			c.KwdAttrs = append(c.KwdAttrs, p.identifier())
			p.next()
			c.KwdPatterns = append(c.KwdPatterns, p.asPattern())
		} else {
			c.Patterns = append(c.Patterns, p.asPattern())
			if len(c.KwdAttrs) > 0 {
				p.fail(Span{at, p.end()}, "positional patterns follow keyword patterns")
			}
		}
		if !p.accept(TokComma) {
			break
		}
	}
	p.need(TokRParen)
	c.Span = p.since(start)
	return c
}
