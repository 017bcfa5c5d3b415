package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// smallCopy is up to how many bytes the copy of a batch to the GPU takes no time that counts, from any memory.
const smallCopy = 1 << 20

// sampleBytes is how many bytes a sample of a dataset of torchvision has as float32.
var sampleBytes = map[string]int64{
	"torchvision.datasets.MNIST": 28 * 28 * 4, "torchvision.datasets.FashionMNIST": 28 * 28 * 4, "torchvision.datasets.KMNIST": 28 * 28 * 4,
	"torchvision.datasets.EMNIST": 28 * 28 * 4, "torchvision.datasets.QMNIST": 28 * 28 * 4, "torchvision.datasets.USPS": 16 * 16 * 4,
}

// cheapCopy says why it costs little to copy the batches of a loader from pageable memory, or nothing. The size of a batch is no
// reason: with workers, pinning also takes the batch from them ahead of time.
func (p *SourcePass) cheapCopy(loader Call) string {
	if sure, _ := p.loadsAlone(loader); sure == 0 && noWorkers(loader.Arg("num_workers")) && !hides(loader, "num_workers") {
		return "without workers, the training process itself would copy each batch to pinned memory"
	}
	return p.besideSlowStep()
}

// keepsRows reports a loader whose dataset reads no file for a sample, and no images or sound when it is made: its samples are
// texts, points or rows of a table.
func (p *SourcePass) keepsRows(loader Call) bool {
	get := getterOf(loader)
	return get != nil && p.keepsRowsBy(get, 0)
}

// keepsRowsBy is keepsRows for the method that gives a sample. A dataset that changes the samples of another one has rows if that has.
func (p *SourcePass) keepsRowsBy(get *project.Function, depth int) bool {
	if get.Class.LibraryBase() != "" && get.Class.LibraryBase() != "torch.utils.data.Dataset" {
		return false
	}
	large := func(fn *project.Function, is func(*project.Site) bool) bool {
		if fn == nil {
			return false
		}
		_, found := p.In(fn.Module).Reaches(fn, is, 3)
		return found
	}
	return !large(get, makesMore) && !large(get.Class.Method("__init__"), readsMedia) &&
		!slices.ContainsFunc(p.gettersBelow(get), func(of *project.Function) bool { return depth > mostWrapped || !p.keepsRowsBy(of, depth+1) })
}

// makesMore reports a call that may make more of a row than its numbers: of any library but those that arrange numbers and texts.
func makesMore(s *project.Site) bool {
	if s.Calls.Func != nil || s.Calls.Class != nil || !strings.Contains(s.Calls.Name, ".") {
		return false
	}
	library, name, _ := strings.Cut(s.Calls.Name, ".")
	switch library {
	case "torch":
		return strings.HasPrefix(name, "fft.") || name == "stft" || name == "load" || name == "hub.load"
	case "numpy":
		return strings.HasPrefix(name, "fft.") || strings.HasPrefix(name, "load") || name == "fromfile" || name == "memmap" || name == "genfromtxt"
	}
	return !arranges[library]
}

// arranges are libraries that arrange numbers and texts.
var arranges = setOfNames("random", "math", "copy", "itertools", "json", "re", "string", "collections", "functools", "transformers", "tokenizers",
	"sentencepiece", "pandas", "typing", "logging")

// readsMedia reports a call that reads images, sound or films.
func readsMedia(s *project.Site) bool {
	return slices.Contains(imageDecoders, s.Calls.Name) || slices.Contains(decoders, s.Calls.Name) || slices.Contains(videoDecoders, s.Calls.Name)
}

// givesSmallBatches reports a loader whose batches are known to be so small that how they are copied does not matter.
func (p *SourcePass) givesSmallBatches(loader Call) bool {
	size, known := loader.Arg("batch_size").Int()
	if !known {
		return false
	}
	data := loader.Arg("dataset")
	for _, v := range append([]Value{data}, data.Either...) {
		if v.Kind == project.Unknown {
			continue
		}
		if v.Kind != project.Instance || v.Made == nil || p.grows(v.Made) {
			return false
		}
		if bytes := sampleBytes[v.Made.Calls.Name]; bytes == 0 || bytes*size > smallCopy {
			return false
		}
	}
	return data.Kind == project.Instance || len(data.Either) > 0
}

// grows reports a dataset whose transform resizes its images.
func (p *SourcePass) grows(made *project.Site) bool {
	return p.In(made.Module()).smallerBy((Call{made, p.In(made.Module())}).Arg("transform"), true, 0) != nil
}

// copiesRows reports a module all of whose training loaders give rows that their datasets keep.
func (p *SourcePass) copiesRows() bool {
	return p.allLoaders(func(loader Call) bool { return p.keepsRows(loader) || p.givesNumbers(loader) })
}

// copiesSmallBatches reports a module all of whose training loaders give such batches.
func (p *SourcePass) copiesSmallBatches() bool {
	return p.allLoaders(p.givesSmallBatches)
}

// allLoaders reports a module that has training loaders, all of which are such ones.
func (p *SourcePass) allLoaders(are func(Call) bool) bool {
	loaders := p.TrainingLoaders()
	return len(loaders) > 0 && !slices.ContainsFunc(loaders, func(loader Call) bool { return !are(loader) })
}

// keepsImageSizes reports a loader whose dataset decodes images and leaves them as large as they are: images of different
// sizes cannot share a batch.
func (p *SourcePass) keepsImageSizes(loader Call) bool {
	get := getterOf(loader)
	if get == nil {
		return false
	}
	in := p.In(get.Module)
	_, decodes := in.Reaches(get, func(s *project.Site) bool { return slices.Contains(imageDecoders, s.Calls.Name) }, 3)
	return decodes && in.smallerIn(get, true, 0) == nil
}
