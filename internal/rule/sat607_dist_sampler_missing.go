package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// distSamplerMissing finds processes that each go through the whole dataset.
var distSamplerMissing = Rule{
	Code: "SAT607", Name: "dist-sampler-missing", Severity: Error, Subject: AboutRanks,
	Areas: []Area{ComputeArea}, Regroups: true,
	Title: "every process reads the whole dataset",
	What: "A training DataLoader without a sampler in a module that trains with DistributedDataParallel, without " +
		"a framework that adds one.",
	Why: "Each of R processes loads and computes all samples, so an epoch does R times the work.",
	Fine: "Datasets that give each process its own part. Streams that shard themselves. Accelerate, Lightning " +
		"and transformers, which add the sampler.",
	Advice: "Pass sampler=DistributedSampler(data) to the loader, remove shuffle, and call " +
		"sampler.set_epoch(epoch) before every epoch.",
	Bad:  "model = DistributedDataParallel(model)\nloader = DataLoader(data, batch_size=16, shuffle=True)",
	Good: "sampler = DistributedSampler(data)\nloader = DataLoader(data, batch_size=16, sampler=sampler)",
	Source: func(p *SourcePass) {
		if len(p.CallsTo("torch.nn.parallel.DistributedDataParallel")) == 0 ||
			p.Uses("accelerate.Accelerator", "lightning.pytorch.Trainer", "lightning.fabric.Fabric", "transformers.Trainer", "deepspeed.initialize") {
			return
		}
		for _, loader := range p.TrainingLoaders() {
			sampler, batches := loader.Arg("sampler"), loader.Arg("batch_sampler")
			if !sampler.Missing() && !sampler.IsNone() || !batches.Missing() && !batches.IsNone() || p.isStream(loader) ||
				p.splitsByRank(loader) || p.PreparedElsewhere(loader) {
				continue
			}
			p.Report(loader.Callee(), nearlyCertain)
		}
	},
}

// splitsByRank reports a loader in a branch that asks whether training is
// distributed, and a dataset that is made with the rank.
func (p *SourcePass) splitsByRank(loader Call) bool {
	speaks := func(n pysrc.Node) bool {
		found := false
		pysrc.Inspect(n, func(x pysrc.Node) bool {
			if e, ok := x.(pysrc.Expr); ok && project.HasWord(lastName(e), "rank", "world", "distributed", "ddp", "shard",
				"shards", "replicas", "gpus", "gpu", "multiprocessing",
				"pipeline", "iterable", "stream", "webdataset", "wds") {
				found = true
			}
			return !found
		})
		return found
	}
	fn := p.Function(loader)
	for id := p.Module.BlockAt(loader.Node.Start); id >= 0 &&
		p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if test, ok := p.Module.Block(id).Owner.(*pysrc.If); ok && speaks(test.Test) {
			return true
		}
	}
	if speaks(loader.Node) {
		return true
	}
	data := loader.Arg("dataset")
	if name, ok := loader.ArgumentNode("dataset", 0).(*pysrc.Name); ok { // data = Subset(data, range(rank, n, world_size))
		for _, v := range p.assignments(name.ID, fn) {
			if speaks(v) {
				return true
			}
		}
	}
	return data.Kind == project.Instance && data.Made != nil && speaks(data.Made.Node)
}
