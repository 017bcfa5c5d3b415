package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// deepestDefault is through how many variables, fields and calls a default is followed.
const deepestDefault = 5

// followed is byDefault for what Of does not tell: a field that __init__ sets to a parameter which nobody gives, or which
// others give from a default of theirs.
func (e *Eval) followed(m *Module, x pysrc.Expr, depth int) (Value, bool) {
	if depth > deepestDefault {
		return Value{}, false
	}
	if c, ok := x.(*pysrc.Constant); ok {
		return Value{Kind: Literal, Scalar: scalarOf(c)}, true
	}
	if v, ok := e.byDefault(m, x); ok {
		return v, true
	}
	if empty, known := e.emptyByDefault(m, x); known {
		return Value{Kind: Literal, Scalar: Scalar{Type: Bool, Bool: !empty}}, true
	}
	switch x := x.(type) {
	case *pysrc.Name:
		if value := m.SaidOnce(x); value != nil {
			return e.followed(m, value, depth+1)
		}
		if b := m.blocks[m.BlockAt(x.Start)].Scope.last(x.ID); b != nil && b.Kind == Parameter && b.prior == nil {
			return e.givenByDefault(m.FunctionAt(x.Start), x.ID, depth)
		}
	case *pysrc.Attribute:
		if v, ok := e.onlyOption(m, x); ok {
			return v, true
		}
		if v, ok := e.onlySet(x); ok {
			return v, true
		}
		if v, ok := e.configuredByDefault(m, x); ok {
			return v, true
		}
		if v, ok := e.classSetting(m, x); ok {
			return v, true
		}
		if c := m.FunctionAt(x.Start).Class; c != nil && IsSelf(x.Value) && !c.changes(x.Attr) && !c.registers(x.Attr) && !e.writesInto(c, x.Attr) {
			return e.fieldByDefault(c, x.Attr, depth)
		}
	case *pysrc.Subscript:
		if key, ok := pysrc.StringValue(x.Slice); ok {
			return e.onlySetting(m, x.Value, key)
		}
	case *pysrc.Call:
		if f, ok := x.Func.(*pysrc.Attribute); ok && f.Attr == "get" && len(x.Args) > 0 {
			if key, ok := pysrc.StringValue(x.Args[0]); ok {
				if e.absentSetting(m, f.Value, key) {
					if len(x.Args) > 1 {
						return e.followed(m, x.Args[1], depth+1)
					}
					return Value{Kind: Literal, Scalar: Scalar{Type: Null}}, true
				}
				return e.onlySetting(m, f.Value, key)
			}
		}
		if name := lastName(x.Func); (name == "len" || name == "bool") && len(x.Args) == 1 {
			return e.lengthByDefault(m, x.Args[0])
		}
		return e.otherCase(m, x, depth)
	case *pysrc.Compare:
		if len(x.Ops) != 1 {
			return Value{}, false
		}
		if x.Ops[0] == pysrc.In || x.Ops[0] == pysrc.NotIn {
			if none, ok := e.emptyByDefault(m, x.Comparators[0]); ok && none {
				return Value{Kind: Literal, Scalar: Scalar{Type: Bool, Bool: x.Ops[0] == pysrc.NotIn}}, true
			}
		}
		left, known := e.followed(m, x.Left, depth+1)
		right, both := e.followed(m, x.Comparators[0], depth+1)
		if known && both {
			is, sure := e.comparison(x.Ops[0], left, right)
			return Value{Kind: Literal, Scalar: Scalar{Type: Bool, Bool: is}}, sure
		}
	}
	return Value{}, false
}

// emptyByDefault reports whether a list that an option takes is empty where it is not given: default=[], nargs="*".
func (e *Eval) emptyByDefault(m *Module, x pysrc.Expr) (empty, known bool) {
	e.steps = mostSteps
	v := e.Of(m, x)
	if list, ok := v.Expr.(*pysrc.List); ok && v.Kind == Display && v.Origin.How == ByOption && e.isShipped(m, x, v) {
		return len(list.Elts) == 0, true
	}
	return false, false
}

// lengthByDefault is 0 for a list that is empty by default.
func (e *Eval) lengthByDefault(m *Module, x pysrc.Expr) (Value, bool) {
	empty, known := e.emptyByDefault(m, x)
	return Value{Kind: Literal, Scalar: Scalar{Type: Int}}, known && empty
}

// onlyOption is the default of the only option of that name, where it is not known what holds it: self.args.deep.
func (e *Eval) onlyOption(m *Module, x *pysrc.Attribute) (Value, bool) {
	declared := e.p.options[x.Attr]
	if len(declared) == 0 && !IsSelf(x.Value) && e.p.neverSet(x) {
		return e.onlySetting(m, x.Value, x.Attr)
	}
	if len(declared) != 1 || IsSelf(x.Value) || !e.p.neverSet(x) {
		return Value{}, false
	}
	if of := e.Of(m, x.Value); of.Kind != Unknown || len(of.Either) > 0 {
		return Value{}, false
	}
	v := e.optionDefault(declared[0])
	return v, v.Kind == Literal && v.Origin.How == ByOption && !e.p.takesDefaults(v.Origin.Source) && !e.p.givenByScripts(x.Attr)
}

// onlySet is what the only statement gives that sets a value of a configuration: config.TRAIN.CLIP = 5.0 in the module of
// its defaults.
func (e *Eval) onlySet(x *pysrc.Attribute) (Value, bool) {
	group, ok := x.Value.(*pysrc.Attribute)
	if set := e.p.AssignmentsTo(x.Attr); ok && !IsSelf(group.Value) && len(set) == 1 && !e.p.setsKey(x.Attr) && !e.p.givenByScripts(x.Attr) {
		target, _ := set[0].Target.(*pysrc.Attribute)
		within, ok := target.Value.(*pysrc.Attribute)
		value, plain := set[0].Value.(*pysrc.Constant)
		if ok && plain && within.Attr == group.Attr && set[0].Module.FunctionAt(target.Start) == set[0].Module.Main {
			return Value{Kind: Literal, Scalar: scalarOf(value)}, true
		}
	}
	return Value{}, false
}

// givenByDefault is what all callers give for a parameter, as far as defaults decide. What nobody of the project makes,
// users make as the constructor's defaults say.
func (e *Eval) givenByDefault(f *Function, name string, depth int) (Value, bool) {
	users := f.callers()
	if inStep := e.p.givers[f]; len(inStep) > 0 && f.BaseName() != "__init__" {
		users = inStep // those of a training step
	}
	if f.Params() == nil || len(users) > mostCallers || len(users) == 0 && f.BaseName() != "__init__" || e.p.givenByScripts(name) || e.p.setsKey(name) {
		return Value{}, false
	}
	var values []Value
	for _, s := range users {
		given := s.Given(f, name)
		if given == nil && s.givesMore() {
			e.steps = mostSteps
			handed, _ := e.findArgument(s, name, e.signatureFor(s, f), 0)
			unknown := handed.Kind == Unknown && len(handed.Either) == 0 && handed.Origin.Source == nil
			starred := slices.ContainsFunc(s.Node.Args, func(a pysrc.Expr) bool { _, star := a.(*pysrc.Starred); return star })
			switch {
			case handed.Kind == Missing && !starred:
			case (unknown || starred) && s.isSuper(): // a class derived from this one says nothing of this one
				continue
			case !unknown || starred || e.p.mayGive(f, name):
				return Value{}, false
			}
		}
		if given == nil {
			given = f.Params().Default(name)
		}
		if given == nil {
			return Value{}, false
		}
		v, known := e.followed(s.Module(), given, depth+1)
		if !known {
			return Value{}, false
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		c, ok := f.Params().Default(name).(*pysrc.Constant)
		if seldom, described := e.p.seldomDescribed(f.Class, name); !ok || described && !seldom {
			return Value{}, false
		}
		values = append(values, Value{Kind: Literal, Scalar: scalarOf(c)})
	}
	return values[0], !slices.ContainsFunc(values, func(v Value) bool { return v.Scalar != values[0].Scalar })
}

// givesMore reports a call with *args or **kwargs: they may hold any argument.
func (s *Site) givesMore() bool {
	return slices.ContainsFunc(s.Node.Args, func(a pysrc.Expr) bool { _, star := a.(*pysrc.Starred); return star }) || s.Node.Keyword("") != nil
}

// registers reports a field that a method sets by its name: self.register_buffer("mask", mask).
func (c *Class) registers(name string) (found bool) {
	c.each(func(c *Class) bool {
		for _, f := range c.Methods {
			found = found || slices.ContainsFunc(f.Sites, func(s *Site) bool {
				first, ok := "", len(s.Node.Args) > 1
				if ok {
					first, ok = pysrc.StringValue(s.Node.Args[0])
				}
				return ok && first == name
			})
		}
		return !found
	})
	return found
}

// fieldByDefault is what __init__ sets a field to, of those settings that defaults do not leave out.
func (e *Eval) fieldByDefault(c *Class, name string, depth int) (v Value, known bool) {
	var set []attr
	c.each(func(c *Class) bool {
		set = c.attrs[name]
		return len(set) == 0
	})
	first := true
	for _, a := range set {
		if a.value == nil || a.path != 0 || a.kind != Assigned {
			return Value{}, false
		}
		if len(set) > 1 && e.settingLeftOut(a) {
			continue
		}
		w, ok := e.followed(a.fn.Module, a.value, depth+1)
		if !ok || !first && w.Scalar != v.Scalar {
			return Value{}, false
		}
		v, known, first = w, true, false
	}
	return v, known
}

// mostAsked is how many settings in a row are asked whether defaults leave them out: the test around one may ask for
// another field, whose settings stand under tests of more fields.
const mostAsked = 2

// settingLeftOut reports a setting of a field that does not run as the project is shipped, as far as that may still be asked.
func (e *Eval) settingLeftOut(a attr) bool {
	if e.settings >= mostAsked {
		return false
	}
	e.settings++
	defer func() { e.settings-- }()
	return e.leftOutAt(a.fn.Module, a.at) != nil
}
