package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// launch is a call that starts a function of the project elsewhere, in processes or a thread, with arguments that it is
// handed as a tuple or a dict: spawn(main, args=(config,)), Process(target=main, kwargs={"config": config}).
type launch struct {
	site       *Site
	args       pysrc.Expr
	kwargs     pysrc.Expr
	parameters int // how many the launcher passes itself, before those of the tuple: spawn passes the rank
}

// gatherLaunches finds the calls that start functions of the project.
func (p *Project) gatherLaunches() {
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		if m.Role == Test {
			continue
		}
		for _, s := range m.Sites {
			if s.Calls.Func != nil || s.Calls.Class != nil {
				continue
			}
			if l, started := launchOf(s); started != nil {
				if v := e.Of(m, started); v.Kind == Callable && v.Func != nil && v.Func.Params() != nil {
					h := v.Func.handing()
					h.launched = append(h.launched, l)
				}
			}
		}
	}
}

// launchOf reads a call as one that starts a function, and gives the expression of the function; nil for other calls.
func launchOf(s *Site) (l launch, started pysrc.Expr) {
	l.site = s
	if k := s.Node.Keyword("args"); k != nil {
		l.args = k.Value
	} else if len(s.Node.Args) > 1 {
		if tuple, ok := s.Node.Args[1].(*pysrc.Tuple); ok {
			l.args = tuple
		}
	}
	if k := s.Node.Keyword("kwargs"); k != nil {
		l.kwargs = k.Value
	}
	if l.args == nil && l.kwargs == nil {
		return l, nil
	}
	if last := lastName(s.Node.Func); last == "spawn" || strings.HasSuffix(last, "_spawn") {
		l.parameters = 1
	}
	if len(s.Node.Args) > 0 {
		return l, s.Node.Args[0]
	}
	for _, k := range s.Node.Keywords {
		switch k.Value.(type) {
		case *pysrc.Name, *pysrc.Attribute, *pysrc.Lambda:
			if k.Name != "args" && k.Name != "kwargs" {
				return l, k.Value
			}
		}
	}
	return l, nil
}

// handedBy is what a launch gives for a parameter of the function that it starts; Missing where it gives nothing.
func (e *Eval) handedBy(l launch, f *Function, name string) Value {
	sc := l.site.scope()
	if l.args != nil {
		given := e.expr(l.args, sc)
		elts := elements(given.Expr)
		if at := f.position(name) - l.parameters; at >= 0 && at < len(elts) {
			return e.expr(elts[at], given.scope)
		}
	}
	if l.kwargs != nil {
		return e.unpackedKey(e.expr(l.kwargs, sc), name)
	}
	return Value{Kind: Missing}
}
