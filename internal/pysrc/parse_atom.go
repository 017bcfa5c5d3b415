package pysrc

// atom parses a name, a literal or something in brackets.
func (p *parser) atom() Expr {
	switch p.tok.Kind {
	case tokName:
		return p.name()
	case tokNumber:
		return p.numberConst()
	case tokString, tokFStringStart:
		return p.stringExpr()
	case tokLParen:
		return p.parens()
	case tokLBracket:
		return p.list()
	case tokLBrace:
		return p.braces()
	case tokNone:
		return p.constant(None, "")
	case tokTrue:
		return p.constant(True, "")
	case tokFalse:
		return p.constant(False, "")
	case tokEllipsis:
		return p.constant(Ellipsis, "")
	}
	p.unexpected()
	return &p.none
}

func (p *parser) name() *Name {
	n := p.names.new()
	n.Span, n.ID = p.tok.Span, p.tokenName()
	p.next()
	return n
}

// constant makes a Constant of the current token.
func (p *parser) constant(kind ConstKind, value string) *Constant {
	c := p.constants.new()
	c.Span, c.Kind, c.Value = p.tok.Span, kind, value
	p.next()
	return c
}

func (p *parser) numberConst() *Constant {
	text := p.text[p.tok.Start:p.tok.End]
	return p.constant(numberKind(text), text)
}

// numberKind tells the type of a number by its spelling.
func numberKind(text string) ConstKind {
	if len(text) > 1 && text[0] == '0' && class[text[1]] == className && text[1]|0x20 != 'e' && text[1]|0x20 != 'j' &&
		text[1] != '_' {
		return Int // 0x, 0o, 0b
	}
	kind := Int
	for i := range len(text) {
		switch text[i] {
		case 'j', 'J':
			return Complex
		case '.', 'e', 'E':
			kind = Float
		}
	}
	return kind
}

// parens parses a tuple, a generator or an expression in parentheses.
func (p *parser) parens() Expr {
	start := p.tok.Start
	p.next()
	switch p.tok.Kind {
	case tokRParen:
		p.next()
		t := p.tuples.new()
		t.Span, t.Parens = p.since(start), true
		return t
	case tokYield:
		y := p.yield()
		p.need(tokRParen)
		return y
	}
	isStar := p.tok.Kind == tokMult
	first := p.starNamed()
	switch p.tok.Kind {
	case tokComma:
		mark := p.exprs.mark()
		p.exprs.push(first)
		for p.accept(tokComma) && startsExpr[p.tok.Kind] {
			p.exprs.push(p.starNamed())
		}
		p.need(tokRParen)
		t := p.tuples.new()
		*t = Tuple{Span: p.since(start), Parens: true, Elts: p.exprs.take(mark)}
		return t
	case tokFor, tokAsync:
		p.noUnpacking(first)
		generators := p.generators()
		p.need(tokRParen)
		return &GeneratorExp{p.since(start), first, generators}
	}
	if isStar && p.tok.Kind == tokRParen {
		p.fail(first.Bounds(), "cannot use starred expression here")
	}
	p.need(tokRParen)
	return first
}

// noUnpacking refuses *a for … and its like.
func (p *parser) noUnpacking(e Expr) {
	if s, ok := e.(*Starred); ok {
		p.fail(s.Span, "iterable unpacking cannot be used in comprehension")
	}
}

// list parses a list or a list comprehension.
func (p *parser) list() Expr {
	start := p.tok.Start
	p.next()
	mark := p.exprs.mark()
	if startsExpr[p.tok.Kind] {
		first := p.starNamed()
		if p.tok.Kind == tokFor || p.tok.Kind == tokAsync {
			p.noUnpacking(first)
			generators := p.generators()
			p.need(tokRBracket)
			return &ListComp{p.since(start), first, generators}
		}
		p.exprs.push(first)
		for p.accept(tokComma) && startsExpr[p.tok.Kind] {
			p.exprs.push(p.starNamed())
		}
	}
	p.need(tokRBracket)
	return &List{Span: p.since(start), Elts: p.exprs.take(mark)}
}

// braces parses a dict, a set or a comprehension of either.
func (p *parser) braces() Expr {
	start := p.tok.Start
	p.next()
	if p.tok.Kind == tokRBrace || p.tok.Kind == tokPow {
		return p.dict(start, nil)
	}
	first := p.starNamed()
	switch p.tok.Kind {
	case tokColon:
		if _, isStar := first.(*Starred); isStar {
			p.unexpected()
		}
		return p.dict(start, first)
	case tokFor, tokAsync:
		p.noUnpacking(first)
		generators := p.generators()
		p.need(tokRBrace)
		return &SetComp{p.since(start), first, generators}
	}
	mark := p.exprs.mark()
	p.exprs.push(first)
	for p.accept(tokComma) && startsExpr[p.tok.Kind] {
		p.exprs.push(p.starNamed())
	}
	p.need(tokRBrace)
	return &Set{p.since(start), p.exprs.take(mark)}
}

// dict parses the rest of a dict whose first key, if it has one, was parsed.
// Keys and values alternate on the stack until the end.
func (p *parser) dict(start int32, key Expr) Expr {
	mark := p.exprs.mark()
	if key != nil {
		p.next()
		value := p.expr()
		if p.tok.Kind == tokFor || p.tok.Kind == tokAsync {
			generators := p.generators()
			p.need(tokRBrace)
			return &DictComp{p.since(start), key, value, generators}
		}
		p.exprs.push(key)
		p.exprs.push(value)
	} else if p.tok.Kind == tokPow {
		p.dictItem()
		if p.tok.Kind == tokFor || p.tok.Kind == tokAsync {
			p.fail(p.tok.Span, "dict unpacking cannot be used in dict comprehension")
		}
	}
	for p.accept(tokComma) && p.tok.Kind != tokRBrace {
		p.dictItem()
	}
	p.need(tokRBrace)
	pairs := p.exprs.stack[mark:]
	keys := p.exprs.mark()
	for i := 0; i < len(pairs); i += 2 {
		p.exprs.push(pairs[i])
	}
	d := &Dict{Span: p.since(start), Keys: p.exprs.take(keys)}
	for i := 1; i < len(pairs); i += 2 {
		p.exprs.push(pairs[i])
	}
	d.Values = p.exprs.take(keys)
	p.exprs.drop(mark)
	return d
}

// dictItem parses key: value or **value.
func (p *parser) dictItem() {
	if p.accept(tokPow) {
		p.exprs.push(nil)
		p.exprs.push(p.binary(precBitOr))
		return
	}
	key := p.expr()
	p.exprs.push(key)
	if p.tok.Kind == tokColon {
		p.next()
	} else if !p.failed && !p.forgottenComma() {
		p.fail(key.Bounds(), "':' expected after dictionary key")
	}
	p.exprs.push(p.expr())
}

// generators parses the for and if parts of a comprehension.
func (p *parser) generators() []*Comprehension {
	var list []*Comprehension
	for p.tok.Kind == tokFor || p.tok.Kind == tokAsync {
		start := p.tok.Start
		async := p.accept(tokAsync)
		p.need(tokFor)
		c := &Comprehension{Async: async, Target: p.forTarget()}
		p.expect(tokIn, "'in' expected after for-loop variables")
		c.Iter = p.binary(precOr)
		mark := p.exprs.mark()
		for p.accept(tokIf) {
			p.exprs.push(p.binary(precOr))
		}
		c.Ifs = p.exprs.take(mark)
		c.Span = p.since(start)
		list = append(list, c)
	}
	return list
}

// yield parses a yield expression.
func (p *parser) yield() Expr {
	start := p.tok.Start
	p.next()
	if p.accept(tokFrom) {
		value := p.expr()
		return &YieldFrom{p.since(start), value}
	}
	y := &Yield{}
	if startsExpr[p.tok.Kind] {
		y.Value = p.exprList()
	}
	y.Span = p.since(start)
	return y
}
