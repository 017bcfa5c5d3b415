package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// Of an object that came from a place which the source does not show, the method tells what it is, where the project makes
// objects of just one family of classes that have such a method, with those parameters.

// onlyMade answers what a call of a method of something unknown calls.
func (p *Project) onlyMade() func(*Site) *Value {
	methods := map[string][]*Function{}
	for _, c := range p.madeInPrograms() {
		c.each(func(base *Class) bool {
			for name, f := range base.Methods { // each name has a list of its own
				if f.Def != nil && c.Method(name) == f && !slices.Contains(methods[name], f) {
					methods[name] = append(methods[name], f)
				}
			}
			return true
		})
	}
	return func(s *Site) *Value {
		name := s.Method()
		if name == "" || p.outlined || s.isSuper() || name == s.Func.BaseName() || plainMethods[name] || tensorMethods[name] {
			return nothing
		}
		if given := len(s.Node.Args) + len(s.Node.Keywords); given < 2 && commonMethods[name] || given == 0 && s.Calls.Name != "" {
			return nothing // pbar.update(1), optimizer.step(), and what wraps a method of a library
		}
		var fits []Value
		for _, f := range methods[name] {
			if !f.takes(s.Node) {
				return nothing
			}
			fits = append(fits, Value{Kind: Callable, Func: f, Self: f.Class, Name: f.Class.FullName() + "." + name, Sure: Plausible})
		}
		if len(fits) == 0 || len(fits) > mostAlternatives || !sameFamily(methods[name], name) {
			return nothing
		}
		if len(fits) == 1 {
			return &fits[0]
		}
		return &Value{Either: fits}
	}
}

// madeInPrograms are the classes of which the project makes objects, in the order of its sources: which of several methods comes
// first decides what a finding names.
func (p *Project) madeInPrograms() (list []*Class) {
	made := map[*Class]bool{}
	for _, m := range p.Modules {
		if m.Role == Test {
			continue
		}
		for _, s := range m.Sites {
			s.EachPossible(func(v *Value) {
				if v.Kind == Type && v.Class != nil && v.Class.Module.Role != Test && !made[v.Class] {
					made[v.Class] = true
					list = append(list, v.Class)
				}
			})
		}
	}
	return list
}

// sameFamily reports methods that override one method of one class.
func sameFamily(methods []*Function, name string) bool {
	var root *Class
	for _, f := range methods {
		top := f.Class
		f.Class.each(func(c *Class) bool {
			if c.Methods[name] != nil {
				top = c
			}
			return true
		})
		if root != nil && top != root {
			return false
		}
		root = top
	}
	return true
}

// takes reports whether a method can be called with the arguments of a call.
func (f *Function) takes(call *pysrc.Call) bool {
	params := f.Params()
	if params == nil {
		return false
	}
	list := positional(f, true)
	given := map[string]bool{}
	for i, a := range call.Args {
		if _, star := a.(*pysrc.Starred); star {
			return true
		}
		if i >= len(list) {
			return params.Vararg != nil
		}
		given[list[i].Name] = true
	}
	for _, k := range call.Keywords {
		if k.Name == "" {
			return true
		}
		if !f.HasParameter(k.Name) && params.Kwarg == nil || given[k.Name] {
			return false
		}
		given[k.Name] = true
	}
	for _, a := range list {
		if !given[a.Name] && params.Default(a.Name) == nil {
			return false
		}
	}
	return true
}
