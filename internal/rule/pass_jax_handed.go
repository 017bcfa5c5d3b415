package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// handedReads reports results of a compiled step that a loop hands to a function which reads them: logger.scalars(step, **metrics)
// with float(value) for each.
func (p *SourcePass) handedReads(l jaxLoop, results map[string]bool, around pysrc.Stmt) {
	for _, s := range l.Func.Sites {
		fn := s.Calls.Func
		if fn == nil || fn.Def == nil || s.Calls.Kind != project.Callable || !around.Bounds().Contains(int(s.Node.Start)) ||
			p.LoopAround(s) != around || p.underTest(s) || p.Rare(s) != nil || p.EvaluationOnly(s) || p.isCompiledCall(s) {
			continue
		}
		read := p.In(fn.Module).readOf(fn, parametersGiven(s, fn, results))
		if read == nil {
			continue
		}
		way, ok := p.Hot(s)
		if !ok {
			way, ok = p.Hot(l.step)
		}
		if ok {
			p.Report(s, likely*way.Sure).Because(way, p.In(fn.Module).At(read, "read here")).
				Saying("%s waits for the device in every step", p.Short(s.Node))
		}
	}
}

// parametersGiven are the parameters of a function that a call gives one of some variables, or a part of one.
func parametersGiven(s *project.Site, fn *project.Function, variables map[string]bool) map[string]bool {
	given := map[string]bool{}
	for name, value := range givenTo(s, fn) {
		if variables[rootName(value)] {
			given[name] = true
		}
	}
	if rest := fn.Def.Args.Kwarg; rest != nil {
		for _, k := range s.Node.Keywords {
			if k.Name == "" && variables[rootName(k.Value)] { // **metrics
				given[rest.Name] = true
			}
		}
	}
	return given
}

// readOf is the first call of a function that reads one of its parameters to the host whenever it is called, or nil.
func (p *SourcePass) readOf(fn *project.Function, given map[string]bool) *project.Site {
	if len(given) == 0 {
		return nil
	}
	at := slices.IndexFunc(fn.Sites, func(s *project.Site) bool {
		return !p.underTest(s) && p.Rare(s) == nil && slices.ContainsFunc(hostReads(Call{s, p}), func(value pysrc.Expr) bool {
			return given[p.goneThrough(rootName(value), s)] && !mentionsShape(value)
		})
	})
	if at < 0 {
		return nil
	}
	return fn.Sites[at]
}

// mentionsShape reports a value that the host knows of an array: x.shape[0], x.ndim.
func mentionsShape(e pysrc.Expr) (found bool) {
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Attribute)
		found = found || ok && (a.Attr == "shape" || a.Attr == "ndim" || a.Attr == "size" || a.Attr == "dtype")
		return !found
	})
	return found
}
