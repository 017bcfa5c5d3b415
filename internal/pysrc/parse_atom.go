package pysrc

// atom parses a name, a literal or something in brackets.
func (p *parser) atom() Expr {
	switch p.tok.Kind {
	case TokName:
		return p.name()
	case TokNumber:
		return p.numberConst()
	case TokString, TokFStringStart:
		return p.stringExpr()
	case TokLParen:
		return p.parens()
	case TokLBracket:
		return p.list()
	case TokLBrace:
		return p.braces()
	case TokNone:
		return p.constant(None, "")
	case TokTrue:
		return p.constant(True, "")
	case TokFalse:
		return p.constant(False, "")
	case TokEllipsis:
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
	case TokRParen:
		p.next()
		t := p.tuples.new()
		t.Span, t.Parens = p.since(start), true
		return t
	case TokYield:
		y := p.yield()
		p.need(TokRParen)
		return y
	}
	isStar := p.tok.Kind == TokMult
	first := p.starNamed()
	switch p.tok.Kind {
	case TokComma:
		mark := p.exprs.mark()
		p.exprs.push(first)
		for p.accept(TokComma) && startsExpr[p.tok.Kind] {
			p.exprs.push(p.starNamed())
		}
		p.need(TokRParen)
		t := p.tuples.new()
		*t = Tuple{Span: p.since(start), Parens: true, Elts: p.exprs.take(mark)}
		return t
	case TokFor, TokAsync:
		p.noUnpacking(first)
		generators := p.generators()
		p.need(TokRParen)
		return &GeneratorExp{p.since(start), first, generators}
	}
	if isStar && p.tok.Kind == TokRParen {
		p.fail(first.Bounds(), "cannot use starred expression here")
	}
	p.need(TokRParen)
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
		if p.tok.Kind == TokFor || p.tok.Kind == TokAsync {
			p.noUnpacking(first)
			generators := p.generators()
			p.need(TokRBracket)
			return &ListComp{p.since(start), first, generators}
		}
		p.exprs.push(first)
		for p.accept(TokComma) && startsExpr[p.tok.Kind] {
			p.exprs.push(p.starNamed())
		}
	}
	p.need(TokRBracket)
	return &List{Span: p.since(start), Elts: p.exprs.take(mark)}
}

// braces parses a dict, a set or a comprehension of either.
func (p *parser) braces() Expr {
	start := p.tok.Start
	p.next()
	if p.tok.Kind == TokRBrace || p.tok.Kind == TokPow {
		return p.dict(start, nil)
	}
	first := p.starNamed()
	switch p.tok.Kind {
	case TokColon:
		if _, isStar := first.(*Starred); isStar {
			p.unexpected()
		}
		return p.dict(start, first)
	case TokFor, TokAsync:
		p.noUnpacking(first)
		generators := p.generators()
		p.need(TokRBrace)
		return &SetComp{p.since(start), first, generators}
	}
	mark := p.exprs.mark()
	p.exprs.push(first)
	for p.accept(TokComma) && startsExpr[p.tok.Kind] {
		p.exprs.push(p.starNamed())
	}
	p.need(TokRBrace)
	return &Set{p.since(start), p.exprs.take(mark)}
}

// dict parses the rest of a dict whose first key, if it has one, was parsed.
// Keys and values alternate on the stack until the end.
func (p *parser) dict(start int32, key Expr) Expr {
	mark := p.exprs.mark()
	if key != nil {
		p.next()
		value := p.expr()
		if p.tok.Kind == TokFor || p.tok.Kind == TokAsync {
			generators := p.generators()
			p.need(TokRBrace)
			return &DictComp{p.since(start), key, value, generators}
		}
		p.exprs.push(key)
		p.exprs.push(value)
	} else if p.tok.Kind == TokPow {
		p.dictItem()
		if p.tok.Kind == TokFor || p.tok.Kind == TokAsync {
			p.fail(p.tok.Span, "dict unpacking cannot be used in dict comprehension")
		}
	}
	for p.accept(TokComma) && p.tok.Kind != TokRBrace {
		p.dictItem()
	}
	p.need(TokRBrace)
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
	if p.accept(TokPow) {
		p.exprs.push(nil)
		p.exprs.push(p.binary(precBitOr))
		return
	}
	key := p.expr()
	p.exprs.push(key)
	if p.tok.Kind == TokColon {
		p.next()
	} else if !p.failed && !p.forgottenComma() {
		p.fail(key.Bounds(), "':' expected after dictionary key")
	}
	p.exprs.push(p.expr())
}

// generators parses the for and if parts of a comprehension.
func (p *parser) generators() []*Comprehension {
	var list []*Comprehension
	for p.tok.Kind == TokFor || p.tok.Kind == TokAsync {
		start := p.tok.Start
		async := p.accept(TokAsync)
		p.need(TokFor)
		c := &Comprehension{Async: async, Target: p.forTarget()}
		p.expect(TokIn, "'in' expected after for-loop variables")
		c.Iter = p.binary(precOr)
		mark := p.exprs.mark()
		for p.accept(TokIf) {
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
	if p.accept(TokFrom) {
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
