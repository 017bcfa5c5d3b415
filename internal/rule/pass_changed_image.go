package rule

import (
	"maps"
	"slices"
	"strings"

	"saturate/internal/project"
)

// imageChanges are changes of a whole image or volume that take milliseconds on a CPU core, by what they do to it: scikit-image
// computes in float64, and SciPy blurs and warps point by point.
var imageChanges = map[string]string{
	"skimage.transform.rotate": "rotates", "skimage.transform.rescale": "resizes", "skimage.transform.resize": "resizes",
	"skimage.transform.warp": "warps", "skimage.transform.swirl": "warps", "skimage.transform.PiecewiseAffineTransform.estimate": "deforms",
	"skimage.util.random_noise": "adds noise to", "skimage.filters.gaussian": "blurs", "skimage.exposure.equalize_adapthist": "equalizes",
	"skimage.transform.pyramid_gaussian": "blurs and shrinks", "skimage.color.rgb2lab": converts, "skimage.color.lab2rgb": converts,
	"skimage.color.rgb2hsv": converts, "skimage.color.hsv2rgb": converts, "skimage.color.rgb2hed": converts, "skimage.color.rgb2luv": converts,
	"skimage.color.rgb2xyz": converts,
	"scipy.ndimage.rotate":  "rotates", "scipy.ndimage.shift": "shifts", "scipy.ndimage.geometric_transform": "warps",
	"scipy.ndimage.gaussian_filter": "blurs", "elasticdeform.deform_random_grid": "deforms", "elasticdeform.deform_grid": "deforms",
}

// converts is what scikit-image does to colors: 6 ms for a conversion of 224 pixels to Lab and 15 ms to HSV and back on one core, where
// OpenCV takes 0.3 and 0.2 (peers/scan/results/costs-cpu-augment.json).
const converts = "converts the colors of"

var imageChangers = slices.Sorted(maps.Keys(imageChanges))

// imagesChanged reports images that every sample changes on the CPU in a costly way, drawn anew each time. One finding for a function.
func (p *SourcePass) imagesChanged() {
	said := map[*project.Function]*Report{}
	for _, call := range p.CallsTo(imageChangers...) {
		if r := said[call.Func]; r != nil {
			r.Too(p.At(call, "and here"))
			continue
		}
		path, ok := p.EverySample(call)
		name := call.Calls.Name
		does := imageChanges[name]
		random := ok && p.RandomInto(path, call)
		if !ok || path.Kind != project.DataSet && path.Kind != project.Transform || !random && does != converts {
			continue
		}
		when := ""
		if random {
			when = ", after a random change"
		}
		library, _, _ := strings.Cut(name, ".")
		said[call.Func] = p.Report(call, likely*path.Sure).Because(path).
			Saying("%s %s each sample on the CPU%s", p.Short(call.Callee()), does, when).
			Advising("Change whole batches on the GPU (torchvision.transforms.v2, kornia, grid_sample), or use OpenCV, which takes a fraction of the time that %s takes.", library)
	}
}
