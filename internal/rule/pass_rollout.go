package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// besideRollout is why a copy or a wait costs next to nothing in a step that first makes what it trains with.
const besideRollout = "each step generates what it trains with, a token at a time, which takes far longer"

// shorterThanRollout is what takes milliseconds in a step.
var shorterThanRollout = []Subject{AboutCopies, AboutWaits, AboutLoading}

// mostRollout is how many calls may lie between a training loop and the generation in it.
const mostRollout = 3

// besideGeneration says why a copy, a wait or the making of a batch costs little in a step that also generates, or nothing. What
// the generation itself copies or waits for counts: that happens for each token, as what a model does in its forward.
func (p *SourcePass) besideGeneration(r *Report) string {
	if !slices.Contains(shorterThanRollout, p.rule.Subject) || r.step == nil || !p.rollsOut(r.step) {
		return ""
	}
	if in := p.Module.ClassAt(r.span.Start); p.rule.Subject == AboutWaits && in != nil && in.Derives("torch.nn.Module") {
		return ""
	}
	if loop := p.LoopAround(r.span); loop != nil && !p.isTrainingLoop(loop) && p.runsModelIn(loop) {
		return ""
	}
	return besideRollout
}

// runsModelIn reports a loop that calls a model in each turn.
func (p *SourcePass) runsModelIn(loop pysrc.Stmt) bool {
	return slices.ContainsFunc(p.Function(loop).Sites, func(s *project.Site) bool {
		return loop.Bounds().Contains(int(s.Node.Start)) && p.callsModel(s)
	})
}

// rollsOut reports a function whose training loop generates text in each step, itself or in what it calls.
func (p *SourcePass) rollsOut(step *project.Function) bool {
	known, asked := p.shared.index.rollouts.Load(step)
	if !asked {
		known, _ = p.shared.index.rollouts.LoadOrStore(step, p.In(step.Module).findRollout(step))
	}
	return known.(bool)
}

func (p *SourcePass) findRollout(step *project.Function) bool {
	var runs []*project.Function
	for _, s := range step.Sites {
		if _, hot := p.Hot(s); !hot || p.Rare(s) != nil {
			continue
		}
		if generatesText(s) {
			return true
		}
		runs = append(runs, runsFunctions(s)...)
	}
	_, found := p.Project.AnyReaches(p.eval, runs, generatesText, mostRollout)
	return found
}

// generatesText reports a call that tells how many tokens it makes at most: of a model's generate, or of what leads there in an
// engine of the project's own.
func generatesText(s *project.Site) bool {
	if m := s.Method(); m != "generate" { // a class only keeps the number: GenerationConfig(max_new_tokens=64)
		return s.Node.Keyword("max_new_tokens") != nil && m != "" && m == strings.ToLower(m)
	}
	return s.Node.Keyword("max_new_tokens") != nil || s.Node.Keyword("max_length") != nil ||
		s.Node.Keyword("generation_config") != nil || s.Node.Keyword("sampling_params") != nil
}
