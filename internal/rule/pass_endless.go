package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// endless reports a loader over a stream that never ends, by its own loop: its workers start once.
func (p *SourcePass) endless(loader Call) bool {
	data := loader.Arg("dataset")
	if data.Class == nil {
		return false
	}
	iter := data.Class.Method("__iter__")
	if iter == nil || iter.Def == nil {
		return false
	}
	for _, s := range iter.Def.Body {
		if loop, ok := s.(*pysrc.While); ok && pysrc.IsConst(loop.Test, pysrc.True) && !leaves(loop) {
			return true
		}
		over, ok := s.(*pysrc.For)
		if call, is := forIter(over, ok).(*pysrc.Call); is && p.In(iter.Module).NameOf(call.Func) == "itertools.count" && !leaves(over) {
			return true
		}
	}
	return false
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
