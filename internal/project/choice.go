package project

import "saturate/internal/pysrc"

// wideChoice are all that a call may call where these are more than an Eval tells apart: one of the models of a table,
// models[args.model](…), or of a module, models.__dict__[args.model](…), getattr(models, args.model)(…). It is empty for others.
func (e *Eval) wideChoice(s *Site) (list []Value) {
	if len(s.Calls.Either) < mostAlternatives {
		return nil
	}
	e.steps = mostSteps
	sc := s.scope()
	switch x := s.Node.Func.(type) {
	case *pysrc.Subscript:
		if of, ok := e.namespace(x.Value, sc); ok {
			return e.membersOf(of, e.nameIn(x.Slice, sc))
		}
		table := e.expr(x.Value, sc)
		if d, ok := table.Expr.(*pysrc.Dict); ok && table.Kind == Display {
			for _, v := range d.Values {
				if v != nil {
					list = append(list, e.Within(table, v))
				}
			}
			e.filledWith(table, func(x pysrc.Expr, sc *Scope) { list = append(list, e.expr(x, sc)) })
		}
	case *pysrc.Call:
		if name, ok := x.Func.(*pysrc.Name); ok && name.ID == "getattr" && len(x.Args) >= 2 {
			return e.membersOf(e.expr(x.Args[0], sc), e.nameIn(x.Args[1], sc))
		}
	}
	return list
}

// membersOf are the functions and classes of modules of the project whose names may be a computed one.
func (e *Eval) membersOf(of Value, name computedName) (list []Value) {
	for _, b := range members(of) {
		if name.fits(b.Name) {
			list = append(list, e.binding(b))
		}
	}
	return list
}

// where is the module in which the project writes a class or function.
func (v *Value) where() *Module {
	switch {
	case v.Func != nil:
		return v.Func.Module
	case v.Class != nil:
		return v.Class.Module
	}
	return nil
}

// boundConstructor is the class of the project whose constructor, one of a library, a call binds for later: partial(
// Net.from_pretrained, dtype=half).
func (e *Eval) boundConstructor(s *Site) *Class {
	if s.Calls.Name != "functools.partial" || len(s.Node.Args) == 0 {
		return nil
	}
	a, ok := s.Node.Args[0].(*pysrc.Attribute)
	if !ok || !constructors[a.Attr] {
		return nil
	}
	return e.expr(a.Value, s.scope()).Class
}
