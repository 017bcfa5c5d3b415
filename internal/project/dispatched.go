package project

import "saturate/internal/pysrc"

// Many programs run their hooks by a name: def emit(self, event): for hook in self.hooks: getattr(hook, event)(self). Which method runs
// depends on the call of emit, so that the way from a step to a hook leads through that call.

// methodGetter is the getattr(hook, event) that gives what a call runs, where event is a parameter of the function around it.
func (s *Site) methodGetter() (get *pysrc.Call, parameter string) {
	of := s.Node.Func
	if name, ok := of.(*pysrc.Name); ok {
		of = s.Module().SaidOnce(name)
	}
	get, ok := of.(*pysrc.Call)
	if !ok || len(get.Args) < 2 || pysrc.DottedName(get.Func) != "getattr" {
		return nil, ""
	}
	if name, ok := get.Args[1].(*pysrc.Name); ok && s.Func.HasParameter(name.ID) {
		return get, name.ID
	}
	return nil, ""
}

// dispatch is a call of a method by a name, and the methods that it runs for one call of the function around it.
type dispatch struct {
	by  *Site
	fns []*Function
}

// dispatched are the methods that functions run which a call calls, by the name that it gives them: self.emit("on_step_end").
func (p *Project) dispatched(e *Eval, s *Site) (list []dispatch) {
	var room fewFunctions
	for _, f := range s.Calls.appendFunctions(room[:0]) {
		if !f.getsMethods {
			continue
		}
		for _, by := range f.Sites {
			get, parameter := by.methodGetter()
			if get == nil || f.Module.guardWithin(by.Node.Start, &Block{}).Cold() {
				continue
			}
			e.steps = mostSteps
			name, ok := e.argument(s, parameter, e.signatureFor(s, f), 0).Str()
			if !ok {
				continue
			}
			d := dispatch{by: by}
			of := e.expr(get.Args[0], by.scope())
			for _, w := range append([]Value{of}, of.Either...) {
				if w.Kind != Instance || w.Class == nil {
					continue
				}
				if m := w.Class.Method(name); m != nil {
					d.fns = append(d.fns, m)
				}
			}
			list = append(list, d)
		}
	}
	return list
}
