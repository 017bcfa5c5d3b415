package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// longEpoch is the number of steps from which work done once between two epochs costs next to nothing.
const longEpoch = 2000

// imagesOf are the training images of torchvision's large datasets. A folder of images is taken for one of ImageNet's
// size: it may be smaller, and nobody can tell.
var imagesOf = map[string]float64{
	"torchvision.datasets.ImageFolder":   1.28e6,
	"torchvision.datasets.DatasetFolder": 1.28e6,
	"torchvision.datasets.ImageNet":      1.28e6,
	"torchvision.datasets.Places365":     1.8e6,
	"torchvision.datasets.LSUN":          3e6,
	"torchvision.datasets.CocoDetection": 1.18e5,
	"torchvision.datasets.CocoCaptions":  1.18e5,
}

// usualBatch is taken for the size of a batch that is not known.
const usualBatch = 32

// hasLongEpochs reports a loader of a large dataset, whose epochs take thousands of steps each.
func (p *SourcePass) hasLongEpochs(loader Call) bool {
	batch, known := p.batchSize(loader).Float()
	if !known || batch <= 0 {
		batch = usualBatch
	}
	data := loader.Arg("dataset")
	all := append([]Value{data}, data.Either...)
	if data.Kind == project.Unknown && len(data.Either) > 0 {
		all = data.Either
	}
	return !slices.ContainsFunc(all, func(v Value) bool { return imagesIn(v)/batch < longEpoch })
}

// imagesIn is how many images a dataset of torchvision has, or a class of the project derived from one.
func imagesIn(v Value) float64 {
	for name, count := range imagesOf {
		if v.IsInstance(name) {
			return count
		}
	}
	return 0
}

// besideTraining are the calls of this module that run in training loops and in the loops around them: those of the
// epochs, in the same function, or in one that calls what trains.
func (p *SourcePass) besideTraining() (list []*project.Site) {
	var known []pysrc.Stmt
	add := func(fn *project.Function, around pysrc.Stmt) {
		if slices.Contains(known, around) {
			return
		}
		known = append(known, around)
		for _, s := range p.Module.Sites {
			if around.Bounds().Contains(int(s.Node.Start)) && (s.Func == fn || s.Func.Lambda != nil) &&
				(s.Calls.Func == nil || !p.Project.Leads(s.Calls.Func)) { // and not what trains
				list = append(list, s)
			}
		}
	}
	for _, loop := range p.TrainingLoops() {
		around := pysrc.Stmt(loop.Stmt)
		if loop.Epoch != nil {
			around = loop.Epoch
		}
		add(loop.Func, around)
	}
	for _, s := range p.Module.Sites {
		fn := s.Calls.Func
		if fn == nil || s.Calls.Kind != project.Callable || !p.Project.Leads(fn) {
			continue
		}
		if loop := p.LoopAround(s); loop != nil && !p.isTrainingLoop(loop) {
			add(s.Func, loop)
		}
	}
	return list
}
