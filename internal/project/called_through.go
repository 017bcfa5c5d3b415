package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// Some functions find what they return by a name that they are given: initialize("models.unet.UNet", args). What they
// return is only known for one call at a time, so that their bodies are read again for each.

// mostThrough is how many such calls may lead to each other while one is read.
const mostThrough = 3

// passed is what a call passes to the function that is read for it.
type passed struct {
	arguments []namedArgument
	level     int // 1 for the outermost call that is read through
}

type namedArgument struct {
	name  string
	value Value
}

// named is what is passed for a parameter; unknown for what is none.
func (p passed) named(name string) Value {
	for i := range p.arguments {
		if p.arguments[i].name == name {
			return p.arguments[i].value
		}
	}
	return Value{}
}

// readThrough tells what a function is given by the call that it is read for, if it is, and notes that the answer depends on that.
func (e *Eval) readThrough(f *Function) (call passed, reading bool) {
	if f == nil || !f.looksUp && !f.readsVariable {
		return passed{}, false
	}
	call, reading = e.through[f]
	e.gap.calls |= 1 << call.level // 0 for none
	return call, reading
}

// findLookups marks the functions that get classes by names which are not written in them, and those that return what
// such a function gives: instantiate(config) with get_class(config["target"]).
func (p *Project) findLookups() {
	names := map[string]bool{}
	for _, m := range p.Modules {
		for _, f := range m.Functions {
			f.over = f.putsOver()
			f.getsMethods = f.Params() != nil && slices.ContainsFunc(f.Sites, func(s *Site) bool { get, _ := s.methodGetter(); return get != nil })
			if f.Params() != nil && len(f.returns) > 0 && slices.ContainsFunc(f.Sites, f.isLookup) {
				f.looksUp = true
				names[f.BaseName()] = true
			}
		}
	}
	if len(names) == 0 {
		return
	}
	for _, m := range p.Modules {
		for _, f := range m.Functions {
			if f.Params() == nil || f.looksUp {
				continue
			}
			for _, r := range f.returns {
				pysrc.Inspect(r, func(n pysrc.Node) bool {
					call, ok := n.(*pysrc.Call)
					f.looksUp = f.looksUp || ok && names[lastName(call.Func)]
					return !f.looksUp
				})
			}
		}
	}
}

// isLookup reports a call that gets a module or a member of one by a name: import_module(name), getattr(module, name)
// with a module that the function was given.
func (f *Function) isLookup(s *Site) bool {
	switch lastName(s.Node.Func) {
	case "import_module", "locate", "__import__", "get_class", "import_string":
		return true
	case "getattr":
		if len(s.Node.Args) != 2 {
			return false
		}
		module, ok := s.Node.Args[0].(*pysrc.Name)
		_, written := s.Node.Args[1].(*pysrc.Constant)
		return ok && !written && f.HasParameter(module.ID)
	}
	return false
}

// calledThrough tells what one call of a function gives, where the function's parameters hold what that call passes.
func (e *Eval) calledThrough(call *Site, f *Function) Value {
	if _, reading := e.readThrough(f); reading || len(e.through) >= mostThrough {
		e.gap.calls |= 1<<(len(e.through)+1) - 2 // another call may read it
		return e.returnedTo(call, f)
	}
	if e.depth > mostDeep/2 {
		e.gap.deep = true
		return e.returnedTo(call, f)
	}
	parameters := f.Params().All()
	arguments := make([]namedArgument, 0, len(parameters))
	signature := e.signature(call)
	for _, a := range parameters {
		v, _ := e.findArgument(call, a.Name, signature, 0)
		if v.Kind == Missing {
			v = e.defaultOf(f, a.Name)
		}
		arguments = append(arguments, namedArgument{a.Name, v})
	}
	names, results, fields := e.names.here, e.results.here, e.fields.here
	e.names.here, e.results.here, e.fields.here = nil, nil, nil
	if e.through == nil {
		e.through = map[*Function]passed{}
	}
	level := len(e.through) + 1
	e.through[f] = passed{arguments, level}
	var v Value
	if f.readsVariable {
		v = e.unlessSet(f)
	} else {
		v = e.returnedTo(call, f)
	}
	delete(e.through, f)
	e.gap.calls &^= 1 << level
	e.names.here, e.results.here, e.fields.here = names, results, fields
	return v
}

// unresolvedBesideLookups are the calls of nothing known in modules that look classes up by names, or take them from a
// registry: the names may be in settings that only the callers of a function show.
func (p *Project) unresolvedBesideLookups() (list []*Site) {
	for _, m := range p.Modules {
		if m.Role == Test || !slices.ContainsFunc(m.Sites, func(s *Site) bool {
			return s.Calls.Func != nil && (s.Calls.Func.looksUp || len(p.registries[s.Calls.Made]) > 0)
		}) {
			continue
		}
		for _, s := range m.Sites {
			if a, ok := s.Node.Func.(*pysrc.Attribute); s.Calls == nothing && !(ok && plainMethods[a.Attr]) {
				list = append(list, s)
			}
		}
	}
	return list
}
