package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// registered is a class or function that a decorator puts into a registry: @MODELS.register, @MODELS.register_module("unet").
type registered struct {
	name  string    // under which it can be had
	class *Class    // nil for a function
	fn    *Function // nil for a class
	by    string    // the method that puts it there
}

// findRegistries finds what decorators keep, by the call that made the registry: MODELS = Registry("models").
func (p *Project) findRegistries() {
	e := p.NewEval()
	defer e.Release()
	p.registries, p.keptIn, p.keptNames = map[*Site][]registered{}, map[holder][]registered{}, map[string]bool{}
	keep := func(decorators []pysrc.Expr, sc *Scope, k registered) {
		for _, d := range decorators {
			call, ok := d.(*pysrc.Call)
			if ok {
				d = call.Func
				if name, said := firstString(call); said {
					k.name = name
				}
			}
			e.steps = mostSteps
			if f := e.expr(d, sc).Func; f != nil {
				for _, h := range p.storesGiven(f) {
					p.keptIn[h] = append(p.keptIn[h], k)
					p.keptNames[k.name] = false
				}
			}
			method, ok := d.(*pysrc.Attribute)
			if !ok {
				continue
			}
			if v := e.expr(method.Value, sc); v.Kind == Instance && v.Class != nil && v.Made != nil {
				k.by = method.Attr
				p.registries[v.Made] = append(p.registries[v.Made], k)
				p.keptNames[k.name] = false
			}
		}
	}
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			keep(c.Def.Decorators, c.outer, registered{name: c.Def.Name, class: c})
			p.keepSubclass(c)
		}
		for _, f := range m.Functions {
			if f.Def != nil && f.Class == nil && f.Outer == m.Main {
				keep(f.Def.Decorators, f.Scope.Parent, registered{name: f.Def.Name, fn: f})
			}
		}
	}
	for _, f := range p.Settings {
		if f.Role != Test && f.Top != nil && len(p.keptNames) > 0 {
			f.Top.each(func(s *Setting) {
				if _, kept := p.keptNames[s.Scalar.Text]; kept && s.Scalar.Type == String {
					p.keptNames[s.Scalar.Text] = true
				}
			})
		}
	}
}

// keepSubclass notes a class that a base keeps as soon as it is defined: def __init_subclass__(cls, name): models[name] = cls.
func (p *Project) keepSubclass(c *Class) {
	for i := range c.bases {
		base := c.bases[i].Class
		if base == nil {
			continue
		}
		by := base.Method("__init_subclass__")
		if by == nil {
			continue
		}
		k := registered{name: c.Def.Name, class: c}
		for _, key := range c.Def.Keywords {
			if name, ok := pysrc.StringValue(key.Value); ok {
				k.name = name
			}
		}
		for _, h := range p.storesGiven(by) {
			p.keptIn[h] = append(p.keptIn[h], k)
			p.keptNames[k.name] = false
		}
	}
}

// fromRegistry tells what a method of a registry gives: what it keeps under the name that it is asked for, or one of all
// that it keeps where that is not known.
func (e *Eval) fromRegistry(callee *Value, site *Site) (Value, bool) {
	f := callee.Func
	list := e.p.registries[callee.Made]
	if len(list) == 0 || site == nil || len(f.returns) == 0 || slices.ContainsFunc(list, func(k registered) bool { return k.by == f.BaseName() }) {
		return Value{}, false
	}
	var asked []string
	for _, given := range site.Node.Args {
		asked = append(asked, textsIn(e, e.expr(given, site.scope()))...)
	}
	list, sure := e.p.chosenOf(list, asked)
	if len(list) == 0 {
		return Value{}, false
	}
	makes := callsWhatItFinds(f)
	var values []Value
	for _, k := range list {
		switch {
		case k.class != nil && makes:
			values = append(values, Value{Kind: Instance, Name: k.class.FullName(), Class: k.class, Sure: sure})
		case makes:
			values = append(values, e.returned(k.fn).lessSure(sure))
		default:
			values = append(values, k.value(sure))
		}
	}
	return merge(values), true
}

// value is what a registry keeps.
func (k registered) value(sure float64) Value {
	if k.class != nil {
		return Value{Kind: Type, Name: k.class.FullName(), Class: k.class, Sure: sure}
	}
	return Value{Kind: Callable, Func: k.fn, Name: k.fn.Module.Name + "." + k.name, Sure: sure}
}

// chosenOf are those of the kept that are asked for by name or, where that is not known, those that settings name, or all;
// nothing where these are too many.
func (p *Project) chosenOf(list []registered, asked []string) ([]registered, float64) {
	only := func(is func(registered) bool) []registered {
		return slices.DeleteFunc(slices.Clone(list), func(k registered) bool { return !is(k) })
	}
	sure := Likely
	if chosen := only(func(k registered) bool { return slices.Contains(asked, k.name) }); len(chosen) > 0 {
		list, sure = chosen, NearlyCertain
	} else if named := only(func(k registered) bool { return p.keptNames[k.name] }); len(named) > 0 {
		list = named // in settings, which choose
	}
	if len(list) > mostCallers {
		return nil, 0
	}
	return list, sure
}

// keptItem is what one of the kept is that a key stands for.
func (e *Eval) keptItem(list []registered, key Value) Value {
	if len(list) == 0 {
		return Value{}
	}
	chosen, sure := e.p.chosenOf(list, textsIn(e, key))
	values := make([]Value, 0, len(chosen))
	for _, k := range chosen {
		values = append(values, k.value(sure))
	}
	return merge(values)
}

// keptInDict lists what decorators put into a dict that is written out, such as the empty one of models = {}.
func (p *Project) keptInDict(v Value) []registered {
	if len(p.keptIn) == 0 || v.scope == nil {
		return nil
	}
	m, at := v.scope.Module, v.Expr.Bounds().Start
	var target pysrc.Expr
	switch s := m.StatementAt(at).(type) {
	case *pysrc.Assign:
		if len(s.Targets) == 1 && s.Value == v.Expr {
			target = s.Targets[0]
		}
	case *pysrc.AnnAssign:
		if s.Value == v.Expr {
			target = s.Target
		}
	}
	if target == nil {
		return nil
	}
	block := m.BlockAt(at)
	return p.keptIn[m.holderOf(target, m.blocks[block].Func, block)]
}

// storesGiven are the dicts in which a decorator keeps what it is given: models[name] = cls, in its own body or in that of
// the function which it returns.
func (p *Project) storesGiven(f *Function) (list []holder) {
	m := f.Module
	for _, a := range m.Assignments {
		s, ok := a.Target.(*pysrc.Subscript)
		in := m.blocks[a.Block].Func
		if !ok || in != f && in.Outer != f {
			continue
		}
		if given, ok := a.Value.(*pysrc.Name); !ok || !in.HasParameter(given.ID) {
			continue
		}
		switch of := s.Value.(type) {
		case *pysrc.Name:
			if sc, b := m.blocks[a.Block].Scope.find(of.ID); b != nil && sc.Func == nil {
				list = append(list, holder{scope: sc, name: of.ID})
			}
		case *pysrc.Attribute: // cls.kept
			if c := f.Class; c != nil && (lastName(of.Value) == f.firstParameter() || lastName(of.Value) == c.Name) {
				c.each(func(c *Class) bool {
					list = append(list, holder{scope: c.Scope, name: of.Attr})
					return true
				})
			}
		}
	}
	return list
}

// textsIn are a text, or the texts in a mapping: deeplab of {"type": "deeplab", "classes": 19}.
func textsIn(e *Eval, v Value) (list []string) {
	if text, ok := v.Str(); ok {
		return []string{text}
	}
	for _, w := range v.Either {
		if text, ok := w.Str(); ok {
			list = append(list, text)
		}
	}
	for _, node := range v.nodes() {
		for _, c := range node.Children {
			if c.Scalar.Type == String {
				list = append(list, c.Scalar.Text)
			}
		}
	}
	if dict, ok := v.Expr.(*pysrc.Dict); ok && v.scope != nil {
		for _, x := range dict.Values {
			if text, ok := e.expr(x, v.scope).Str(); ok {
				list = append(list, text)
			}
		}
	}
	return list
}

// callsWhatItFinds reports a method that returns an object, made by a call of what it has found: return self[name](**options).
func callsWhatItFinds(f *Function) bool {
	return slices.ContainsFunc(f.returns, func(r pysrc.Expr) bool {
		if name, ok := r.(*pysrc.Name); ok {
			r = f.Module.SaidLast(name)
		}
		call, ok := r.(*pysrc.Call)
		if !ok {
			return false
		}
		method, ok := call.Func.(*pysrc.Attribute)
		return !ok || method.Attr != "get" && method.Attr != "pop"
	})
}
