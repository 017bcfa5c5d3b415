package rule

import (
	"slices"
	"strings"
)

// objectPerSample finds transforms that are built anew for every sample.
var objectPerSample = Rule{
	Code: "SAT107", Name: "object-per-sample", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a transform is built for every sample",
	What: "A dataset, collate function or transform builds a resampler, spectrogram, image transform or feature " +
		"extractor, or designs a filter, for each sample.",
	Why: "Building it computes filters and tables (a sinc kernel, a mel filter bank, an FFT window) that are the " +
		"same every time.",
	Fine:   "Arguments that differ between samples; then keep one object per argument value.",
	Advice: "Build it once, in __init__ or at module level.",
	Bad:    "def __getitem__(self, i):\n    mel = MelSpectrogram(16000)(self.load(i))",
	Good: "def __init__(self):\n    self.mel = MelSpectrogram(16000)\n\ndef __getitem__(self, i):\n    mel = " +
		"self.mel(self.load(i))",
	Safety: Safe,
	Source: func(p *SourcePass) {
		calls := append(p.Constructions(tableBuilders...), p.CallsTo(builderFunctions...)...)
		for _, call := range inOrder(calls) {
			path, ok := p.EverySample(call)
			if !ok || !p.ConstantArguments(path, call) || cached(call.Func) || p.keptOnTheWay(path, call) {
				continue
			}
			name := lastName(call.Node.Func)
			r := p.Report(call, path.Sure).Because(path).Saying("%s is built for every sample", name)
			if !slices.Contains(builderFunctions, call.Name()) && !strings.HasPrefix(call.Name(), "mediapipe.") { // detectors may hold what workers cannot get
				r.Fix(Safe, "build it once in __init__", p.Hoist(call.Node, snakeCase(name))...)
			}
		}
	},
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
