package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// InstanceCalls returns the calls x(…) of an object x of one of the classes, or
// of a class derived from one: self.extractor(audio).
func (p *SourcePass) InstanceCalls(names ...string) []Call {
	var list []Call
	for _, name := range names {
		list = p.calls(list, &p.sites().byInstance, name)
	}
	return inOrder(list)
}

// EverySample reports whether the node runs for every sample in every epoch of training. Unlike PerSample, it excludes
// work that is cached after the first time, error handlers, maps that run once, and code that serves only evaluation.
func (p *SourcePass) EverySample(n Node) (project.Path, bool) {
	return p.EverySampleWhere(n, func(project.Path) bool { return true })
}

// EverySampleWhere is EverySample by the first way that a rule accepts: training may get to a node where evaluation does, too, and
// one data set may draw at random where another does not.
func (p *SourcePass) EverySampleWhere(n Node, accepts func(project.Path) bool) (project.Path, bool) {
	if ways := p.waysToSample(n, accepts, true); len(ways) > 0 {
		return ways[0], true
	}
	return project.Path{}, false
}

// EverySampleWays are all ways that a rule accepts, one for each data set.
func (p *SourcePass) EverySampleWays(n Node, accepts func(project.Path) bool) []project.Path {
	return p.waysToSample(n, accepts, false)
}

// waysToSample are the ways that a rule accepts, those that defaults leave out last; first asks for no more than the first.
func (p *SourcePass) waysToSample(n Node, accepts func(project.Path) bool, first bool) (list []project.Path) {
	ways := p.Project.SampleWays(p.Module, n)
	if len(ways) == 0 || p.notEverySample(n) {
		return nil
	}
	var off []project.Path
	for _, way := range ways {
		if p.everySampleBy(way, n) && !p.skippedInTraining(way, n) && accepts(way) {
			if way.Needs = p.eval.LeftOut(way, p.Module, n); way.Needs != nil {
				off = append(off, way)
			} else if list = append(list, way); first {
				break
			}
		}
	}
	return append(list, off...)
}

// notEverySample reports a node that no way makes run for each sample of training.
func (p *SourcePass) notEverySample(n Node) bool {
	return p.Project.ServesEvaluation(p.Module, n) || inHandler(p.Module, n) || p.keptInDict(n)
}

// skippedInTraining reports a node that only datasets for evaluation get to, by how they are made.
func (p *SourcePass) skippedInTraining(path project.Path, n Node) bool {
	if p.eval.TrainingSkips(p.Module, n) {
		return true
	}
	return slices.ContainsFunc(path.Calls, func(s *project.Site) bool { return p.eval.TrainingSkips(s.Module(), s) })
}

// CalledForEverySample is EverySample of a whole function.
func (p *SourcePass) CalledForEverySample(fn *project.Function) (project.Path, bool) {
	if fn.Def == nil || len(fn.Def.Body) == 0 {
		return project.Path{}, false
	}
	return p.EverySample(fn.Def.Body[0])
}

// everySample is EverySample for what may well stand under no_grad: a model.
func (p *SourcePass) everySample(n Node) (project.Path, bool) {
	ways := p.Project.SampleWays(p.Module, n)
	if len(ways) == 0 || inHandler(p.Module, n) || p.keptInDict(n) {
		return project.Path{}, false
	}
	for _, way := range ways {
		if p.everySampleBy(way, n) {
			return way, true
		}
	}
	return project.Path{}, false
}

// everySampleBy reports whether a way makes a node run for each sample in each epoch.
func (p *SourcePass) everySampleBy(way project.Path, n Node) bool {
	if !way.EveryEpoch() || way.Sure < probable || p.servesEvaluation(way) || p.Project.Prepares(way.Root.Module) {
		return false
	}
	handled := slices.ContainsFunc(way.Calls, func(s *project.Site) bool { return inHandler(s.Module(), s) })
	return !handled && p.runsPerSample(way, n) // not try: np.load(cache) except FileNotFoundError: compute
}

// keptInDict reports a node that runs only for what a dict of the object does
// not hold yet: if name not in self.audio.
func (p *SourcePass) keptInDict(n Node) bool {
	kept := false
	p.testsAround(n, func(test pysrc.Expr) {
		if c, ok := test.(*pysrc.Compare); ok && len(c.Ops) == 1 && c.Ops[0] == pysrc.NotIn {
			_, attribute := c.Comparators[0].(*pysrc.Attribute)
			kept = kept || attribute
		}
	})
	return kept
}

// inHandler reports a node in an except clause of its function.
func inHandler(m *project.Module, n Node) bool {
	at := n.Bounds().Start
	fn := m.FunctionAt(at)
	for id := m.BlockAt(at); id >= 0 && m.Block(id).Func == fn; id = m.Block(id).Parent {
		if m.Block(id).Arm == project.Handler {
			return true
		}
	}
	return false
}

// servesEvaluation reports a path whose root is a dataset or function that is
// named after evaluation, in a file of its own perhaps.
func (p *SourcePass) servesEvaluation(path project.Path) bool {
	return path.Root != nil && p.Project.EvaluationOnly(path.Root.Module, path.Root)
}

// runsPerSample leaves out what an __iter__ does before its loop: once per
// epoch, not once per sample.
func (p *SourcePass) runsPerSample(path project.Path, n Node) bool {
	if path.Root == nil || path.Root.BaseName() != "__iter__" && !path.Root.IsGenerator() {
		return true
	}
	if len(path.Calls) == 0 {
		return p.LoopAround(n) != nil
	}
	for _, s := range path.Calls {
		if s.Module().LoopAround(s) != nil {
			return true
		}
	}
	return p.LoopAround(n) != nil
}

// InLoop reports whether the node runs once per element of something within its
// function: in a loop, or in a comprehension behind its first iterable.
func (p *SourcePass) InLoop(n Node) bool {
	if p.LoopAround(n) != nil {
		return true
	}
	at, fn := n.Bounds().Start, p.Function(n)
	for id := p.Module.BlockAt(at); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if first := firstIterable(p.Module.Block(id).Owner); first != nil && !first.Bounds().Contains(int(at)) {
			return true
		}
	}
	return false
}

// firstIterable is what a comprehension goes over, which is worked out once; nil
// for anything else.
func firstIterable(n pysrc.Node) pysrc.Expr {
	switch n := n.(type) {
	case *pysrc.ListComp:
		return n.Generators[0].Iter
	case *pysrc.SetComp:
		return n.Generators[0].Iter
	case *pysrc.DictComp:
		return n.Generators[0].Iter
	case *pysrc.GeneratorExp:
		return n.Generators[0].Iter
	}
	return nil
}

// lastName is the last part of a dotted name: encode of self.tokenizer.encode.
func lastName(e pysrc.Expr) string {
	switch e := e.(type) {
	case *pysrc.Name:
		return e.ID
	case *pysrc.Attribute:
		return e.Attr
	case *pysrc.Call:
		return lastName(e.Func)
	}
	return ""
}
