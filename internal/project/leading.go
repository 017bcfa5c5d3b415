package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// findLeading finds the functions that hold a training loop, and those that call them over a few calls.
func (p *Project) findLeading() {
	p.leading, p.startsByName = map[*Function]bool{}, map[*Module]bool{}
	var queue []*Function
	add := func(f *Function) {
		if !p.leading[f] {
			p.leading[f] = true
			queue = append(queue, f)
		}
	}
	for _, loops := range p.loops {
		for _, l := range loops {
			add(l.Func)
		}
	}
	for _, f := range p.startLone() {
		add(f)
	}
	for range 2 {
		for depth := 0; depth < mostApart && len(queue) > 0; depth++ {
			from := queue
			queue = nil
			for _, f := range from {
				for _, s := range f.callers() {
					if s.Func.Def != nil {
						add(s.Func)
					}
				}
			}
		}
		queue = nil
		p.leadByName(add)
	}
}

// leadByName finds the calls of a method of something unknown, trainer.run(), where the module uses one that has a class whose
// method of that name leads to a training loop: it may be any class that settings name.
func (p *Project) leadByName(add func(*Function)) {
	methods := map[string]map[*Module]bool{}
	for f := range p.leading {
		if f.Class == nil || f.Def == nil || f.Module.Role == Test {
			continue
		}
		if methods[f.Def.Name] == nil {
			methods[f.Def.Name] = map[*Module]bool{}
		}
		for _, c := range f.Class.Heirs() {
			methods[f.Def.Name][c.Module] = true
		}
	}
	for _, m := range p.Modules {
		if m.Role == Test || m.Outline {
			continue
		}
		for _, s := range m.Sites {
			name := s.Method()
			of := methods[name]
			if of == nil || (s.Calls.Kind != Unknown || len(s.Calls.Either) > 0) && !s.Calls.ofResult() || s.onSelf() || p.evaluates(s.Func) || givesMode(s) {
				continue
			}
			if slices.ContainsFunc(m.Uses, func(used *Module) bool { return of[used] }) && !m.isUnreached(s.Node.Start) {
				p.startsByName[m] = true
				if s.Func.Def != nil {
					add(s.Func)
				}
			}
		}
	}
}

// givesMode reports model.train(True), and a model that is put into a mode beside a call of eval: model.train() of a module that
// has model.eval() too.
func givesMode(s *Site) bool {
	if s.Method() != "train" {
		return false
	}
	of := s.Node.Func.(*pysrc.Attribute).Value
	name := pysrc.DottedName(of)
	return len(s.Node.Args) == 1 && (pysrc.IsConst(s.Node.Args[0], pysrc.True) || pysrc.IsConst(s.Node.Args[0], pysrc.False)) ||
		name == "" || slices.ContainsFunc(s.Module().Sites, func(other *Site) bool {
		a, ok := other.Node.Func.(*pysrc.Attribute)
		return ok && pysrc.DottedName(a.Value) == name && (a.Attr == "eval" || a.Attr == "parameters" || a.Attr == "to" || a.Attr == "cuda" || a.Attr == "load_state_dict")
	})
}

// startsLoop reports a module that calls a function which leads to a training loop: trainer.run(). What it makes,
// a model too, is trained there.
func (p *Project) startsLoop(m *Module) bool {
	return p.startsByName[m] || slices.ContainsFunc(m.Sites, func(s *Site) bool {
		return slices.ContainsFunc(s.Calls.functions(), func(f *Function) bool { return p.leading[f] })
	})
}

// Leads reports whether a function holds a training loop or leads to one.
func (p *Project) Leads(f *Function) bool { return p.leading[f] }
