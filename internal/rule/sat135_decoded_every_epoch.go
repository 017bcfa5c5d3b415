package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// decodedEveryEpoch finds samples that are made of a file of their own each time they are loaded.
var decodedEveryEpoch = Rule{
	Code: "SAT135", Name: "decoded-every-epoch", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "each sample is decoded from a file of its own in every epoch",
	What: "A dataset decodes an image, a recording, a volume or a pickled array for each sample, with no decoded copy that later " +
		"epochs use. Small, unless one sample decodes several images in a loop, or a film.",
	Why: "On one server core, a JPEG of 500×375 took 3 ms to decode, a PNG of 2048×1024 about 30 ms, and a decoded copy of the " +
		"size that training uses well below 1 ms. Each epoch pays it again, in workers that have little else to do.",
	Fine:   "Enough workers to hide it. A single epoch. Data that is too large to store decoded.",
	Advice: "Keep decoded samples of the size that training uses in memory or in one large file (memmap, WebDataset, LMDB, FFCV), or decode on the GPU.",
	Bad:    "def __getitem__(self, i):\n    return [imageio.imread(f) for f in self.views[i]]",
	Good:   "def __getitem__(self, i):\n    return self.views[i]  # np.memmap of decoded images",
	Source: func(p *SourcePass) {
		type sample struct {
			root *project.Function
			of   *project.Class
		}
		said := map[sample]*Report{} // an image and its mask are one finding
		for _, call := range p.CallsTo(fileDecoders...) {
			path, ok := p.EverySampleWhere(call, func(path project.Path) bool {
				return path.Root != nil && !p.samePlace(path, call) && !p.keptOnTheWay(path, call)
			})
			if !ok || windowed(call) || readsOwnFile(call) {
				continue
			}
			key := sample{path.Root, p.Class(call)}
			if r := said[key]; r != nil {
				r.Too(p.At(call, "and here"))
				continue
			}
			r := p.Report(call, likely*path.Sure).Because(path)
			said[key] = r
			if slices.Contains(imageDecoders, call.Name()) && p.decodesMany(path, call) {
				r.Saying("each sample decodes several images in every epoch").beingLittle(p.besideSlowStep())
			} else if slices.Contains(videoDecoders, call.Calls.Name) {
				r.Saying("each sample decodes a film or a recording in every epoch").beingLittle(p.besideSlowStep())
			} else {
				r.Small(hiddenByWorkers)
			}
			for _, s := range p.Module.Sites {
				if s.Calls.Func == call.Func && !slices.Contains(path.Calls, s) {
					if _, again := p.EverySample(s); again {
						r.Because(p.At(s, "loads another for the same sample"))
					}
				}
			}
		}
		for _, loader := range p.TrainingLoaders() {
			data := loader.Arg("dataset")
			for _, v := range append([]Value{data}, data.Either...) {
				if v.Made == nil || !v.IsInstance(imageFolders...) {
					continue
				}
				in := p.In(v.Made.Module())
				r := p.Report(loader.Callee(), likely).Because(in.At(v.Made, "decodes an image for each sample")).Small(hiddenByWorkers)
				if v.Class != nil && v.Class.Def != nil {
					r.Because(p.In(v.Class.Module).At(v.Class.Def, "reads its images from a folder"))
				}
				break
			}
		}
	},
}

const hiddenByWorkers = "enough workers hide it"

// imageFolders are datasets of torchvision that decode an image for each sample.
var imageFolders = []string{
	"torchvision.datasets.ImageFolder", "torchvision.datasets.DatasetFolder", "torchvision.datasets.ImageNet", "torchvision.datasets.CocoDetection",
	"torchvision.datasets.CocoCaptions", "torchvision.datasets.VOCSegmentation", "torchvision.datasets.VOCDetection", "torchvision.datasets.Cityscapes",
	"torchvision.datasets.CelebA", "torchvision.datasets.Food101", "torchvision.datasets.Places365", "torchvision.datasets.Flowers102",
	"torchvision.datasets.OxfordIIITPet", "torchvision.datasets.LSUN", "torchvision.datasets.Caltech101", "torchvision.datasets.Caltech256",
	"torchvision.datasets.StanfordCars", "torchvision.datasets.INaturalist", "torchvision.datasets.Imagenette",
}

// fileDecoders are what makes a sample of a file of its own.
var fileDecoders = slices.Concat(decoders, imageDecoders, []string{
	"scipy.io.loadmat", "numpy.load", "torch.load", "pickle.load", "joblib.load", "pandas.read_pickle",
}, videoDecoders)

// videoDecoders decode films or long recordings: tens of milliseconds for a clip, which few workers hide.
var videoDecoders = []string{
	"torchvision.io.read_video", "torchvision.datasets.video_utils.VideoClips.get_clip", "decord.VideoReader", "cv2.VideoCapture", "av.open",
	"torchcodec.decoders.VideoDecoder", "imageio.get_reader", "skvideo.io.vread", "moviepy.editor.VideoFileClip",
	"pytorchvideo.data.encoded_video.EncodedVideo.from_path",
}

// decodesMany reports a sample that is made of several files: they are decoded in a loop.
func (p *SourcePass) decodesMany(path project.Path, call Call) bool {
	if path.Kind != project.DataSet || path.Root.BaseName() != "__getitem__" {
		return false // a stream or a collate function goes through the samples
	}
	several := func(q *SourcePass, n Node) bool {
		if _, again := q.LoopAround(n).(*pysrc.While); again {
			return false // until a sample can be read
		}
		return q.InLoop(n)
	}
	return several(p, call) || slices.ContainsFunc(path.Calls, func(s *project.Site) bool { return several(p.In(s.Module()), s) })
}
