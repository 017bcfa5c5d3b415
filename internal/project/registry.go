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
	p.registries, p.keptNames = map[*Site][]registered{}, map[string]bool{}
	keep := func(decorators []pysrc.Expr, sc *Scope, k registered) {
		for _, d := range decorators {
			call, ok := d.(*pysrc.Call)
			if ok {
				d = call.Func
				if name, said := firstString(call); said {
					k.name = name
				}
			}
			method, ok := d.(*pysrc.Attribute)
			if !ok {
				continue
			}
			e.steps = mostSteps
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

// fromRegistry tells what a method of a registry gives: what it keeps under the name that it is asked for, or one of all
// that it keeps where that is not known.
func (e *Eval) fromRegistry(callee *Value, site *Site) (Value, bool) {
	f := callee.Func
	list := e.p.registries[callee.Made]
	if len(list) == 0 || site == nil || len(f.returns) == 0 || slices.ContainsFunc(list, func(k registered) bool { return k.by == f.BaseName() }) {
		return Value{}, false
	}
	sure := Likely
	var asked []string
	for _, given := range site.Node.Args {
		asked = append(asked, textsIn(e, e.expr(given, site.scope()))...)
	}
	only := func(is func(registered) bool) []registered {
		return slices.DeleteFunc(slices.Clone(list), func(k registered) bool { return !is(k) })
	}
	if chosen := only(func(k registered) bool { return slices.Contains(asked, k.name) }); len(chosen) > 0 {
		list, sure = chosen, NearlyCertain
	} else if named := only(func(k registered) bool { return e.p.keptNames[k.name] }); len(named) > 0 {
		list = named // in settings, which choose
	}
	if len(list) > mostCallers {
		return Value{}, false
	}
	makes := callsWhatItFinds(f)
	var values []Value
	for _, k := range list {
		switch {
		case k.class != nil && makes:
			values = append(values, Value{Kind: Instance, Name: k.class.FullName(), Class: k.class, Sure: sure})
		case k.class != nil:
			values = append(values, Value{Kind: Type, Name: k.class.FullName(), Class: k.class, Sure: sure})
		case makes:
			values = append(values, e.returned(k.fn).lessSure(sure))
		default:
			values = append(values, Value{Kind: Callable, Func: k.fn, Name: k.fn.Module.Name + "." + k.name, Sure: sure})
		}
	}
	return merge(values), true
}

// textsIn are a text, or the texts in a mapping: deeplab of {"type": "deeplab", "classes": 19}.
func textsIn(e *Eval, v Value) (list []string) {
	if text, ok := v.Str(); ok {
		return []string{text}
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
