package pysrc

import "strconv"

func asyncName(name string, async bool) string {
	if async {
		return "Async" + name
	}
	return name
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case *FunctionDef:
		d.node(asyncName("FunctionDef", s.Async), s.Span)
		d.str(s.Name)
		d.arguments(s.Args)
		stmts(d, s.Body)
		exprs(d, s.Decorators)
		d.expr(s.Returns)
		d.typeParams(s.TypeParams)
	case *ClassDef:
		d.node("ClassDef", s.Span)
		d.str(s.Name)
		exprs(d, s.Bases)
		seq(d, s.Keywords, d.keyword)
		stmts(d, s.Body)
		exprs(d, s.Decorators)
		d.typeParams(s.TypeParams)
	case *Return:
		d.node("Return", s.Span)
		d.expr(s.Value)
	case *Delete:
		d.node("Delete", s.Span)
		exprs(d, s.Targets)
	case *Assign:
		d.node("Assign", s.Span)
		exprs(d, s.Targets)
		d.expr(s.Value)
	case *TypeAlias:
		d.node("TypeAlias", s.Span)
		d.expr(s.Name)
		seq(d, s.TypeParams, d.typeParam)
		d.expr(s.Value)
	case *AugAssign:
		d.node("AugAssign", s.Span)
		d.expr(s.Target)
		d.raw(s.Op.String())
		d.expr(s.Value)
	case *AnnAssign:
		d.node("AnnAssign", s.Span)
		d.expr(s.Target)
		d.expr(s.Annotation)
		d.expr(s.Value)
		d.flag(s.Simple)
	case *For:
		d.node(asyncName("For", s.Async), s.Span)
		d.expr(s.Target)
		d.expr(s.Iter)
		stmts(d, s.Body)
		stmts(d, s.Orelse)
	case *While:
		d.node("While", s.Span)
		d.expr(s.Test)
		stmts(d, s.Body)
		stmts(d, s.Orelse)
	case *If:
		d.node("If", s.Span)
		d.expr(s.Test)
		stmts(d, s.Body)
		stmts(d, s.Orelse)
	case *With:
		d.node(asyncName("With", s.Async), s.Span)
		seq(d, s.Items, d.withItem)
		stmts(d, s.Body)
	case *Match:
		d.node("Match", s.Span)
		d.expr(s.Subject)
		seq(d, s.Cases, d.matchCase)
	case *Raise:
		d.node("Raise", s.Span)
		d.expr(s.Exc)
		d.expr(s.Cause)
	case *Try:
		name := "Try"
		if s.Star {
			name = "TryStar"
		}
		d.node(name, s.Span)
		stmts(d, s.Body)
		seq(d, s.Handlers, d.handler)
		stmts(d, s.Orelse)
		stmts(d, s.Finalbody)
	case *Assert:
		d.node("Assert", s.Span)
		d.expr(s.Test)
		d.expr(s.Msg)
	case *Import:
		d.node("Import", s.Span)
		seq(d, s.Names, d.alias)
	case *ImportFrom:
		d.node("ImportFrom", s.Span)
		d.optional(s.Module)
		seq(d, s.Names, d.alias)
		d.raw(strconv.Itoa(s.Level))
	case *Global:
		d.node("Global", s.Span)
		d.strs(s.Names)
	case *Nonlocal:
		d.node("Nonlocal", s.Span)
		d.strs(s.Names)
	case *ExprStmt:
		d.node("Expr", s.Span)
		d.expr(s.Value)
	case *Pass:
		d.node("Pass", s.Span)
	case *Break:
		d.node("Break", s.Span)
	case *Continue:
		d.node("Continue", s.Span)
	case *BadStmt:
		d.node("Bad", s.Span)
		stmts(d, s.Body)
	}
	d.end()
}

func (d *dumper) pattern(p Pattern) {
	patterns := func(list []Pattern) { seq(d, list, d.pattern) }
	switch p := p.(type) {
	case *MatchValue:
		d.node("MatchValue", p.Span)
		d.expr(p.Value)
	case *MatchSingleton:
		d.node("MatchSingleton", p.Span)
		d.raw(p.Kind.String())
	case *MatchSequence:
		d.node("MatchSequence", p.Span)
		patterns(p.Patterns)
	case *MatchMapping:
		d.node("MatchMapping", p.Span)
		exprs(d, p.Keys)
		patterns(p.Patterns)
		d.optional(p.Rest)
	case *MatchClass:
		d.node("MatchClass", p.Span)
		d.expr(p.Class)
		patterns(p.Patterns)
		d.strs(p.KwdAttrs)
		patterns(p.KwdPatterns)
	case *MatchStar:
		d.node("MatchStar", p.Span)
		d.optional(p.Name)
	case *MatchAs:
		d.node("MatchAs", p.Span)
		if p.Pattern == nil {
			d.none()
		} else {
			d.pattern(p.Pattern)
			d.fieldEnd()
		}
		d.optional(p.Name)
	case *MatchOr:
		d.node("MatchOr", p.Span)
		patterns(p.Patterns)
	}
	d.end()
}
