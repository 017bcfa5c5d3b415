package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// movedModels reports models that every step moves: to the host and back, or to the GPU where they are already.
func (p *SourcePass) movedModels() {
	said := map[*project.Function]map[string]*Report{}
	for _, c := range p.MethodCalls("to", "cuda", "cpu") {
		if !p.mayStep(c) {
			continue
		}
		model := pysrc.DottedName(c.Receiver())
		device, _ := targetDevice(c.Node)
		toHost := c.Method() == "cpu" || toHost(c.Node)
		if model == "" || !p.callsOrTrains(c, model) || c.Method() == "to" && !toHost && !p.anyDevice(device) {
			continue
		}
		way, ok := p.EachStep(c)
		if !ok || way.Kind != project.TrainingLoop || p.underTest(c) && !p.onUnlessAsked(c) || p.madeInStep(c) || p.LoopAround(c) != nil && !p.isTrainingLoop(p.LoopAround(c)) || p.perEpoch(c) {
			continue
		}
		if said[c.Func] == nil {
			said[c.Func] = map[string]*Report{}
		}
		if r := said[c.Func][model]; r != nil {
			r.Too(p.At(c, "and here"))
			continue
		}
		sure := perhaps
		if toHost {
			sure = likely
		}
		r := p.Report(c, way.Sure*sure).Because(way)
		if said[c.Func][model] = r; toHost {
			r.Saying("%s copies all weights to the host in every step", p.Short(c)).
				Advising("Keep the model on the GPU. Copy its state_dict where a checkpoint is written, every N steps.")
			continue
		}
		r.At(Advice).Saying("%s goes over all weights in every step", p.Short(c)).
			Advising("Move the model once, before the loop.")
	}
}

// callsOrTrains reports what is moved to be a model: something is called by that name, or asked for its parameters.
func (p *SourcePass) callsOrTrains(c Call, name string) bool {
	return p.hasParameters(name) || slices.ContainsFunc(c.Func.Sites, func(s *project.Site) bool { return pysrc.DottedName(s.Node.Func) == name })
}

// madeInStep reports what the step has just made itself: its first move is not one too many.
func (p *SourcePass) madeInStep(c Call) bool {
	name, ok := c.Receiver().(*pysrc.Name)
	if !ok {
		return false
	}
	said := p.Module.SaidLast(name)
	loop := p.LoopAround(c)
	return said != nil && (loop == nil || said.Bounds().Start > loop.Bounds().Start)
}

// perEpoch reports a node beside the loop over the batches: it runs once in an epoch.
func (p *SourcePass) perEpoch(c Call) bool {
	loop := p.LoopAround(c)
	if loop == nil {
		return false
	}
	within := false
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		inner, ok := n.(pysrc.Stmt)
		within = within || ok && inner != loop && p.isTrainingLoop(inner)
		return !within
	})
	return within
}
