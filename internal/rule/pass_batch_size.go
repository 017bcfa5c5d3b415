package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

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

// leastBatch is how many samples a loader gives at once at least: batchSize, or the part for each GPU of batch_size * len(gpus).
func (p *SourcePass) leastBatch(loader Call) Value {
	size := p.batchSize(loader)
	if _, known := size.Int(); known {
		return size
	}
	node := loader.ArgumentNode("batch_size", 1)
	if node == nil {
		return size
	}
	times, ok := p.onceSaid(node).(*pysrc.BinOp)
	if !ok || times.Op != pysrc.Mult {
		return size
	}
	for _, sides := range [][2]pysrc.Expr{{times.Left, times.Right}, {times.Right, times.Left}} {
		each := p.Eval(sides[0])
		if n, known := each.Int(); known && n > 0 && p.countsGPUs(sides[1]) {
			return each
		}
	}
	return size
}

// countsGPUs reports len(gpus), torch.cuda.device_count(), max(1, n_gpu): a count that is one at least.
func (p *SourcePass) countsGPUs(e pysrc.Expr) bool {
	c, ok := p.onceSaid(e).(*pysrc.Call)
	if !ok {
		return false
	}
	switch p.NameOf(c.Func) {
	case "torch.cuda.device_count", "torch.distributed.get_world_size":
		return true
	}
	switch pysrc.DottedName(c.Func) {
	case "len":
		return true
	case "max":
		return slices.ContainsFunc(c.Args, func(e pysrc.Expr) bool { n, number := pysrc.IntValue(e); return number && n >= 1 })
	}
	return false
}
