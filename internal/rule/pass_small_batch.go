package rule

import (
	"slices"

	"saturate/internal/project"
)

// smallCopy is up to how many bytes the copy of a batch to the GPU takes no time that counts, from any memory.
const smallCopy = 1 << 20

// sampleBytes is how many bytes a sample of a dataset of torchvision has as float32.
var sampleBytes = map[string]int64{
	"torchvision.datasets.MNIST": 28 * 28 * 4, "torchvision.datasets.FashionMNIST": 28 * 28 * 4, "torchvision.datasets.KMNIST": 28 * 28 * 4,
	"torchvision.datasets.EMNIST": 28 * 28 * 4, "torchvision.datasets.QMNIST": 28 * 28 * 4, "torchvision.datasets.USPS": 16 * 16 * 4,
}

// givesSmallBatches reports a loader whose batches are known to be so small that how they are copied does not matter.
func (p *SourcePass) givesSmallBatches(loader Call) bool {
	if p.Project.Tries {
		return false // it is measured
	}
	size, known := loader.Arg("batch_size").Int()
	data := loader.Arg("dataset")
	if data.Kind != project.Instance || data.Made == nil || !known {
		return false
	}
	bytes := sampleBytes[data.Made.Calls.Name]
	return bytes > 0 && bytes*size <= smallCopy
}

// copiesSmallBatches reports a module all of whose training loaders give such batches.
func (p *SourcePass) copiesSmallBatches() bool {
	loaders := p.TrainingLoaders()
	for _, loader := range loaders {
		if !p.givesSmallBatches(loader) {
			return false
		}
	}
	return len(loaders) > 0
}

// keepsImageSizes reports a loader whose dataset decodes images and leaves them as large as they are: images of different
// sizes cannot share a batch.
func (p *SourcePass) keepsImageSizes(loader Call) bool {
	data := loader.Arg("dataset")
	if data.Class == nil {
		return false
	}
	get := data.Class.Method("__getitem__")
	if get == nil || get.Def == nil {
		return false
	}
	in := p.In(get.Module)
	_, decodes := in.Reaches(get, func(s *project.Site) bool { return slices.Contains(imageDecoders, s.Calls.Name) }, 3)
	return decodes && in.smallerIn(get, 0) == nil
}
