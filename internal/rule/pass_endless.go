package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// endless reports a loader over a stream that never ends, by the loop of its dataset or of its sampler: its workers start once.
func (p *SourcePass) endless(loader Call) bool {
	return p.neverEnds(loader.Arg("dataset"), 0) || p.neverEnds(loader.Arg("sampler"), 0) || p.neverEnds(loader.Arg("batch_sampler"), 0)
}

// neverEnds reports an object whose __iter__ never comes to an end, or one that goes over a sampler which does not.
func (p *SourcePass) neverEnds(v Value, depth int) bool {
	if v.Class != nil {
		if iter := v.Class.Method("__iter__"); iter != nil && p.runsForever(iter, 0) {
			return true
		}
	}
	if v.Made == nil || depth > 1 {
		return false
	}
	made := Call{v.Made, p.In(v.Made.Module())}
	return p.neverEnds(made.Arg("sampler"), depth+1)
}

// runsForever reports a generator that a loop without an end keeps going, or one that only hands on another of its object.
func (p *SourcePass) runsForever(fn *project.Function, depth int) bool {
	if fn.Def == nil {
		return false
	}
	for _, s := range fn.Def.Body {
		if loop, ok := s.(*pysrc.While); ok && pysrc.IsConst(loop.Test, pysrc.True) && !leaves(loop) {
			return true
		}
		over, ok := s.(*pysrc.For)
		if call, is := forIter(over, ok).(*pysrc.Call); is && p.In(fn.Module).NameOf(call.Func) == "itertools.count" && !leaves(over) {
			return true
		}
		handed, ok := handedOn(s)
		if !ok || depth > 0 {
			continue
		}
		for _, site := range fn.Sites {
			if handed.Bounds().Contains(int(site.Node.Start)) && site.Calls.Func != nil && site.Calls.Func.Class == fn.Class && fn.Class != nil &&
				p.runsForever(site.Calls.Func, depth+1) {
				return true
			}
		}
	}
	return false
}

// handedOn is what a statement yields one by one: yield from islice(self.forever(), rank, None, ranks).
func handedOn(s pysrc.Stmt) (pysrc.Expr, bool) {
	e, ok := s.(*pysrc.ExprStmt)
	if !ok {
		return nil, false
	}
	from, ok := e.Value.(*pysrc.YieldFrom)
	if !ok {
		return nil, false
	}
	return from.Value, true
}

func forIter(loop *pysrc.For, ok bool) pysrc.Expr {
	if !ok {
		return nil
	}
	return loop.Iter
}

// leaves reports a loop that a break of its own or a return ends.
func leaves(loop pysrc.Stmt) bool {
	found := false
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Return, *pysrc.Break:
			found = true
		case *pysrc.For:
			return n == loop // whose breaks are its own
		case *pysrc.While:
			return n == loop
		}
		return !found
	})
	return found
}

// tokenizedAtStart reports that all texts near this module are tokenized when a dataset is made, many in one call.
func (p *SourcePass) tokenizedAtStart() bool {
	seen := 0
	for _, m := range p.Near() {
		in := p.In(m)
		for _, t := range in.Tokenisations() {
			if in.EvaluationOnly(t) {
				continue
			}
			_, many := firstArg(t.Node).(*pysrc.ListComp)
			if fn := in.Function(t); !many || fn.BaseName() != "__init__" || in.InLoop(t) {
				return false
			}
			seen++
		}
		if len(in.Maps()) > 0 && m.Role != project.Test {
			return false
		}
	}
	return seen > 0
}
