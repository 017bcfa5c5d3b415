package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// slowTransforms are transforms of torchvision and albumentations that take a millisecond and more for a photo on a CPU core.
var slowTransforms = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{"ColorJitter", "GaussianBlur", "ElasticTransform", "RandomPerspective", "RandAugment", "AutoAugment", "AugMix", "TrivialAugmentWide"} {
		set["torchvision.transforms."+name] = true
		set["torchvision.transforms.v2."+name] = true
	}
	for _, name := range []string{
		"ElasticTransform", "GridDistortion", "OpticalDistortion", "ThinPlateSpline", "PiecewiseAffine", "Perspective", "Affine", "ShiftScaleRotate", "Rotate",
		"SafeRotate", "CLAHE", "ColorJitter", "HueSaturationValue", "GaussianBlur", "MotionBlur", "MedianBlur", "Blur", "GlassBlur", "Defocus", "ZoomBlur",
		"GaussNoise", "ISONoise", "RandomFog", "RandomRain", "RandomSnow", "RandomShadow", "RandomSunFlare", "Superpixels", "FancyPCA",
	} {
		set["albumentations."+name] = true
	}
	return set
}()

// changedByTransforms names transforms of torchvision and albumentations that change the color of each image, blur or bend it on the CPU. One finding
// for a module.
func (p *SourcePass) changedByTransforms() {
	if p.GPU() == 0 || !p.trained() {
		return
	}
	said := map[*project.Site]bool{}
	say := func(n Node, all []*project.Site, because ...any) {
		made := all[0]
		in := p.In(made.Module())
		if said[made] || in.EvaluationOnly(made) {
			return
		}
		said[made] = true
		r := p.Report(n, likely*p.GPU()).Because(in.At(made.Node, "here"))
		for _, other := range all[1:] {
			r.Too(p.In(other.Module()).At(other.Node, "and here"))
		}
		r.Because(because...).Small(hiddenByWorkers).
			Saying("%s changes each image on the CPU", lastName(made.Node.Func)).
			Advising("Let the workers only decode and crop, and change whole batches on the GPU with torchvision.transforms.v2 or kornia.")
	}
	for _, fn := range p.Module.Functions {
		for _, s := range fn.Sites {
			if made := p.transformsAmong(s.Possible(), slowTransforms); made != nil {
				if path, ok := p.EverySample(s); ok && !p.onlyWhereAsked(path) {
					say(s, made, path)
				}
			}
		}
	}
	for _, loader := range p.TrainingLoaders() {
		data := loader.Arg("dataset")
		for _, v := range append([]Value{data}, data.Either...) {
			if v.Made == nil || !v.IsInstance("torchvision.datasets.VisionDataset") && !strings.HasPrefix(v.Name, "torchvision.datasets.") &&
				(v.Class == nil || !strings.HasPrefix(v.Class.LibraryBase(), "torchvision.datasets.")) {
				continue
			}
			transform := (Call{v.Made, p.In(v.Made.Module())}).Arg("transform")
			if made := p.transformsAmong(append([]Value{transform}, transform.Either...), slowTransforms); made != nil {
				say(loader, made)
			}
		}
	}
}

// transformAmong is where the first of these transforms is made, alone or in a composition; nil where none is among the values.
func (p *SourcePass) transformAmong(transforms []Value, names map[string]bool) *project.Site {
	if all := p.transformsAmong(transforms, names); len(all) > 0 {
		return all[0]
	}
	return nil
}

// transformsAmong is where these transforms are made that are among the values, alone or in one composition.
func (p *SourcePass) transformsAmong(transforms []Value, names map[string]bool) (made []*project.Site) {
	for _, t := range transforms {
		if t.Kind != project.Instance || !strings.HasPrefix(t.Name, "torchvision.transforms.") && !strings.HasPrefix(t.Name, "albumentations.") {
			continue
		}
		for _, part := range append(p.eval.Parts(t), t) {
			if part.Made != nil && names[strings.TrimSuffix(part.Name, "()")] {
				made = append(made, part.Made)
			}
		}
		if made != nil {
			return made
		}
	}
	return nil
}

// onlyWhereAsked reports a way that starts at a transform which is made behind a test: if config.jitter: chain.append(Jitter()).
func (p *SourcePass) onlyWhereAsked(path project.Path) bool {
	if path.Root == nil || path.Root.Class == nil || path.Root.Class.Method("__init__") == nil {
		return false
	}
	makers := p.Project.Callers(path.Root.Class.Method("__init__"))
	return path.Kind == project.Transform && len(makers) > 0 && !slices.ContainsFunc(makers, func(s *project.Site) bool { return !p.In(s.Module()).underTest(s) })
}
