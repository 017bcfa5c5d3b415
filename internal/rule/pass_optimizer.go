package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// optimizers returns the calls that make an optimizer of torch which can be
// fused, in a module that trains or is near one that does.
func (p *SourcePass) optimizers() []Call {
	if !p.Project.Trains() || p.jaxOnly() {
		return nil
	}
	var list []Call
	for _, c := range p.CallsTo("torch.optim.Adam", "torch.optim.AdamW", "torch.optim.SGD") {
		params := c.ArgumentNode("params", 0)
		// of single parameters
		if sum, ok := params.(*pysrc.BinOp); ok {
			params = sum.Left // [latent] + noises
		}
		_, few := params.(*pysrc.List)
		// of a file that others import
		demo := p.Function(c) == p.Module.Main && p.Module.Role != project.Training && !startsTraining(p.Module)
		if !few && !demo && !p.EvaluationOnly(c) && (p.trained() || startsTraining(p.Module) ||
			slices.ContainsFunc(p.Module.UsedBy, startsTraining)) {
			list = append(list, c)
		}
	}
	return list
}
