package pysrc

// store makes e the target of an assignment, for or with.
func (p *parser) store(e Expr) { p.target(e, Store, "assign to") }

// target marks e, and what is in it, as written or deleted, and refuses what
// cannot be.
func (p *parser) target(e Expr, ctx Context, verb string) {
	if p.failed {
		return
	}
	switch e := e.(type) {
	case *Name:
		e.Ctx = ctx
	case *Attribute:
		e.Ctx = ctx
	case *Subscript:
		e.Ctx = ctx
	case *Tuple:
		e.Ctx = ctx
		for _, elt := range e.Elts {
			p.target(elt, ctx, verb)
		}
	case *List:
		e.Ctx = ctx
		for _, elt := range e.Elts {
			p.target(elt, ctx, verb)
		}
	case *Starred:
		if _, twice := e.Value.(*Starred); ctx == Del || twice {
			p.fail(e.Span, "cannot "+verb+" starred")
			return
		}
		e.Ctx = ctx
		p.target(e.Value, ctx, verb)
	default:
		p.fail(e.Bounds(), "cannot "+verb+" "+describe(e))
	}
}

// describe names an expression as CPython's messages do.
func describe(e Expr) string {
	switch e := e.(type) {
	case *Attribute:
		return "attribute"
	case *Subscript:
		return "subscript"
	case *Starred:
		return "starred"
	case *Name:
		return "name"
	case *List:
		return "list"
	case *Tuple:
		return "tuple"
	case *Lambda:
		return "lambda"
	case *Call:
		return "function call"
	case *BoolOp, *BinOp, *UnaryOp:
		return "expression"
	case *GeneratorExp:
		return "generator expression"
	case *Yield, *YieldFrom:
		return "yield expression"
	case *Await:
		return "await expression"
	case *ListComp:
		return "list comprehension"
	case *SetComp:
		return "set comprehension"
	case *DictComp:
		return "dict comprehension"
	case *Dict:
		return "dict literal"
	case *Set:
		return "set display"
	case *JoinedStr, *FormattedValue:
		return "f-string expression"
	case *TemplateStr, *Interpolation:
		return "t-string expression"
	case *Constant:
		switch e.Kind {
		case None, True, False:
			return e.Kind.String()
		case Ellipsis:
			return "ellipsis"
		}
		return "literal"
	case *Compare:
		return "comparison"
	case *IfExp:
		return "conditional expression"
	case *NamedExpr:
		return "named expression"
	}
	return "expression"
}

// forTarget parses the variables of a for. They end at in, which is why they
// are no full expressions.
func (p *parser) forTarget() Expr {
	start := p.tok.Start
	e := p.targetElement()
	if p.tok.Kind == tokComma {
		e = p.tupleRest(start, e, (*parser).targetElement)
	}
	p.store(e)
	return e
}

func (p *parser) targetElement() Expr {
	if p.tok.Kind == tokMult {
		return p.starred()
	}
	return p.binary(precBitOr)
}
