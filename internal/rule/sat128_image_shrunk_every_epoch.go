package rule

import (
	"maps"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// imageShrunk finds images that are decoded at full size and made smaller each time they are loaded.
var imageShrunk = Rule{
	Code: "SAT128", Name: "image-shrunk-every-epoch", Severity: Advice, Subject: AboutLoading, Makes: Images,
	Areas: []Area{DataArea, WorkersArea},
	Title: "images are decoded at full size and made smaller in every epoch",
	What: "A dataset opens an image for each sample (PIL, OpenCV, torchvision.io, imageio, ImageFolder) and makes " +
		"it smaller, itself or in its transform.",
	Why: "Decoding time grows with the number of pixels in the file, not with the number used. With Pillow 12, a JPEG " +
		"of 1280×960 took 22 ms to decode and resize to 341×256, and 1 ms once it was stored at that size; one of " +
		"500×375 took 3.6 ms and 0.7 ms.",
	Fine: "Images stored at about the size that is used. Training that is limited by the GPU.",
	Advice: "Store a copy of the images once, with the shorter side a little above what the crop needs, and train from that. " +
		"Where full size is needed, decode on the GPU (torchvision.io.decode_jpeg, DALI) or with more workers.",
	Gain: Range{1, 5, "decoding and resizing a JPEG of 500×375 on a CPU core: from 3.6 to 0.7 ms; nothing where the GPU is the limit"},
	Bad:  "def __getitem__(self, i):\n    return Image.open(self.files[i]).convert(\"RGB\").resize((224, 224))",
	Good: "def __getitem__(self, i):\n    return Image.open(self.small_files[i]).convert(\"RGB\")  # resized once",
	Source: func(p *SourcePass) {
		seen := map[*project.Function]bool{} // an image and its mask are one finding
		for _, call := range p.CallsTo(imageDecoders...) {
			path, ok := p.EverySampleWhere(call, func(path project.Path) bool {
				return path.Kind == project.DataSet && path.Root != nil && p.In(path.Root.Module).smallerIn(path.Root, false, 0) != nil &&
					!scalesAtRandom(path.Root)
			})
			if !ok || seen[path.Root] {
				continue
			}
			smaller := p.In(path.Root.Module).smallerIn(path.Root, false, 0)
			seen[path.Root] = true
			p.saySize(p.Report(call, likely*path.Sure).Because(path, *smaller), *smaller)
		}
		for _, loader := range p.TrainingLoaders() {
			data := loader.Arg("dataset")
			for _, v := range append([]Value{data}, data.Either...) {
				if p.shrinksFolder(loader, v) {
					break
				}
			}
		}
	},
}

// imageDecoders read an image from a file; Pillow decodes it when it is first used.
var imageDecoders = []string{
	"PIL.Image.open", "cv2.imread", "torchvision.io.read_image", "imageio.imread", "imageio.v2.imread", "imageio.v3.imread", "skimage.io.imread",
	"scipy.misc.imread", "scipy.ndimage.imread", "matplotlib.image.imread", "matplotlib.pyplot.imread", "mmcv.imread",
	"torchvision.datasets.folder.default_loader",
}

// shrinksFolder reports a loader of torchvision's ImageFolder, or of a class of the project derived from it, whose
// transform makes the images smaller.
func (p *SourcePass) shrinksFolder(loader Call, data Value) bool {
	if data.Made == nil || !data.IsInstance("torchvision.datasets.ImageFolder", "torchvision.datasets.ImageNet") {
		return false
	}
	in := p.In(data.Made.Module())
	made := Call{data.Made, in}
	if in.EvaluationOnly(made) {
		return false
	}
	transform := made.Arg("transform")
	if transform.Missing() && len(made.Node.Args) > 1 {
		transform = made.ArgAt(1)
	}
	smaller := in.smallerBy(transform, false, 0)
	if smaller == nil {
		return false
	}
	var r *Report
	if in.Module != p.Module {
		r = p.Report(loader.Callee(), probable).Because(in.At(made.Callee(), "the images are decoded here"), *smaller)
	} else {
		r = p.Report(made.Callee(), likely).Because(*smaller)
	}
	p.saySize(r, *smaller)
	if workers, known := loader.Arg("num_workers").Int(); smaller.Text == ofSmallParts && known && workers >= manyDecoders {
		r.Small("a small part of an image needs its full size, and many workers decode")
	}
	return true
}

// Calls that make an image smaller, and classes of transforms that do. A crop by itself tells nothing of the size of the file: it
// may be hardly larger.
var (
	shrinkFunctions = setOfNames(
		"cv2.resize", "skimage.transform.resize", "imutils.resize", "scipy.misc.imresize", "mmcv.imresize", "mmcv.imrescale", "torchvision.transforms.functional.resize",
		"torchvision.transforms.functional.resized_crop",
	)
	shrinkClasses = setOfNames(
		"torchvision.transforms.Resize", "torchvision.transforms.RandomResizedCrop", "torchvision.transforms.Scale",
		"torchvision.transforms.v2.Resize", "torchvision.transforms.v2.RandomResizedCrop",
		"albumentations.Resize", "albumentations.RandomResizedCrop", "albumentations.SmallestMaxSize", "albumentations.LongestMaxSize",
		"timm.data.create_transform",
	)
)

// smallerIn finds what makes an image smaller in a function: what it calls, or a transform that its object holds. To whoever asks for
// the size of samples, crops count as well.
func (p *SourcePass) smallerIn(fn *project.Function, crops bool, depth int) *project.Step {
	if step := p.shrinks(fn, crops, 0); step != nil {
		return step
	}
	for _, s := range fn.Sites {
		if s.Method() != "" && rootName(s.Node.Func) == fn.Self() || s.Calls.Kind == project.Instance {
			if step := p.smallerBy(p.Eval(s.Node.Func), crops, depth+1); step != nil {
				return step
			}
		}
		if item, ok := s.Node.Func.(*pysrc.Subscript); ok && p.In(fn.Module).holdsShrinkers(item.Value, fn) {
			step := p.In(fn.Module).At(s.Node, makesSmaller)
			return &step
		}
	}
	for _, s := range fn.Sites {
		if to := s.Calls.Func; to != nil && to != fn && depth < 3 && s.Calls.Kind == project.Callable && to.Class != nil && to.Class == fn.Class {
			if step := p.In(to.Module).smallerIn(to, crops, depth+1); step != nil {
				return step
			}
		}
	}
	return nil
}

// holdsShrinkers reports a field of an object that is filled with transforms which make images smaller:
// self.resize[i] = transforms.Resize(…).
func (p *SourcePass) holdsShrinkers(e pysrc.Expr, fn *project.Function) bool {
	field := project.FieldOfSelf(e)
	if field == "" || fn.Class == nil {
		return false
	}
	for _, c := range p.Constructions(slices.Sorted(maps.Keys(shrinkClasses))...) {
		assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
		if !ok || p.Class(c) != fn.Class {
			continue
		}
		for _, t := range assign.Targets {
			if item, ok := t.(*pysrc.Subscript); ok && project.FieldOfSelf(item.Value) == field {
				return true
			}
		}
	}
	return false
}

// shrinks finds a call that makes an image smaller, in a function or in one of the project that it calls.
func (p *SourcePass) shrinks(fn *project.Function, crops bool, depth int) *project.Step {
	if !crops && slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return isShrinker(s) && resizesPart(s) }) {
		return nil
	}
	for _, s := range fn.Sites {
		if isShrinker(s) || crops && isCrop(s) {
			return p.shrunkBy(s)
		}
	}
	if depth > 2 {
		return nil
	}
	for _, s := range fn.Sites {
		for _, v := range s.Possible() {
			if v.Func != nil && v.Func != fn && v.Kind == project.Callable {
				if found := p.shrinks(v.Func, crops, depth+1); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// isShrinker reports a call that resizes an image: a tensor is resized in place and an array by its shape.
func isShrinker(s *project.Site) bool {
	switch s.Method() {
	case "resize", "thumbnail":
		if len(s.Node.Args) > 0 && s.Calls.Func == nil && !ofArray(s) {
			return true
		}
	}
	return shrinkFunctions[s.Calls.Name]
}

// isCrop reports a call that takes a part of an image as it is.
func isCrop(s *project.Site) bool {
	return s.Method() == "crop" && len(s.Node.Args) > 0 && s.Calls.Func == nil && !ofArray(s) || cropsOnly[s.Calls.Name]
}

// cropsOnly are the functions and transforms that do so.
var cropsOnly = setOfNames(
	"torchvision.transforms.functional.center_crop", "torchvision.transforms.functional.crop",
	"torchvision.transforms.CenterCrop", "torchvision.transforms.RandomCrop", "torchvision.transforms.v2.CenterCrop",
	"torchvision.transforms.v2.RandomCrop", "albumentations.RandomCrop", "albumentations.CenterCrop",
)

const (
	makesSmaller = "makes the image smaller"
	resizes      = "resizes the image"
	ofSmallParts = "makes parts of the image smaller, also small parts"
	// manyDecoders is how many workers mostly keep up with a GPU.
	manyDecoders = 8
	// storedSize is a side that images of common datasets hardly exceed: 480 in COCO, 375 in ImageNet.
	storedSize = 384
)

// shrunkBy says what a call does to the size of an image. A large part of an image needs all of it.
func (p *SourcePass) shrunkBy(s *project.Site) *project.Step {
	text := makesSmaller
	switch {
	case p.largestSide(s) >= storedSize:
		text = resizes
	case p.cropsSmallParts(s):
		text = ofSmallParts
	}
	step := p.In(s.Module()).At(s.Node, text)
	return &step
}

// cropsSmallParts reports a random crop that may be a small part of an image, by default 8% of its area: a copy that is
// stored smaller would change it.
func (p *SourcePass) cropsSmallParts(s *project.Site) bool {
	switch lastName(s.Node.Func) {
	case "RandomResizedCrop", "create_transform":
	default:
		return false
	}
	scale := (Call{s, p.In(s.Module())}).Arg("scale")
	if scale.Kind != project.Display || scale.Expr == nil {
		return scale.Missing()
	}
	parts := elements(scale.Expr)
	if len(parts) == 0 {
		return false
	}
	least, known := pysrc.FloatValue(parts[0])
	return known && least < smallPart
}

// smallPart is the part of an image's area from which on a crop needs no more than a somewhat larger copy.
const smallPart = 0.2

// saySize claims no more than what is known about sizes.
func (p *SourcePass) saySize(r *Report, smaller project.Step) {
	if smaller.Text == resizes {
		r.Saying("images are decoded and resized in every epoch")
	}
	r.beingLittle(p.besideSlowStep())
}

// largestSide is the largest number that a call is given, as far as is known: the side of its images.
func (p *SourcePass) largestSide(s *project.Site) int64 {
	call, largest := Call{s, p.In(s.Module())}, int64(0)
	see := func(v Value) {
		if n, known := v.Int(); known {
			largest = max(largest, n)
		}
		if v.Kind == project.Display && v.Expr != nil {
			pysrc.Children(v.Expr, func(n pysrc.Node) {
				if e, ok := n.(pysrc.Expr); ok {
					side, _ := call.pass.EvalIn(v, e).Int()
					largest = max(largest, side)
				}
			})
		}
	}
	for i := range s.Node.Args {
		see(call.ArgAt(i))
	}
	for _, k := range s.Node.Keywords {
		see(call.Arg(k.Name))
	}
	return largest
}

// ofArray reports numpy's resize, by the library that its module is from.
func ofArray(s *project.Site) bool { return len(s.Calls.Name) > 6 && s.Calls.Name[:6] == "numpy." }

// smallerBy finds the class of a transform that makes images smaller: the value itself, or a part of a Compose or of a
// list.
func (p *SourcePass) smallerBy(v Value, crops bool, depth int) *project.Step {
	if depth > 4 {
		return nil
	}
	for i := range v.Either {
		if step := p.smallerBy(v.Either[i], crops, depth+1); step != nil {
			return step
		}
	}
	if v.Class != nil && v.Kind == project.Instance {
		if call := v.Class.Method("__call__"); call != nil {
			if step := p.In(call.Module).smallerIn(call, crops, depth+1); step != nil {
				return step
			}
		}
	}
	made := v.Made
	switch {
	case made != nil && (shrinkClasses[made.Calls.Name] || crops && cropsOnly[made.Calls.Name]):
		return p.shrunkBy(made)
	case made != nil && slices.Contains([]string{"torchvision.transforms.Compose", "torchvision.transforms.v2.Compose", "albumentations.Compose", "torch.nn.Sequential"}, made.Calls.Name):
		in := p.In(made.Module())
		for i := range made.Node.Args {
			if step := in.smallerBy((Call{made, in}).ArgAt(i), crops, depth+1); step != nil {
				return step
			}
		}
	case v.Kind == project.Display && v.Expr != nil:
		var found *project.Step
		pysrc.Children(v.Expr, func(n pysrc.Node) {
			if e, ok := n.(pysrc.Expr); ok && found == nil {
				found = p.smallerBy(p.EvalIn(v, e), crops, depth+1)
			}
		})
		return found
	}
	return nil
}
