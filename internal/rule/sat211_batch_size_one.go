package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// batchSizeOne finds training that sees one sample per step.
var batchSizeOne = Rule{
	Code: "SAT211", Name: "batch-size-one", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea, HostArea}, Regroups: true,
	Title: "the batch size is 1",
	What: "A training DataLoader that feeds a GPU with a batch size of 1 (the default), without a batch sampler or a " +
		"dataset that returns batches. Also per_device_train_batch_size=1 in transformers, batches of 2 to 16, of up to 32 texts, 128 images of at most " +
		"64 pixels a side, 128 sequences for recurrent networks, and 256 rows; of 2 to 4 for pretrained text models of less than 150 million parameters; batches that a loop cuts out of a list; and a " +
		"loop in training that calls the model on one sample after the other: model(data[i].unsqueeze(0)), model(x[i:i+1]).",
	Why: "A step with one sample reads all weights for little arithmetic. A larger batch reads them once for all " +
		"samples. On an H200, ResNet-50 took 5, 2.1 and 1.3 times as many images a second in batches of 256 as of 8, 16 and 32, " +
		"BERT-base in bfloat16 3.3 times as many texts of 128 words as in batches of 32, a small network five times as many images of 32 pixels as in batches of 128.",
	Fine:   "Samples that fill the GPU memory. Batches made elsewhere. Methods that need it, such as style transfer.",
	Advice: "`saturate batch` finds the largest batch that fits and the smallest that is as fast. Adjust the learning rate.",
	Gain:   Range{1, 20, "7.8 to 225 samples/s from a batch of 1 to 32 with T5-base on an A100 (huggingface/transformers#15026)"},
	Bad:    "DataLoader(data)",
	Good:   "DataLoader(data, batch_size=16)",
	Source: func(p *SourcePass) {
		for _, loader := range p.TrainingLoaders() {
			size, gpu := loader.Arg("batch_size"), p.FeedsGPU(loader)
			if sampler := loader.Arg("batch_sampler"); gpu > 0 && sampler.Kind == project.Instance && sampler.Made != nil && sampler.Class != nil {
				if size := p.eval.Argument(sampler.Made, "batch_size"); size.Equals(1) || size.Equals(2) {
					n, _ := size.Int()
					p.Report(loader.Callee(), likely*size.Confidence()*gpu).Because(size).Saying("the batch size is %d", n)
				}
				continue
			}
			if gpu == 0 || !size.Missing() && !size.Equals(1) || p.byAPI(size) || p.batchesElsewhere(loader) ||
				size.Missing() && !p.givesSamples(loader) || hides(loader, "batch_size") || p.keepsImageSizes(loader) {
				continue
			}
			chosen := ""
			switch {
			case p.adversaries():
				chosen = chosenFew
			case p.branches():
				continue
			}
			p.Report(loader.Callee(), likely*size.Confidence()*gpu).Because(size).beingLittle(chosen)
		}
		p.smallBatches()
		p.slicedBatches()
		p.singleSteps()
		for _, args := range p.TrainingArguments() {
			size, gather := args.Arg("per_device_train_batch_size"), args.Arg("gradient_accumulation_steps")
			if p.GPU() == 0 || !size.Equals(1) || !gather.Missing() && !gather.Equals(1) || p.sharded() ||
				args.Arg("parallelism_config").Given() {
				continue
			}
			p.Report(args.Callee(), likely*size.Confidence()*p.GPU()).Because(size)
		}
		p.smallForSmallModels()
		if !p.sharded() {
			p.fewPerDevice("per_device_train_batch_size", "the batch size is %d", p.saidOfSmall)
		}
	},
}

// batchesElsewhere reports whether the batches of a loader are made by something
// else: a batch sampler, a collate function that takes the only sample out, a
// dataset that is a stream or named after batches.
func (p *SourcePass) batchesElsewhere(loader Call) bool {
	sampler := loader.Arg("sampler")
	if loader.Arg("batch_sampler").Given() && !loader.Arg("batch_sampler").IsNone() || p.isStream(loader) {
		return true
	}
	for _, one := range append([]Value{sampler}, sampler.Either...) {
		if one.IsInstance("torch.utils.data.BatchSampler") || one.Unknown() && len(one.Either) == 0 || one.Class != nil && samplesBatches(one.Class) {
			return true
		}
	}
	if collate := loader.Arg("collate_fn"); collate.Given() && !collate.IsNone() {
		return true // it may well make a batch of what one sample holds
	}
	data := loader.Arg("dataset")
	if first := loader.ArgumentNode("dataset", 0); data.Class == nil && first != nil {
		data = p.Eval(first) // of a class whose __init__ hands everything on
	}
	if data.Class != nil && (project.HasWord(data.Class.Name, batchingWords...) || takesBatchSize(data.Class)) {
		return true
	}
	node := loader.ArgumentNode("dataset", 0)
	return node == nil || project.HasWord(lastName(node), "batch", "batches", "iterable", "stream")
}

// samplesBatches reports a sampler of the project that may give several indices at once: it is told how many, is named after batches,
// or is of no library's base, such as one for a DistributedSampler of single indices.
func samplesBatches(c *project.Class) bool {
	return project.HasWord(c.Name, batchingWords...) || takesBatchSize(c) || !c.Derives("torch.utils.data.Sampler", "torch.utils.data.distributed.DistributedSampler")
}

// takesBatchSize reports a dataset that is told the size of a batch when it is made: it makes them itself.
func takesBatchSize(c *project.Class) bool {
	init := c.Method("__init__")
	return init != nil && init.Params() != nil && slices.ContainsFunc(init.Params().All(), func(a *pysrc.Arg) bool {
		return project.HasWord(a.Name, batchSizeWords...)
	})
}

// givesSamples reports whether the dataset of a loader is known to give single
// samples: a class of the project, or a dataset of the datasets library, in a
// function that is not given a batch size for something else.
func (p *SourcePass) givesSamples(loader Call) bool {
	data := loader.Arg("dataset")
	if params := p.Function(loader).Params(); params != nil {
		for _, a := range params.All() {
			if project.HasWord(a.Name, batchSizeWords...) {
				return false // the function has a batch size, and uses it elsewhere
			}
		}
	}
	return data.Kind == project.Instance && (data.Class != nil ||
		strings.HasPrefix(data.Name, "datasets.")) && !p.inMemory(loader)
}
