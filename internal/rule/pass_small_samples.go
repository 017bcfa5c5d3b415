package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// The largest batches that may leave half of a data-center GPU idle, by what they hold: peers/scan/costs_batches.py.
const (
	fewLarge  = 16  // of anything: photos, windows of sound
	fewTexts  = 32  // of texts
	fewSmall  = 128 // of images of at most smallSide pixels a side
	fewPoints = 256 // of rows of a table, or points

	smallSide = 64
)

// smallSamples reports a loader whose samples are images of few pixels.
func (p *SourcePass) smallSamples(loader Call) bool {
	data := loader.Arg("dataset")
	return slices.ContainsFunc(append([]Value{data}, data.Either...), func(v Value) bool {
		side := p.imageSide(v)
		return side > 0 && side <= smallSide
	})
}

// imageSide is how many pixels the images of a dataset are wide and high: as its transform leaves them or, where that leaves
// them as they are, as torchvision ships them; 0 where that is not known.
func (p *SourcePass) imageSide(data Value) int64 {
	if data.Made == nil {
		return 0
	}
	call := Call{data.Made, p.In(data.Made.Module())}
	transform := call.Arg("transform")
	if transform.Missing() && len(data.Made.Node.Args) > 1 && strings.HasSuffix(data.Made.Calls.Name, ".ImageFolder") {
		transform = call.ArgAt(1)
	}
	if side := p.sideAfter(transform, 0); side > 0 {
		return side
	}
	name := data.Made.Calls.Name
	if data.Class != nil {
		name = data.Class.LibraryBase()
	}
	if p.grows(data.Made) {
		return 0
	}
	return shippedSides[strings.TrimPrefix(name, "torchvision.datasets.")]
}

// shippedSides are the sides of the images of torchvision's small datasets.
var shippedSides = map[string]int64{
	"MNIST": 28, "FashionMNIST": 28, "KMNIST": 28, "EMNIST": 28, "QMNIST": 28, "USPS": 16, "CIFAR10": 32, "CIFAR100": 32, "SVHN": 32,
}

// sideAfter is the side to which a transform brings images last; 0 where it does not, or that is not known.
func (p *SourcePass) sideAfter(v Value, depth int) int64 {
	if depth > 4 {
		return 0
	}
	for _, w := range v.Either {
		if side := p.sideAfter(w, depth+1); side > 0 {
			return side
		}
	}
	switch made := v.Made; {
	case made != nil && sizesImages(made):
		side := p.largestSide(made)
		for _, w := range (Call{made, p.In(made.Module())}).ArgAt(0).Either { // of several programs
			n, _ := w.Int()
			side = max(side, n)
		}
		return side
	case made != nil && lastName(made.Node.Func) == "Compose":
		call := Call{made, p.In(made.Module())}
		return p.sideAfter(call.ArgAt(0), depth+1)
	case v.Kind == project.Display && v.Expr != nil:
		side := int64(0)
		pysrc.Children(v.Expr, func(n pysrc.Node) {
			if e, ok := n.(pysrc.Expr); ok {
				if s := p.sideAfter(p.EvalIn(v, e), depth+1); s > 0 {
					side = s
				}
			}
		})
		return side
	}
	return 0
}

// sizesImages reports a transform of torchvision or albumentations that gives images of one size.
func sizesImages(s *project.Site) bool {
	library, _, _ := strings.Cut(s.Calls.Name, ".")
	return slices.Contains([]string{"torchvision", "albumentations"}, library) &&
		slices.Contains([]string{"Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop"}, lastName(s.Node.Func))
}
