package project

import (
	"saturate/internal/pysrc"
)

// Callers say what a function is given, and so what it calls: agent(observation), self.criterion(logits). Each call that
// becomes known so has the function that it calls know one more caller, which may say what that one calls.

// mostRelinks is how often the calls that are not known yet are asked again.
const mostRelinks = 4

// relink asks what the calls that are left call, as long as that tells of new callers.
func (p *Project) relink(use func(*Site)) {
	left := p.unlinked()
	for round := 0; round < mostRelinks && len(left) > 0; round++ {
		e := p.NewEval() // what another one remembers was worked out with fewer callers
		known := 0
		rest := left[:0]
		for _, s := range left {
			e.steps = mostSteps
			v := e.callee(s)
			if len(v.functions()) == 0 {
				rest = append(rest, s)
				continue
			}
			s.Calls = v
			use(s)
			known++
		}
		e.Release()
		left = rest
		if known == 0 {
			return
		}
	}
}

// unlinked are the calls that may be of functions of the project and are of nothing known.
func (p *Project) unlinked() (list []*Site) {
	fields := map[string]bool{} // of objects of the project: they may hold what is called
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			for name := range c.attrs {
				fields[name] = true
			}
		}
	}
	for _, m := range p.Modules {
		if m.Role == Test || m.Outline {
			continue
		}
		for _, s := range m.Sites {
			if len(s.Calls.functions()) == 0 && s.Calls.Name == "" && p.mayCallOwn(s, fields) && !m.isUnreached(s.Node.Start) {
				list = append(list, s)
			}
		}
	}
	return list
}

// mayCallOwn reports a call whose function is not written where it stands: of a variable, an item, a field, or a method
// that a class of the project has.
func (p *Project) mayCallOwn(s *Site, fields map[string]bool) bool {
	switch f := s.Node.Func.(type) {
	case *pysrc.Name:
		_, b := s.scope().find(f.ID)
		return b != nil
	case *pysrc.Attribute:
		_, own := p.methods[f.Attr]
		return own && !tensorMethods[f.Attr] || fields[f.Attr] && !plainMethods[f.Attr]
	}
	return true
}
