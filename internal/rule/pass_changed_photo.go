package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// photoChanges are functions that change a whole image on a CPU core in about a millisecond, by what they do to it.
var photoChanges = map[string]string{
	"cv2.warpAffine": "warps", "cv2.warpPerspective": "warps", "cv2.remap": "warps", "cv2.GaussianBlur": "blurs", "cv2.medianBlur": "blurs",
	"cv2.bilateralFilter": "blurs", "cv2.blur": "blurs", "cv2.filter2D": "blurs",
	"PIL.ImageOps.autocontrast": "recolors", "PIL.ImageOps.equalize": "recolors",
	"imutils.rotate": "rotates", "torchvision.transforms.functional.resize": "resizes",
	"torchvision.transforms.functional.rotate": "rotates", "torchvision.transforms.functional.affine": "warps",
	"torchvision.transforms.functional.perspective": "warps", "torchvision.transforms.functional.elastic_transform": "warps",
	"torchvision.transforms.functional.gaussian_blur": "blurs", "torchvision.transforms.functional.adjust_brightness": "recolors",
	"torchvision.transforms.functional.adjust_contrast": "recolors", "torchvision.transforms.functional.adjust_saturation": "recolors",
	"torchvision.transforms.functional.adjust_hue": "recolors", "torchvision.transforms.functional.adjust_gamma": "recolors",
}

// photoMethods are methods of Pillow's images that change a whole image, by what they do to it.
var photoMethods = map[string]string{"rotate": "rotates", "resize": "resizes", "transform": "warps", "filter": "filters", "enhance": "recolors"}

// photosChanged reports samples whose images the CPU warps, blurs or recolors with OpenCV or Pillow, drawn anew each time. It costs
// milliseconds, which workers hide. One finding for a dataset or transform.
func (p *SourcePass) photosChanged() {
	said := map[*project.Function]*Report{}
	for _, change := range p.photoCalls() {
		path, ok := p.EverySample(change.Call)
		if !ok || path.Kind != project.DataSet && path.Kind != project.Transform || !p.drawnInto(path, change.Call) || p.neverDrawn(change) {
			continue
		}
		if r := said[path.Root]; r != nil {
			r.Too(p.At(change, "and here"))
			continue
		}
		said[path.Root] = p.Report(change, likely*path.Sure).Because(path).Small(hiddenByWorkers).
			Saying("%s %s each image on the CPU, after a random change", p.Short(change.Callee()), change.does).
			Advising("Let the workers only decode and crop, and change whole batches on the GPU with torchvision.transforms.v2 or kornia.")
	}
}

// photoCall is a call that changes an image, and what it does to it.
type photoCall struct {
	Call
	does string
}

// photoCalls are the calls of this module that change a whole image, in order.
func (p *SourcePass) photoCalls() (list []photoCall) {
	for _, s := range p.Module.Sites {
		if does := photoChanges[s.Calls.Name]; does != "" {
			list = append(list, photoCall{Call{s, p}, does})
		} else if does := photoMethods[s.Method()]; does != "" && s.Calls.Func == nil && p.ofPillow(s) {
			list = append(list, photoCall{Call{s, p}, does})
		}
	}
	return list
}

// ofPillow reports a method of one of Pillow's images, by the object or by what it is given: Image.BILINEAR, ImageFilter.GaussianBlur().
func (p *SourcePass) ofPillow(s *project.Site) bool {
	method, ok := s.Node.Func.(*pysrc.Attribute)
	return ok && (p.anyNamed(method.Value, func(name string) bool { return strings.HasPrefix(name, "PIL.") }) ||
		slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool {
			return p.anyNamed(e, func(name string) bool {
				return strings.HasPrefix(name, "PIL.ImageFilter.") || strings.HasPrefix(name, "PIL.Image.") && strings.ToUpper(project.LastOf(name)) == project.LastOf(name)
			})
		}))
}

// anyNamed reports an expression that stands for something of a library with such a name, perhaps among others.
func (p *SourcePass) anyNamed(e pysrc.Expr, is func(name string) bool) bool {
	v := p.Eval(e)
	return is(v.Name) || slices.ContainsFunc(v.Either, func(one Value) bool { return is(one.Name) })
}

// neverDrawn reports what stands behind a draw that never succeeds: if random.random() < self.p, which is made with p=0.
func (p *SourcePass) neverDrawn(n Node) (never bool) {
	p.Module.Around(n.Bounds().Start, func(owner pysrc.Node) bool {
		if s, ok := owner.(*pysrc.If); ok {
			test, _ := s.Test.(*pysrc.Compare)
			if test != nil && len(test.Ops) == 1 && len(test.Comparators) == 1 && test.Ops[0] == pysrc.Lt && s.Test.Bounds().Start < n.Bounds().Start {
				chance, known := p.Eval(test.Comparators[0]).Float()
				call, drawn := test.Left.(*pysrc.Call)
				never = never || known && chance == 0 && drawn && strings.Contains(p.NameOf(call.Func), "random")
			}
		}
		return true
	})
	return never
}
