package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostAlso is how many places of evaluation a finding about training names.
const mostAlso = 4

// alsoRead adds to a finding about reads in training the reads that evaluation, in the same module, does for each batch.
func (p *SourcePass) alsoRead(r *Report) {
	var list []Call
	for _, read := range p.readsBack() {
		if p.eachEvaluationBatch(read.Call) && p.OnDevice(read.tensor) >= probable && !p.inProgressBar(read) {
			list = append(list, read.Call)
		}
	}
	p.also(r, list, "evaluation waits here for each batch, too")
}

// alsoCopied adds to a finding about copies in training those of evaluation in the same module.
func (p *SourcePass) alsoCopied(r *Report) {
	var list []Call
	for _, move := range p.movesToDevice() {
		if move.Node.Keyword("non_blocking") == nil && p.eachEvaluationBatch(move.Call) && p.isOfTurn(move) {
			list = append(list, move.Call)
		}
	}
	p.also(r, list, "evaluation waits for this copy, too")
}

// also adds some calls to what a finding rests on.
func (p *SourcePass) also(r *Report, calls []Call, text string) {
	for i, c := range inOrder(calls) {
		if i == mostAlso {
			return
		}
		r.Because(p.At(c, text))
	}
}

// eachEvaluationBatch reports a call in a loop of an evaluation that a program runs which trains.
func (p *SourcePass) eachEvaluationBatch(c Call) bool {
	if p.LoopAround(c) == nil || !p.EvaluationOnly(c) || p.Module.Role == project.Test || !p.runsBesideTraining(c.Func) {
		return false
	}
	g := p.Rare(c)
	return g == nil || g.Kind == project.InEval
}

// isOfTurn reports a tensor that the loop around it takes from what it goes over, such as a batch of a loader.
func (p *SourcePass) isOfTurn(move hostMove) bool {
	name := project.RootName(move.tensor)
	loop, ok := p.LoopAround(move).(*pysrc.For)
	return ok && name != nil && mentionsName(loop.Target, name.ID)
}

// alsoEvaluated adds to a finding about reads in training those of evaluations that training calls in other modules.
func (p *SourcePass) alsoEvaluated(r *Report) {
	var seen []*project.Function
	named := 0
	for _, s := range p.besideTraining() {
		fn := s.Calls.Func
		if fn == nil || s.Calls.Kind != project.Callable || fn.Module == p.Module || slices.Contains(seen, fn) {
			continue
		}
		seen = append(seen, fn)
		in := p.In(fn.Module)
		for _, read := range inOrderReads(in.readsBack()) {
			if read.Func == fn && named < mostAlso && !in.isHot(read) && in.OnDevice(read.tensor) >= likely && in.LoopAround(read) != nil && !in.readBefore(read) && in.Rare(read.Call) == nil {
				r.Because(in.At(read, "evaluation waits here, too"))
				named++
			}
		}
	}
}
