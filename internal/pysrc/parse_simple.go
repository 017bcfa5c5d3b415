package pysrc

// simpleLine parses the simple statements of a line.
func (p *parser) simpleLine() {
	for {
		p.badStart = p.tok.Start
		s := p.simple()
		if p.failed {
			return
		}
		p.stmts.push(s)
		if !p.accept(tokSemicolon) {
			break
		}
		if p.tok.Kind == tokNewline {
			break
		}
	}
	if p.tok.Kind != tokNewline {
		p.badStart = p.tok.Start
		p.unexpected()
		return
	}
	p.nextLine()
}

// simple parses one statement that has no block.
func (p *parser) simple() Stmt {
	start := p.tok.Start
	switch p.tok.Kind {
	case tokReturn:
		p.next()
		r := p.returns.new()
		if startsExpr[p.tok.Kind] {
			r.Value = p.exprList()
		}
		r.Span = p.since(start)
		return r
	case tokImport:
		return p.importStmt()
	case tokFrom:
		return p.importFrom()
	case tokPass:
		p.next()
		return &Pass{p.since(start)}
	case tokBreak:
		p.next()
		return &Break{p.since(start)}
	case tokContinue:
		p.next()
		return &Continue{p.since(start)}
	case tokRaise:
		return p.raise()
	case tokDel:
		return p.del()
	case tokAssert:
		p.next()
		a := &Assert{Test: p.expr()}
		if p.accept(tokComma) {
			a.Msg = p.expr()
		}
		a.Span = p.since(start)
		return a
	case tokGlobal:
		names := p.nameList()
		return &Global{p.since(start), names}
	case tokNonlocal:
		names := p.nameList()
		return &Nonlocal{p.since(start), names}
	case tokName:
		if p.isWord("type") && p.peek() == tokName {
			return p.typeAlias()
		}
	}
	return p.exprOrAssign()
}

// exprOrAssign parses an expression statement or an assignment of any kind.
func (p *parser) exprOrAssign() Stmt {
	start := p.tok.Start
	first := p.value()
	switch kind := p.tok.Kind; {
	case kind == tokEqual:
		return p.assign(start, first)
	case kind >= tokAddEqual && kind <= tokFloorDivEqual:
		switch first.(type) {
		case *Name, *Attribute, *Subscript:
			p.store(first)
		default:
			p.fail(first.Bounds(), "'"+describe(first)+"' is an illegal expression for augmented assignment")
			return nil
		}
		p.next()
		value := p.value()
		return &AugAssign{p.since(start), first, Operator(kind - tokAddEqual), value}
	case kind == tokColon:
		return p.annotated(start, first)
	}
	s := p.exprStmts.new()
	*s = ExprStmt{p.since(start), first}
	return s
}

// value parses what may stand right of an assignment.
func (p *parser) value() Expr {
	if p.tok.Kind == tokYield {
		return p.yield()
	}
	return p.exprList()
}

func (p *parser) assign(start int32, first Expr) Stmt {
	mark := p.exprs.mark()
	value := first
	for p.tok.Kind == tokEqual {
		p.store(value)
		if p.failed {
			break
		}
		p.exprs.push(value)
		p.next()
		value = p.value()
	}
	s := p.assigns.new()
	*s = Assign{p.since(start), p.exprs.take(mark), value}
	return s
}

func (p *parser) annotated(start int32, target Expr) Stmt {
	switch target.(type) {
	case *Name, *Attribute, *Subscript:
		p.store(target)
	default:
		p.badAnnotation(target)
		return nil
	}
	_, isName := target.(*Name)
	p.next()
	s := &AnnAssign{Target: target, Annotation: p.expr(), Simple: isName && p.src[start] != '('}
	if p.accept(tokEqual) {
		s.Value = p.value()
	}
	s.Span = p.since(start)
	return s
}

// badAnnotation reports a colon after what cannot be annotated. If no
// annotation follows, the colon itself is wrong.
func (p *parser) badAnnotation(target Expr) {
	isAnnotation := p.try(func() {
		p.next()
		p.expr()
	})
	switch what := describe(target); {
	case !isAnnotation:
		p.unexpected()
	case what == "list" || what == "tuple":
		p.fail(target.Bounds(), "only single target (not "+what+") can be annotated")
	default:
		p.fail(target.Bounds(), "illegal target for annotation")
	}
}

func (p *parser) raise() Stmt {
	start := p.tok.Start
	p.next()
	r := &Raise{}
	if startsExpr[p.tok.Kind] {
		r.Exc = p.expr()
		if p.accept(tokFrom) {
			r.Cause = p.expr()
		}
	}
	r.Span = p.since(start)
	return r
}

func (p *parser) del() Stmt {
	start := p.tok.Start
	p.next()
	mark := p.exprs.mark()
	for {
		e := p.starExpr()
		p.target(e, Del, "delete")
		p.exprs.push(e)
		if !p.accept(tokComma) || !startsExpr[p.tok.Kind] {
			break
		}
	}
	targets := p.exprs.take(mark)
	return &Delete{p.since(start), targets}
}

func (p *parser) nameList() []string {
	p.next()
	names := []string{p.identifier()}
	for p.accept(tokComma) {
		names = append(names, p.identifier())
	}
	return names
}

// typeAlias parses type Name[T] = value; only the word type tells it from an expression.
func (p *parser) typeAlias() Stmt {
	start := p.tok.Start
	p.next()
	t := &TypeAlias{Name: p.name()}
	t.Name.Ctx = Store
	t.TypeParams = p.typeParams()
	p.need(tokEqual)
	t.Value = p.expr()
	t.Span = p.since(start)
	return t
}

func (p *parser) importStmt() Stmt {
	start := p.tok.Start
	p.next()
	s := p.imports.new()
	mark := p.aliasList.mark()
	for {
		at := p.tok.Start
		p.alias(at, p.dotted())
		if !p.accept(tokComma) {
			break
		}
	}
	s.Names = p.aliasList.take(mark)
	s.Span = p.since(start)
	return s
}

// alias adds a name that is imported to the list.
func (p *parser) alias(start int32, name string) {
	a := p.aliases.new()
	a.Name = name
	if p.accept(tokAs) {
		a.Asname = p.identifier()
	}
	a.Span = p.since(start)
	p.aliasList.push(a)
}

// dotted parses a.b.c.
func (p *parser) dotted() string {
	start := p.tok.Start
	plain := p.tok.flags&flagNonASCII == 0
	name := p.identifier()
	for p.tok.Kind == tokDot {
		p.next()
		end := p.end()
		part := p.tok
		next := p.identifier()
		// a.b is a part of the source unless something is between.
		if plain && part.flags&flagNonASCII == 0 && int(part.End-start) == len(name)+1+len(next) && end == part.Start {
			name = p.text[start:part.End]
		} else {
			plain = false
			name += "." + next
		}
	}
	return name
}

func (p *parser) importFrom() Stmt {
	start := p.tok.Start
	p.next()
	s := p.importFroms.new()
	for {
		if p.accept(tokDot) {
			s.Level++
		} else if p.accept(tokEllipsis) {
			s.Level += 3
		} else {
			break
		}
	}
	if s.Level == 0 || p.tok.Kind == tokName {
		s.Module = p.dotted()
	}
	p.need(tokImport)
	switch p.tok.Kind {
	case tokMult:
		at := p.tok.Span
		p.next()
		s.Names = []*Alias{{Span: at, Name: "*"}}
	case tokLParen:
		p.next()
		s.Names = p.importNames(tokRParen)
		p.need(tokRParen)
	case tokNewline:
		p.fail(p.tok.Span, "Expected one or more names after 'import'")
	default:
		s.Names = p.importNames(tokNewline)
	}
	s.Span = p.since(start)
	return s
}

// importNames parses the names of a from import. Only in parentheses may a
// comma end them.
func (p *parser) importNames(end Kind) []*Alias {
	mark := p.aliasList.mark()
	for {
		at := p.tok.Start
		p.alias(at, p.identifier())
		if !p.accept(tokComma) {
			break
		}
		if p.tok.Kind == end {
			if end == tokNewline {
				p.fail(p.tok.Span, "trailing comma not allowed without surrounding parentheses")
			}
			break
		}
	}
	return p.aliasList.take(mark)
}
