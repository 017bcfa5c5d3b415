package pysrc

// parameters parses the parameters of a def, up to its closing parenthesis, or
// of a lambda, up to its colon. Those of a lambda have no annotations.
func (p *parser) parameters(end Kind) *Arguments {
	a := p.arguments.new()
	a.Start = p.tok.Start
	args, defaults := p.argList.mark(), p.exprs.mark()
	star := false // past the *: the rest are keyword-only
loop:
	for a.Kwarg == nil {
		switch p.tok.Kind {
		case tokName:
			p.parameter(end, star, p.exprs.mark() > defaults)
		case tokDiv:
			p.slash(a, star, p.argList.mark() > args)
			a.PosOnly = p.argList.take(args)
		case tokMult:
			if star {
				p.fail(p.tok.Span, "* argument may appear only once")
			}
			star = true
			a.Args, a.Defaults = p.argList.take(args), p.exprs.take(defaults)
			a.Vararg = p.star(end)
		case tokPow:
			p.next()
			a.Kwarg = p.param(end, false)
			p.noDefault("var-keyword argument cannot have default value")
		default:
			break loop
		}
		if !p.accept(tokComma) {
			break
		}
	}
	if a.Kwarg != nil && p.tok.Kind != end && p.toks[max(p.at-1, 0)].Kind == tokComma {
		p.fail(p.tok.Span, "arguments cannot follow var-keyword argument")
	}
	if star {
		a.KwOnly, a.KwDefaults = p.argList.take(args), p.exprs.take(defaults)
	} else {
		a.Args, a.Defaults = p.argList.take(args), p.exprs.take(defaults)
	}
	a.End = max(p.end(), a.Start)
	return a
}

// parameter parses one plain parameter and its default. After a star each has
// an entry among the defaults; before it, only the last may have one.
func (p *parser) parameter(end Kind, star, defaulted bool) {
	arg := p.param(end, false)
	p.argList.push(arg)
	switch {
	case p.accept(tokEqual):
		if p.tok.Kind == end || p.tok.Kind == tokComma {
			p.fail(p.tok.Span, "expected default value expression")
		}
		p.exprs.push(p.expr())
	case star:
		p.exprs.push(nil)
	case defaulted:
		p.fail(arg.Span, "parameter without a default follows parameter with a default")
	}
}

// slash consumes the / after the parameters that are positional only.
func (p *parser) slash(a *Arguments, star, any bool) {
	switch {
	case star:
		p.fail(p.tok.Span, "/ must be ahead of *")
	case a.PosOnly != nil:
		p.fail(p.tok.Span, "/ may appear only once")
	case !any:
		p.fail(p.tok.Span, "at least one argument must precede /")
	default:
		p.next()
	}
}

// star parses * or *args.
func (p *parser) star(end Kind) *Arg {
	at := p.tok.Span
	if p.failed {
		return nil
	}
	p.next()
	switch {
	case p.tok.Kind == tokName:
		arg := p.param(end, true)
		p.noDefault("var-positional argument cannot have default value")
		return arg
	case p.tok.Kind == end, p.tok.Kind == tokComma && (p.peek() == end || p.peek() == tokPow):
		p.fail(at, "named arguments must follow bare *")
	}
	return nil
}

func (p *parser) noDefault(message string) {
	if p.tok.Kind == tokEqual {
		p.fail(p.tok.Span, message)
	}
}

// param parses a parameter and its annotation, which may be *Ts after *args.
func (p *parser) param(end Kind, star bool) *Arg {
	arg := p.args.new()
	arg.Start = p.tok.Start
	arg.Name = p.identifier()
	if end == tokRParen && p.accept(tokColon) {
		if star && p.tok.Kind == tokMult {
			arg.Annotation = p.starred()
		} else {
			arg.Annotation = p.expr()
		}
	}
	arg.End = p.end()
	return arg
}

// typeParams parses [T: bound = default, *Ts, **P] if there is one (PEP 695, PEP 696).
func (p *parser) typeParams() []TypeParam {
	if p.tok.Kind != tokLBracket {
		return nil
	}
	p.next()
	if p.tok.Kind == tokRBracket {
		p.fail(p.tok.Span, "Type parameter list cannot be empty")
	}
	var list []TypeParam
	for p.tok.Kind != tokRBracket && !p.failed {
		list = append(list, p.typeParam())
		if !p.accept(tokComma) {
			break
		}
	}
	p.need(tokRBracket)
	return list
}

func (p *parser) typeParam() TypeParam {
	start := p.tok.Start
	switch {
	case p.accept(tokMult):
		t := &TypeVarTuple{Name: p.identifier()}
		p.noBound("TypeVarTuple")
		if p.accept(tokEqual) {
			t.Default = p.starExpr()
		}
		t.Span = p.since(start)
		return t
	case p.accept(tokPow):
		t := &ParamSpec{Name: p.identifier()}
		p.noBound("ParamSpec")
		if p.accept(tokEqual) {
			t.Default = p.expr()
		}
		t.Span = p.since(start)
		return t
	}
	t := &TypeVar{Name: p.identifier()}
	if p.accept(tokColon) {
		t.Bound = p.expr()
	}
	if p.accept(tokEqual) {
		t.Default = p.expr()
	}
	t.Span = p.since(start)
	return t
}

func (p *parser) noBound(what string) {
	if p.tok.Kind == tokColon {
		p.fail(p.tok.Span, "cannot use bound with "+what)
	}
}
