package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// objectPerSample finds transforms that are built anew for every sample.
var objectPerSample = Rule{
	Code: "SAT107", Name: "object-per-sample", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a transform is built for every sample",
	What: "A dataset, collate function or transform builds a resampler, spectrogram, image transform or feature " +
		"extractor, designs a filter, or makes a grid of coordinates, for each sample.",
	Why: "Building it computes filters and tables (a sinc kernel, a mel filter bank, an FFT window) that are the " +
		"same every time.",
	Fine:   "Arguments that differ between samples, except for the rate of a file: keep one resampler per rate.",
	Advice: "Build it once, in __init__ or at module level.",
	Bad:    "def __getitem__(self, i):\n    mel = MelSpectrogram(16000)(self.load(i))",
	Good: "def __init__(self):\n    self.mel = MelSpectrogram(16000)\n\ndef __getitem__(self, i):\n    mel = " +
		"self.mel(self.load(i))",
	Safety: Safe,
	Source: func(p *SourcePass) {
		calls := append(p.Constructions(tableBuilders...), p.CallsTo(builderFunctions...)...)
		for _, call := range inOrder(calls) {
			path, ok := p.EverySample(call)
			if !ok || cached(call.Func) || p.keptOnTheWay(path, call) {
				continue
			}
			name := lastName(call.Node.Func)
			if !p.ConstantArguments(path, call) {
				if call.Name() == "torchaudio.transforms.Resample" && p.toldRates(path, call) {
					p.Report(call, path.Sure).Because(path).Saying("%s is built for every sample, though files have few rates", name).
						Advising("Keep one for each rate: a dict in the object, or functools.lru_cache on the function that makes it.")
				}
				continue
			}
			r := p.Report(call, path.Sure).Because(path).Saying("%s is built for every sample", name)
			if !slices.Contains(builderFunctions, call.Name()) && !strings.HasPrefix(call.Name(), "mediapipe.") { // detectors may hold what workers cannot get
				r.Fix(Safe, "build it once in __init__", p.Hoist(call.Node, snakeCase(name))...)
			}
		}
		p.gridsPerSample()
	},
}

// toldRates reports a call that is given the rate of the file which was just decoded, and constants.
func (p *SourcePass) toldRates(path project.Path, call Call) bool {
	return !slices.ContainsFunc(argumentsOf(call.Node), func(e pysrc.Expr) bool {
		return !p.constantOnPath(path, len(path.Calls), call, e) && !p.rateOfFile(path, len(path.Calls), e)
	})
}

// rateOfFile reports a variable that holds the rate which a decoder gave together with the sound, here or where the path passes it.
func (p *SourcePass) rateOfFile(path project.Path, calls int, e pysrc.Expr) bool {
	name, ok := e.(*pysrc.Name)
	if !ok {
		return false
	}
	list, given := p.Module.SaidOrGiven(name)
	if !given {
		return len(list) > 0 && !slices.ContainsFunc(list, func(s project.Said) bool {
			c, ok := s.Value.(*pysrc.Call)
			return !ok || s.Place != 1 || !slices.Contains(decoders, p.NameOf(c.Func))
		})
	}
	fn := p.Function(name)
	if calls == 0 || path.Calls[calls-1].Calls.Func != fn {
		return false
	}
	site := path.Calls[calls-1]
	return p.In(site.Module()).rateOfFile(path, calls-1, site.Given(fn, name.ID))
}

// tableBuilders are classes whose construction computes something or is meant to be done once.
var tableBuilders = []string{
	"torchaudio.transforms.Resample", "torchaudio.transforms.MelSpectrogram", "torchaudio.transforms.Spectrogram", "torchaudio.transforms.MFCC",
	"torchaudio.transforms.MelScale", "torchaudio.transforms.GriffinLim", "torchaudio.transforms.InverseMelScale", "torchaudio.transforms.LFCC",
	"torchvision.transforms.Compose", "torchvision.transforms.v2.Compose", "albumentations.Compose", "audiomentations.Compose",
	"transformers.FeatureExtractionMixin", "g2p_en.G2p",
}

// builderFunctions build detectors and design filters.
var builderFunctions = []string{
	"scipy.signal.butter", "scipy.signal.cheby1", "scipy.signal.cheby2", "scipy.signal.ellip", "scipy.signal.bessel",
	"scipy.signal.firwin", "scipy.signal.firwin2", "scipy.signal.iirfilter", "scipy.signal.iirnotch", "scipy.signal.remez",
	"mediapipe.solutions.*", "cv2.SIFT_create", "cv2.ORB_create", "cv2.AKAZE_create", "cv2.HOGDescriptor",
	"facenet_pytorch.MTCNN", "mtcnn.MTCNN", "insightface.app.FaceAnalysis", "webrtcvad.Vad",
}
