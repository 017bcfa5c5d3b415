package pysrc

// Precedence of binary operators, from loosest to tightest. 0 is not an operator.
const (
	precOr = iota + 1
	precAnd
	precNot
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precSum
	precProduct
)

var precedence = [numKinds]uint8{
	tokOr: precOr, tokAnd: precAnd,
	tokEqEqual: precCompare, tokNotEqual: precCompare, tokLess: precCompare, tokLessEqual: precCompare,
	tokGreater: precCompare, tokGreaterEqual: precCompare, tokIn: precCompare, tokIs: precCompare, tokNot: precCompare,
	tokBitOr: precBitOr, tokBitXor: precBitXor, tokBitAnd: precBitAnd,
	tokLShift: precShift, tokRShift: precShift, tokAdd: precSum, tokSub: precSum,
	tokMult: precProduct, tokDiv: precProduct, tokFloorDiv: precProduct, tokMod: precProduct, tokMatMult: precProduct,
}

// startsExpr marks the tokens an expression can start with, a star included.
var startsExpr = [numKinds]bool{
	tokName: true, tokNumber: true, tokString: true, tokFStringStart: true, tokLParen: true, tokLBracket: true,
	tokLBrace: true, tokAdd: true, tokSub: true, tokTilde: true, tokNot: true, tokLambda: true, tokAwait: true,
	tokNone: true, tokTrue: true, tokFalse: true, tokEllipsis: true, tokMult: true,
}

// expr parses an expression: a conditional, a lambda or an operation.
func (p *parser) expr() Expr {
	if p.tok.Kind == tokLambda {
		return p.lambda()
	}
	start, from := p.tok.Start, p.at
	e := p.binary(precOr)
	p.exprFrom, p.exprTo = from, p.at
	if p.tok.Kind != tokIf {
		return e
	}
	return p.conditional(start, e)
}

func (p *parser) conditional(start int32, body Expr) Expr {
	if !p.enter() {
		return &p.none
	}
	defer p.leave()
	p.next()
	test := p.binary(precOr)
	switch p.tok.Kind {
	case tokElse:
		p.next()
	case tokColon:
		p.unexpected()
	default:
		p.fail(Span{body.Bounds().Start, p.end()}, "expected 'else' after 'if' expression")
	}
	orelse := p.expr()
	return &IfExp{p.since(start), test, body, orelse}
}

func (p *parser) lambda() Expr {
	if !p.enter() {
		return &p.none
	}
	defer p.leave()
	start := p.tok.Start
	p.next()
	args := p.parameters(tokColon)
	p.expect(tokColon, "expected ':'")
	body := p.expr()
	return &Lambda{p.since(start), args, body}
}

// named parses an expression or name := expression.
func (p *parser) named() Expr {
	if p.tok.Kind == tokName && p.peek() == tokWalrus {
		start := p.tok.Start
		target := p.name()
		target.Ctx = Store
		p.next()
		value := p.expr()
		return &NamedExpr{p.since(start), target, value}
	}
	e := p.expr()
	p.namedTo = p.at
	return e
}

// starred parses *operand; with a bitwise or, as everywhere but in calls.
func (p *parser) starred() Expr {
	start := p.tok.Start
	p.next()
	from := p.at
	value := p.binary(precBitOr)
	p.exprFrom, p.exprTo = from, p.at
	return &Starred{p.since(start), Load, value}
}

// starExpr parses an expression or *operand.
func (p *parser) starExpr() Expr {
	if p.tok.Kind == tokMult {
		return p.starred()
	}
	return p.expr()
}

// starNamed parses an element of a display: a named expression or *operand.
func (p *parser) starNamed() Expr {
	if p.tok.Kind == tokMult {
		return p.starred()
	}
	return p.named()
}

// exprList parses one expression, or several with commas as a tuple.
func (p *parser) exprList() Expr {
	start := p.tok.Start
	first := p.starExpr()
	if p.tok.Kind != tokComma {
		return first
	}
	return p.tupleRest(start, first, (*parser).starExpr)
}

// tupleRest parses the tuple that first starts. It has no parentheses.
func (p *parser) tupleRest(start int32, first Expr, element func(*parser) Expr) Expr {
	mark := p.exprs.mark()
	p.exprs.push(first)
	for p.accept(tokComma) && startsExpr[p.tok.Kind] {
		p.exprs.push(element(p))
	}
	t := p.tuples.new()
	*t = Tuple{Span: p.since(start), Elts: p.exprs.take(mark)}
	return t
}

// binary parses operators that bind at least as tight as min.
func (p *parser) binary(min uint8) Expr {
	start := p.tok.Start
	left := p.unary(min)
	length := 0
	for {
		kind := p.tok.Kind
		prec := precedence[kind]
		if prec < min || prec == 0 {
			p.chained(length)
			return left
		}
		switch prec {
		case precOr, precAnd:
			left = p.boolOp(start, left, kind, prec)
		case precCompare:
			if kind == tokNot && p.peek() != tokIn {
				return left
			}
			left = p.compare(start, left)
		default:
			p.next()
			right := p.binary(prec + 1)
			op := p.binOps.new()
			*op = BinOp{p.since(start), left, Operator(kind - tokAdd), right}
			left = op
			length++
		}
	}
}

func (p *parser) boolOp(start int32, first Expr, kind Kind, prec uint8) Expr {
	mark := p.exprs.mark()
	p.exprs.push(first)
	for p.accept(kind) {
		p.exprs.push(p.binary(prec + 1))
	}
	op := And
	if kind == tokOr {
		op = Or
	}
	return &BoolOp{p.since(start), op, p.exprs.take(mark)}
}

func (p *parser) compare(start int32, left Expr) Expr {
	mark, ops := p.exprs.mark(), p.cmpOps.mark()
	for {
		op, ok := p.comparison()
		if !ok {
			break
		}
		p.cmpOps.push(op)
		p.exprs.push(p.binary(precBitOr))
	}
	c := p.compares.new()
	*c = Compare{p.since(start), left, p.cmpOps.take(ops), p.exprs.take(mark)}
	return c
}

// comparison consumes a comparison operator if there is one.
func (p *parser) comparison() (CmpOp, bool) {
	kind := p.tok.Kind
	switch kind {
	case tokEqEqual, tokNotEqual, tokLess, tokLessEqual, tokGreater, tokGreaterEqual:
		p.next()
		return Eq + CmpOp(kind-tokEqEqual), true
	case tokIn:
		p.next()
		return In, true
	case tokIs:
		p.next()
		if p.accept(tokNot) {
			return IsNot, true
		}
		return Is, true
	case tokNot:
		if p.peek() != tokIn {
			return 0, false
		}
		p.next()
		p.next()
		return NotIn, true
	}
	return 0, false
}

// unary parses an operand with its prefix operators. min is the precedence of
// the operator before it: not may only stand after and, or, not or none.
func (p *parser) unary(min uint8) Expr {
	var op UnaryOperator
	prec := uint8(precProduct + 1)
	switch p.tok.Kind {
	case tokNot:
		if min > precNot {
			p.unexpected()
			return &p.none
		}
		op, prec = Not, precNot
	case tokSub:
		op = USub
	case tokAdd:
		op = UAdd
	case tokTilde:
		op = Invert
	case tokAwait:
		start := p.tok.Start
		p.next()
		value := p.primary()
		return p.power(start, &Await{p.since(start), value})
	default:
		start := p.tok.Start
		e := p.primary()
		if p.tok.Kind != tokPow {
			return e
		}
		return p.power(start, e)
	}
	if !p.enter() {
		return &p.none
	}
	start := p.tok.Start
	p.next()
	operand := p.binary(prec)
	p.leave()
	return &UnaryOp{p.since(start), op, operand}
}

// power parses the power that base is raised to, if any.
func (p *parser) power(start int32, base Expr) Expr {
	if p.tok.Kind != tokPow {
		return base
	}
	if !p.enter() {
		return &p.none
	}
	p.next()
	exponent := p.binary(precProduct + 1)
	p.leave()
	op := p.binOps.new()
	*op = BinOp{p.since(start), base, Pow, exponent}
	return op
}

// primary parses an atom and the attributes, calls and subscripts after it.
func (p *parser) primary() Expr {
	start := p.tok.Start
	e := p.atom()
	for length := 0; ; length++ {
		switch p.tok.Kind {
		case tokDot:
			p.next()
			at := p.tok.Start
			attr := p.identifier()
			a := p.attributes.new()
			*a = Attribute{Span: p.since(start), AttrStart: at, Value: e, Attr: attr}
			e = a
		case tokLParen:
			e = p.call(start, e)
		case tokLBracket:
			e = p.subscript(start, e)
		default:
			p.chained(length)
			return e
		}
	}
}

func (p *parser) subscript(start int32, value Expr) Expr {
	p.next()
	index := p.slices()
	p.need(tokRBracket)
	s := p.subscripts.new()
	*s = Subscript{Span: p.since(start), Value: value, Slice: index}
	return s
}

// slices parses what stands between the brackets of a subscript.
func (p *parser) slices() Expr {
	start := p.tok.Start
	isStar := p.tok.Kind == tokMult
	first := p.slice()
	if p.tok.Kind != tokComma && !isStar {
		return first
	}
	mark := p.exprs.mark()
	p.exprs.push(first)
	for p.accept(tokComma) && (startsExpr[p.tok.Kind] || p.tok.Kind == tokColon) {
		p.exprs.push(p.slice())
	}
	t := p.tuples.new()
	*t = Tuple{Span: p.since(start), Elts: p.exprs.take(mark)}
	return t
}

func (p *parser) slice() Expr {
	start := p.tok.Start
	if p.tok.Kind == tokMult {
		return p.callStar()
	}
	var lower Expr
	if p.tok.Kind != tokColon {
		lower = p.named()
		if p.tok.Kind != tokColon {
			return lower
		}
		if _, ok := lower.(*NamedExpr); ok && p.src[start] != '(' {
			p.unexpected()
		}
	}
	p.need(tokColon)
	s := &Slice{Lower: lower}
	if startsExpr[p.tok.Kind] && p.tok.Kind != tokMult {
		s.Upper = p.expr()
	}
	if p.accept(tokColon) && startsExpr[p.tok.Kind] && p.tok.Kind != tokMult {
		s.Step = p.expr()
	}
	s.Span = p.since(start)
	return s
}
