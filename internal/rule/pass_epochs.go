package rule

import (
	"slices"

	"saturate/internal/project"
)

// longEpoch is from how many steps on an epoch takes so long that what happens once between two of them costs nothing.
const longEpoch = 2000

// imagesOf are the training images of torchvision's large data sets. A folder of images is taken for one of ImageNet's
// size: it may be smaller, and nobody can tell.
var imagesOf = map[string]float64{
	"torchvision.datasets.ImageFolder":   1.28e6,
	"torchvision.datasets.DatasetFolder": 1.28e6,
	"torchvision.datasets.ImageNet":      1.28e6,
	"torchvision.datasets.Places365":     1.8e6,
	"torchvision.datasets.LSUN":          3e6,
}

// hasLongEpochs reports a loader of a large data set, whose epochs take thousands of steps each.
func (p *SourcePass) hasLongEpochs(loader Call) bool {
	batch, known := loader.Arg("batch_size").Float()
	data := loader.Arg("dataset")
	all := append([]Value{data}, data.Either...)
	if data.Kind == project.Unknown && len(data.Either) > 0 {
		all = data.Either
	}
	return known && batch > 0 && !slices.ContainsFunc(all, func(v Value) bool { return imagesOf[v.Name]/batch < longEpoch })
}
