package rule

import (
	"fmt"
	"math"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// changeCosts are transforms of torchvision and albumentations that change the color of an image, blur or bend it, and the CPU time in
// milliseconds for a photo of 224 pixels on one core: peers/scan/results/costs-cpu-augment.json. One that was not measured counts nothing.
var changeCosts = func() map[string]float64 {
	costs := map[string]float64{}
	for name, ms := range map[string]float64{
		"ColorJitter": jitterCost, "GaussianBlur": 1.8, "ElasticTransform": 75, "RandomPerspective": 1.5, "RandAugment": 0.7, "AutoAugment": 0.5,
		"AugMix": 8, "TrivialAugmentWide": 0.5,
	} {
		costs["torchvision.transforms."+name] = ms
		costs["torchvision.transforms.v2."+name] = ms
	}
	for name, ms := range map[string]float64{
		"ElasticTransform": 11, "GridDistortion": 0.7, "OpticalDistortion": 0.7, "ThinPlateSpline": 0, "PiecewiseAffine": 0, "Perspective": 0.5, "Affine": 0.1,
		"ShiftScaleRotate": 0, "Rotate": 0.5, "SafeRotate": 0, "CLAHE": 0.9, "ColorJitter": 0.5, "HueSaturationValue": 0.3, "GaussianBlur": 0.2,
		"MotionBlur": 0.3, "MedianBlur": 0, "Blur": 0, "GlassBlur": 0, "Defocus": 0, "ZoomBlur": 0, "GaussNoise": 0.8, "ISONoise": 2.4,
		"RandomFog": 0, "RandomRain": 0, "RandomSnow": 0, "RandomShadow": 0, "RandomSunFlare": 0, "Superpixels": 0, "FancyPCA": 0,
	} {
		costs["albumentations."+name] = ms
	}
	return costs
}()

// The CPU time in milliseconds for what else makes a sample of 224 pixels, measured with changeCosts.
const (
	jitterCost = 0.75 // of brightness, contrast and saturation
	hueCost    = 2.25 // more, with hue
	decodeCost = 1.3  // a JPEG of 500 × 375
	cropCost   = 1.5  // RandomResizedCrop, flip, ToTensor, Normalize
	blurCost   = 0.017
)

// enoughImages is how many images a second keep a fast GPU busy: an H200 trained ResNet-50 in bfloat16 with 3000 of them
// (peers/scan/results/costs-h200.json), and older GPUs and larger networks take a third of that.
const enoughImages = 1000

// usualWorkers is taken for a number of workers that is not known: most machines have as many cores for each GPU.
const usualWorkers = 8

// costlyChange is transforms that a sample runs, and what they cost: why it is little, or figures for the message.
type costlyChange struct {
	made            []*project.Site
	little, figures string
}

// weigh compares what a sample costs with these transforms, and what the workers of its loader give in a second.
func (p *SourcePass) weigh(t Value, made []*project.Site, views int, loader *Call) costlyChange {
	of := costlyChange{made: made, little: hiddenByWorkers}
	scale := p.imageScale(t)
	changing := p.changingCost(t, made) * scale
	sample := decodeCost + float64(views)*(cropCost*scale+changing)
	workers, give := int64(usualWorkers), "would give"
	if loader == nil {
		if all := p.loadersNear(); len(all) == 1 {
			loader = &all[0]
		}
	}
	if loader != nil {
		if n, known := most(loader.Arg("num_workers")); known {
			workers, give = max(n, 1), "give"
		}
		if data := loader.Arg("dataset"); p.heavyImages(data) == 0 && data.Class == nil {
			return of // small images that lie in memory
		}
	}
	given := float64(workers*int64(views)) * 1000 / sample
	if changing*float64(views) < decodeCost+cropCost || given >= enoughImages {
		return of // decoding takes longer, or the workers keep up
	}
	of.little = p.besideSlowStep()
	of.figures = fmt.Sprintf(": a sample takes about %.0f ms of a core, and %d workers %s %.0f images in a second", sample, workers, give, math.Round(given/10)*10)
	return of
}

// changingCost is the CPU time in milliseconds that these parts of a transform take for an image of 224 pixels, by the chance with which they run.
func (p *SourcePass) changingCost(t Value, made []*project.Site) (ms float64) {
	chance := map[*project.Site]float64{}
	for _, part := range p.eval.Parts(t) {
		if part.Made == nil || !strings.HasSuffix(strings.TrimSuffix(part.Name, "()"), ".RandomApply") {
			continue
		}
		share := 0.5
		if n, known := (Call{part.Made, p.In(part.Made.Module())}).Arg("p").Float(); known {
			share = n
		}
		for _, inner := range p.eval.Parts(part) {
			if inner.Made != nil {
				chance[inner.Made] = share
			}
		}
	}
	for _, s := range made {
		cost := p.changeCost(Call{s, p.In(s.Module())})
		if share, known := chance[s]; known {
			cost *= share
		}
		ms += cost
	}
	return ms
}

// changeCost is what one of changeCosts takes, by its arguments: hue, and the width of a blur.
func (p *SourcePass) changeCost(c Call) float64 {
	cost := changeCosts[c.Name()]
	if !strings.HasPrefix(c.Name(), "torchvision.") {
		return cost
	}
	switch project.LastOf(c.Name()) {
	case "ColorJitter":
		hue := c.Arg("hue")
		if hue.Missing() && len(c.Node.Args) > 3 {
			hue = c.ArgAt(3)
		}
		if n, known := hue.Float(); !hue.Missing() && (!known || n != 0) {
			cost += hueCost
		}
	case "GaussianBlur":
		if width, known := c.ArgAt(0).Int(); known {
			cost += blurCost * float64(width*width)
		}
	}
	return cost
}

// imageScale is how many pixels the images of a transform have, by what it crops or resizes them to, as a share of 224 by 224.
func (p *SourcePass) imageScale(t Value) float64 {
	scale := 1.0
	for _, part := range p.eval.Parts(t) {
		switch project.LastOf(strings.TrimSuffix(part.Name, "()")) {
		case "RandomResizedCrop", "RandomCrop", "CenterCrop", "Resize":
			if part.Made == nil {
				continue
			}
			size := p.eval.ArgumentAt(part.Made, 0)
			if sides, ok := size.Expr.(*pysrc.Tuple); ok && size.Kind == project.Display && len(sides.Elts) > 0 {
				size = p.EvalIn(size, sides.Elts[0])
			}
			if side, known := size.Float(); known && side > 0 {
				scale = side * side / (224 * 224)
			}
		}
	}
	return scale
}

// viewsIn is how often the function of a call runs the same transform for one sample, for certain: two views of an image are two.
func (p *SourcePass) viewsIn(s *project.Site) int {
	views, text := 0, p.Text(s.Node.Func)
	for _, other := range s.Func.Sites {
		if p.Text(other.Node.Func) != text || p.underTest(other) {
			continue
		}
		views++
		if p.InLoop(other) {
			views++
		}
	}
	return max(views, 1)
}

// loadersNear are the training loaders of this module and of those beside it.
func (p *SourcePass) loadersNear() (list []Call) {
	for _, m := range p.Near() {
		list = append(list, p.In(m).TrainingLoaders()...)
	}
	return list
}
