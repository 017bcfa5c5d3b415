package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// drawnByNumber reports functions that training calls between two epochs and that draw a random number in each iteration of
// a loop over the samples: negative sampling, mostly. The GPU waits for millions of draws.
func (p *SourcePass) drawnByNumber() {
	if !p.runsOnGPU() {
		return
	}
	said := map[*project.Function]bool{}
	for _, s := range p.besideTraining() {
		fn := s.Calls.Func
		if fn == nil || fn.Def == nil || s.Calls.Kind != project.Callable || said[fn] || p.Rare(s) != nil || p.EvaluationOnly(s) ||
			p.isHot(s) {
			continue
		}
		there := p.In(fn.Module)
		if loop, draw := there.drawsPerSample(fn); loop != nil {
			said[fn] = true
			p.Report(s, likely).Because(there.At(header(loop), "a loop over all samples"), there.At(draw, "one number in each iteration")).
				Saying("%s draws random numbers one at a time between epochs, while the GPU waits", p.Short(Call{s, p}.Callee())).
				Advising("Draw them all in one call, np.random.randint(n, size=…), and draw again only those that must not occur; or draw in the dataset, where workers do it during the steps.")
		}
	}
}

// drawsPerSample is a loop of a function over a list or field, and a draw of one number that stands in it, perhaps in loops
// in that one; nil when there is none.
func (p *SourcePass) drawsPerSample(fn *project.Function) (*pysrc.For, *pysrc.Call) {
	for _, s := range fn.Sites {
		if !p.drawsOne(s) {
			continue
		}
		outer, depth := pysrc.Stmt(nil), 0
		for loop := p.LoopAround(s); loop != nil; loop = p.LoopAround(loop) {
			outer, depth = loop, depth+1
		}
		loop, ok := outer.(*pysrc.For)
		if ok && !overConstant(loop.Iter) && p.Rare(s) == nil && depth > 1 && p.turns(loop) == 0 {
			return loop, s.Node
		}
	}
	return nil, nil
}

// drawsOne reports a call that draws a single number or item on the host.
func (p *SourcePass) drawsOne(s *project.Site) bool {
	name, numpy := strings.CutPrefix(s.Name(), "numpy.random.")
	if numpy {
		size, known := drawnSizes[name]
		return known && s.Node.Keyword("size") == nil && len(s.Node.Args) <= size
	}
	switch s.Name() {
	case "random.randint", "random.choice", "random.randrange", "random.random":
		return true
	}
	return false
}
