package pysrc

// call parses the arguments of a call of f.
func (p *parser) call(start int32, f Expr) Expr {
	open := p.tok.Start
	p.next()
	c := p.calls.new()
	c.Func = f
	c.Args, c.Keywords = p.callArguments(open, true)
	c.Span = p.since(start)
	return c
}

// callArguments parses arguments and the parenthesis after them, for a call or
// the bases of a class, where no generator may stand.
func (p *parser) callArguments(open int32, generator bool) ([]Expr, []*Keyword) {
	args, keywords := p.exprs.mark(), p.keywordList.mark()
	var named, unpacked bool // a name=value, a **value came before
	late := ""               // what is wrong with a positional argument after them
	for p.tok.Kind != tokRParen {
		start := p.tok.Start
		switch {
		case p.tok.Kind == tokName && p.peek() == tokEqual:
			named = true
			p.keywordArgument()
		case p.tok.Kind == tokPow:
			unpacked = true
			p.next()
			p.pushKeyword(start, "", p.expr())
		case p.tok.Kind == tokMult:
			if unpacked {
				p.fail(p.toks[p.at-1].Span, "iterable argument unpacking follows keyword argument unpacking")
			}
			p.exprs.push(p.callStar())
		default:
			arg := p.named()
			switch p.tok.Kind {
			case tokFor, tokAsync:
				if !generator {
					p.unexpected()
				}
				arg = p.bareGenerator(open, start, arg, p.exprs.mark() == args && !named && !unpacked)
			case tokEqual:
				p.badKeyword(arg)
			}
			switch {
			case late != "":
			case unpacked:
				late = "positional argument follows keyword argument unpacking"
			case named:
				late = "positional argument follows keyword argument"
			}
			p.exprs.push(arg)
		}
		if !p.accept(tokComma) {
			break
		}
	}
	// CPython reads to the end before it says so.
	if late != "" && !p.forgottenComma() {
		at := p.tok.Span
		if startsExpr[p.tok.Kind] {
			p.try(func() {
				p.exprList()
				at = p.tok.Span
			})
		}
		p.fail(at, late)
	}
	p.need(tokRParen)
	return p.exprs.take(args), p.keywordList.take(keywords)
}

// callStar parses *expression; unlike elsewhere, any expression may follow.
func (p *parser) callStar() Expr {
	start := p.tok.Start
	p.next()
	value := p.expr()
	return &Starred{p.since(start), Load, value}
}

func (p *parser) keywordArgument() {
	start := p.tok.Start
	name := p.tokenName()
	p.next()
	p.next()
	if p.tok.Kind == tokComma || p.tok.Kind == tokRParen {
		p.fail(Span{start, p.end()}, "expected argument value expression")
	}
	value := p.expr()
	if p.tok.Kind == tokFor || p.tok.Kind == tokAsync {
		p.fail(Span{start, p.end()}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?")
	}
	p.pushKeyword(start, name, value)
}

func (p *parser) pushKeyword(start int32, name string, value Expr) {
	k := p.keywords.new()
	*k = Keyword{p.since(start), name, value}
	p.keywordList.push(k)
}

// bareGenerator parses a generator without parentheses of its own, which must
// be the only argument; those of the call count as its.
func (p *parser) bareGenerator(open, start int32, elt Expr, alone bool) Expr {
	generators := p.generators()
	if p.tok.Kind == tokComma || p.tok.Kind == tokRParen && !alone {
		p.fail(Span{start, p.end()}, "Generator expression must be parenthesized")
	}
	return &GeneratorExp{Span{open, p.tok.End}, elt, generators}
}

// badKeyword reports what stands left of = in a call and is not a name.
func (p *parser) badKeyword(arg Expr) {
	message := `expression cannot contain assignment, perhaps you meant "=="?`
	if c, ok := arg.(*Constant); ok && c.Kind <= False {
		message = "cannot assign to " + c.Kind.String()
	}
	p.fail(arg.Bounds(), message)
}
