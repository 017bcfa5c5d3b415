package project

import (
	"path"
	"slices"

	"saturate/internal/pysrc"
)

// isLoneStep reports a method that takes a training step and that nothing in the project calls: a trainer of a library
// does, or a loop that does not show what it calls. Also a function that is handed to a library: Engine(update).
func (p *Project) isLoneStep(fn *Function) bool {
	if fn.Def == nil || fn.Module.Role == Test || len(fn.callers()) > 0 {
		return false
	}
	return fn.Class != nil || fn.Outer != nil && slices.ContainsFunc(fn.Outer.Sites, func(s *Site) bool {
		return s.Calls.outsideName() && mentions(s.Node, fn.Def.Name)
	})
}

// engineSteps are the functions that an engine of ignite calls with itself and a batch, def update(engine, batch), and that
// take a training step: whatever loops they hold are parts of it.
func (p *Project) engineSteps() (roots []*visit) {
	for _, m := range p.Modules {
		if !m.imports["ignite"] || m.Role == Test {
			continue
		}
		for _, f := range m.Functions {
			if f.Def == nil || !slices.ContainsFunc(f.Sites, isStep) || !p.isLoneStep(f) {
				continue
			}
			given := f.Params().All()
			if len(given) > 0 && IsSelf(&pysrc.Name{ID: given[0].Name}) {
				given = given[1:]
			}
			if len(given) == 2 && (given[0].Name == "engine" || given[0].Name == "_engine" || given[0].Name == "trainer") {
				p.lone = append(p.lone, f)
				roots = append(roots, &visit{root: f, fn: f, kind: TrainingHook, sure: Likely})
			}
		}
	}
	return roots
}

// startLone are the functions that start a training whose steps nothing in the project calls: they hand the step on, make an
// object whose method it is, or hand its class to what makes one, Runner(Engine, config).
func (p *Project) startLone() (list []*Function) {
	classes := map[string][]*Class{}
	for _, f := range append(slices.Clone(p.lone), p.loneLoops()...) {
		if f.Class == nil {
			list = append(list, f.Outer)
			continue
		}
		classes[f.Class.Name] = append(classes[f.Class.Name], f.Class)
		for _, c := range f.Class.heirs {
			if c.Methods[f.Def.Name] == nil {
				classes[c.Name] = append(classes[c.Name], c)
			}
		}
	}
	if len(classes) == 0 {
		return list
	}
	for _, m := range p.Modules {
		if m.Role == Test || namesEvaluation(path.Base(slashed(m.Path))) {
			continue
		}
		var last *Function
		evaluates := false // the function last
		for _, s := range m.Sites {
			if s.Func != last {
				last, evaluates = s.Func, p.evaluates(s.Func)
			}
			means := func(x pysrc.Expr) bool { return p.meansClass(s, x, classes[lastName(x)]) }
			if !evaluates && (means(s.Node.Func) || slices.ContainsFunc(s.Node.Args, means)) && !slices.Contains(list, s.Func) {
				list = append(list, s.Func)
			}
		}
	}
	return list
}

// loneLoops are the methods with a training loop that nothing in the project calls, of classes that derive from a library's:
// optimize_agent of an algorithm that a runner of the library is given.
func (p *Project) loneLoops() (list []*Function) {
	for _, loops := range p.loops {
		for _, l := range loops {
			if f := l.Func; f.Class != nil && f.Def != nil && f.Module.Role != Test && len(f.callers()) == 0 && f.Class.LibraryBase() != "" && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// meansClass reports an expression of a call that stands for one of some classes.
func (p *Project) meansClass(s *Site, x pysrc.Expr, classes []*Class) bool {
	if len(classes) == 0 {
		return false
	}
	e := p.NewEval()
	defer e.Release()
	v := e.expr(x, s.scope())
	return v.Kind == Type && slices.Contains(classes, v.Class)
}
