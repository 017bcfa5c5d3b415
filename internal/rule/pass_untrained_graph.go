package rule

import (
	"slices"

	"saturate/internal/project"
)

// untrainedWithGraph reports models that a step runs with gradients on, though no optimizer gets their weights: the backward
// pass goes through them for nothing. What they are given has no gradient itself.
func (p *SourcePass) untrainedWithGraph(said thrownAway) {
	for _, s := range p.Module.Sites {
		if said[s.Node] != nil || !p.mayStep(s) || !p.hasWeights(s) || p.withoutGradients(s) || decoratedWithoutGradients(s.Func) || p.Rare(s) != nil {
			continue
		}
		way, ok := p.EachStep(s)
		if !ok || !p.untrained(s) || !p.takesBatch(s) || p.mayFreeze(s.Node) || p.endsHere(s) {
			continue
		}
		said[s.Node] = p.Report(s.Node.Func, probable*way.Sure).Because(way)
		said[s.Node].Saying("%s is never updated but builds a graph, and the backward pass goes through it", p.Short(s.Node.Func)).
			Advising("Call requires_grad_(False) on it and run it under torch.no_grad().")
	}
}

// hasWeights reports a call of a model that has weights: a pretrained one, or one of the project with layers of its own.
func (p *SourcePass) hasWeights(s *project.Site) bool {
	if s.Calls.Kind != project.Instance || len(s.Node.Args)+len(s.Node.Keywords) == 0 {
		return false
	}
	if p.pretrainedRun(s) != nil {
		return true
	}
	if s.Calls.Class == nil {
		return false
	}
	init := s.Calls.Class.Method("__init__")
	return init != nil && slices.ContainsFunc(init.Sites, func(made *project.Site) bool { return weighs[made.Calls.Name] })
}

// weighs are the layers of torch that have most of a model's weights.
var weighs = setOfNames("torch.nn.Linear", "torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Conv3d",
	"torch.nn.LSTM", "torch.nn.GRU", "torch.nn.Embedding", "torch.nn.TransformerEncoder", "torch.nn.TransformerEncoderLayer", "torch.nn.MultiheadAttention", "torch.nn.ConvTranspose2d")

// endsHere reports a call whose result is detached at once.
func (p *SourcePass) endsHere(s *project.Site) bool {
	return slices.ContainsFunc(p.MethodCalls("detach"), func(c Call) bool { return c.Node.Span.Contains(int(s.Node.Start)) })
}
