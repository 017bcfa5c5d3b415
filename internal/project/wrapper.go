package project

import "saturate/internal/pysrc"

// wrappers are the functions that run in the place of a decorated one: what a decorator of the project returns, such as one
// that measures the time of each call.
func (p *Project) wrappers(e *Eval, fn *Function) []*Function {
	if list, known := p.wrapped[fn]; known {
		return list
	}
	var list []*Function
	for _, d := range fn.Decorators() {
		if call, ok := d.(*pysrc.Call); ok {
			if made := innerReturned(e.Of(fn.Module, call.Func).Func); made != nil { // @timed("step")
				d = nil
				list = append(list, innerReturned(made))
			}
		}
		if d != nil {
			list = append(list, innerReturned(e.Of(fn.Module, d).Func))
		}
	}
	kept := list[:0]
	for _, f := range list {
		if f != nil && f != fn {
			kept = append(kept, f)
		}
	}
	if p.wrapped == nil {
		p.wrapped = map[*Function][]*Function{}
	}
	p.wrapped[fn] = kept
	return kept
}

// innerReturned is the function that another one defines and returns, or nil.
func innerReturned(fn *Function) *Function {
	if fn == nil || fn.Def == nil {
		return nil
	}
	for _, r := range fn.Returns() {
		name, ok := r.(*pysrc.Name)
		if !ok {
			continue
		}
		for _, inner := range fn.Module.Functions {
			if inner.Outer == fn && inner.Def != nil && inner.Def.Name == name.ID {
				return inner
			}
		}
	}
	return nil
}
