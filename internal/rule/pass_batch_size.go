package rule

import "saturate/internal/project"

// batchSize is how many samples a loader gives at once: by its own argument, or by its batch sampler's.
func (p *SourcePass) batchSize(loader Call) Value {
	if sampler := loader.Arg("batch_sampler"); sampler.Kind == project.Instance && sampler.Made != nil {
		size := p.eval.Argument(sampler.Made, "batch_size")
		if size.Missing() && sampler.Made.Calls.Name == "torch.utils.data.BatchSampler" && len(sampler.Made.Node.Args) > 1 {
			size = p.eval.ArgumentAt(sampler.Made, 1)
		}
		return size
	}
	return loader.Arg("batch_size")
}
