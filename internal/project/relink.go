package project

import (
	"path"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// Callers say what a function is given, and so what it calls: agent(observation), self.criterion(logits). Each call that
// becomes known so has the function that it calls know one more caller, which may say what that one calls.

// mostRelinks is how often the calls that are not known yet are asked again.
const mostRelinks = 4

// mostCallersLinked is mostCallers for what a function calls that they hand over.
const mostCallersLinked = 32

// asking is a call of which it is not known what it calls.
type asking struct {
	*Site
	on hangsOn // what the last answer hangs on
}

// relink asks what the calls that are left call, as long as that tells of new callers. Calls are asked again whose answer hangs
// on what has changed since.
func (p *Project) relink(use func(*Site) []*Function) {
	left := p.unlinked()
	found := newDependencies(len(left))
	again := func(hangsOn) bool { return true }
	guessed := false
	for round := 0; round < mostRelinks && len(left) > 0; round++ {
		e := p.NewEval() // what another one remembers was worked out with fewer callers
		e.callers, e.hangsOn = mostCallersLinked, found
		known := relinkBy(func(s *asking) *Value {
			if !again(s.on) {
				return nothing
			}
			e.steps, e.gap = mostSteps, gap{back: whole}
			v := e.callee(s.Site)
			s.on = e.gap.on
			return v
		}, &left, use)
		if e.Release(); len(known) == 0 && !guessed {
			made := p.onlyMade()
			guessed, known = true, relinkBy(func(s *asking) *Value { return made(s.Site) }, &left, use)
		}
		if len(known) == 0 {
			return
		}
		again = found.meeting(known)
	}
}

// relinkBy asks for each of the calls what it calls, and leaves those of which that is not known. It returns the calls that are
// known now, and the functions that they call.
func relinkBy(ask func(*asking) *Value, left *[]asking, use func(*Site) []*Function) (known []any) {
	rest := (*left)[:0]
	for _, s := range *left {
		promised := s.Calls
		if s.promised() {
			s.Calls = nothing // or that would be the answer
		}
		if v := ask(&s); v.runsOwn() && (promised == nothing || !v.ofEvaluation(s.Site)) {
			s.Calls = v
			known = append(known, s.Site)
			for _, f := range use(s.Site) {
				known = append(known, f)
			}
		} else {
			s.Calls = promised
			rest = append(rest, s)
		}
	}
	*left = rest
	return known
}

// unlinked are the calls that may be of functions of the project and are of nothing known.
func (p *Project) unlinked() (list []asking) {
	fields := map[string]bool{} // of objects of the project: they may hold what is called
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			for name := range c.attrs {
				fields[name] = true
			}
			for b := c.Scope.latest; b != nil; b = b.before {
				if b.annotation() != nil { // step: Callable of a dataclass
					fields[b.Name] = true
				}
			}
		}
	}
	for _, m := range p.Modules {
		if m.Role == Test || m.Outline {
			continue
		}
		byName := slices.ContainsFunc(m.Sites, func(s *Site) bool { return importsByName(s.Calls.Name, s.Node) })
		for _, s := range m.Sites {
			if !s.Calls.runsOwn() && (s.Calls.Name == "" || s.Calls.ofResult() || s.promised()) && (p.mayCallOwn(s, fields) || byName && s.Method() != "") && !m.isUnreached(s.Node.Start) {
				list = append(list, asking{Site: s})
			}
		}
	}
	return list
}

// ofResult reports a method of what a library's function gave, which may be an object of the project: pickle.load(f).keep(x).
func (v *Value) ofResult() bool {
	return v.Kind == Callable && v.member && strings.Contains(v.Name, "().") && !strings.HasPrefix(v.Name, "torch.")
}

// promised reports a call of an object of a library's class, or of a method of one, of which only an annotation tells: criterion:
// torch.nn.Module. What callers pass may be of a class of the project that derives from it.
func (s *Site) promised() bool {
	v := s.Calls
	if v.Class != nil || v.Func != nil || v.Module != nil || v.Made != nil || v.Name == "" {
		return false
	}
	return v.Kind == Instance && !v.Unknown() || v.Kind == Callable && v.member && s.Method() != "" && !strings.Contains(v.Name, "(")
}

// ofEvaluation reports a function that a program for evaluation hands to others: a sampler of eval.py says nothing of what runs in
// training.
func (v *Value) ofEvaluation(s *Site) bool {
	return slices.ContainsFunc(v.functions(), func(f *Function) bool {
		return f.Module != s.Module() && len(f.Module.ImportedBy) == 0 && namesEvaluation(path.Base(slashed(f.Module.Path)))
	})
}

// mayCallOwn reports a call whose function is not written where it stands: of a variable, an item, a field, an attribute that
// the program gives its options, or a method that a class of the project has.
func (p *Project) mayCallOwn(s *Site, fields map[string]bool) bool {
	switch f := s.Node.Func.(type) {
	case *pysrc.Name:
		_, b := s.scope().find(f.ID)
		return b != nil
	case *pysrc.Attribute:
		_, own := p.methods[f.Attr]
		return own && !tensorMethods[f.Attr] || (fields[f.Attr] || len(p.optionsSet[f.Attr]) > 0) && !plainMethods[f.Attr] || s.callsField(f) || s.callsMember(f)
	}
	return true
}
