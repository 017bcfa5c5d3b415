package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

const (
	// fewWorkers start within milliseconds, by a fork.
	fewWorkers = 2
	// fewEpochs is up to how often workers that start anew cost seconds in all.
	fewEpochs = 10
)

// cheapRestart says why it costs little to start the workers of a loader in every epoch, or nothing.
func (p *SourcePass) cheapRestart(loader Call, workers Value) string {
	if p.hasLongEpochs(loader) {
		return "an epoch takes thousands of steps"
	}
	epochs := p.epochs()
	if epochs > 0 && epochs <= fewEpochs {
		return "there are few epochs"
	}
	if p.hasShortEpochs(loader) {
		return ""
	}
	if count, known := workers.Int(); known && count <= fewWorkers {
		return "one or two workers start quickly"
	}
	if p.AtLeast("torch", "1.7") == project.No {
		return "an upgrade for this alone does not pay"
	}
	return "a fork starts eight workers within a tenth of a second, and no epoch is known to be short"
}

// smallImages are the datasets of torchvision whose epochs take seconds on a GPU.
var smallImages = setOfNames(
	"torchvision.datasets.MNIST", "torchvision.datasets.FashionMNIST", "torchvision.datasets.KMNIST", "torchvision.datasets.USPS",
	"torchvision.datasets.CIFAR10", "torchvision.datasets.CIFAR100", "torchvision.datasets.SVHN", "torchvision.datasets.STL10",
)

// hasShortEpochs reports a loader of a small dataset of torchvision.
func (p *SourcePass) hasShortEpochs(loader Call) bool {
	data := loader.Arg("dataset")
	return slices.ContainsFunc(append([]Value{data}, data.Either...), func(v Value) bool {
		return smallImages[strings.TrimSuffix(v.Name, "()")]
	})
}

// epochs is how many epochs the programs near this module train at most, or 0 where that is not known.
func (p *SourcePass) epochs() int64 {
	most := int64(0)
	for _, m := range p.Near() {
		in := p.In(m)
		for _, loop := range in.loopsOverEpochs() {
			turns := in.turnsOf(loop)
			if turns == 0 {
				return 0
			}
			most = max(most, turns)
		}
		for _, trainer := range in.Constructions("lightning.pytorch.Trainer") {
			turns, known := trainer.Arg("max_epochs").Int()
			if !known || turns <= 0 {
				return 0
			}
			most = max(most, turns)
		}
	}
	return most
}

// loopsOverEpochs are the loops of this module around training loops, and around calls of functions that train.
func (p *SourcePass) loopsOverEpochs() (list []pysrc.Stmt) {
	for _, loop := range p.TrainingLoops() {
		if loop.Epoch != nil {
			list = append(list, loop.Epoch)
		}
	}
	for _, s := range p.Module.Sites {
		if fn := s.Calls.Func; fn != nil && p.Project.Leads(fn) {
			if loop := p.LoopAround(s); loop != nil {
				list = append(list, loop)
			}
		}
	}
	return list
}
