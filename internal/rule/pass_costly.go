package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// heavyIn returns the call of a function that decodes audio or images or
// computes features, nil when it has none.
func (p *SourcePass) heavyIn(fn *project.Function) pysrc.Node {
	heavy := append(p.features(), p.InstanceCalls("transformers.FeatureExtractionMixin")...)
	heavy = append(heavy, p.CallsTo("librosa.load", "torchaudio.load", "soundfile.read", "PIL.Image.open", "cv2.imread",
		"librosa.resample", "torchaudio.functional.resample")...)
	for _, c := range heavy {
		if c.Func == fn {
			return c.Node
		}
	}
	for _, s := range fn.Sites {
		if name := lastName(s.Node.Func); name == "feature_extractor" || name == "processor" && readsAudio(s.Node) {
			return s.Node
		}
	}
	return nil
}

// takesLong reports a call that takes milliseconds: it decodes, resamples, computes features, or waits for others.
func takesLong(s *project.Site) bool {
	found := false
	s.EachPossible(func(v *project.Value) {
		found = found || longCalls[v.Name] || strings.HasPrefix(v.Name, "librosa.feature.") ||
			v.IsInstance(featureClasses...) ||
			v.IsInstance("transformers.FeatureExtractionMixin", "transformers.ProcessorMixin", "torchaudio.transforms.Resample")
	})
	return found
}

// slowSample reports a call that takes milliseconds for a sample: one that takes long anywhere, parses a text file, or
// goes through a signal window by window in Python.
func (p *SourcePass) slowSample(s *project.Site) bool {
	return takesLong(s) || parsesText(s) || s.Calls.Func != nil && p.In(s.Calls.Func.Module).windowLoop(s.Calls.Func) != nil
}

// readsAudio reports a call that is given the samples of the audio column.
func readsAudio(c *pysrc.Call) bool {
	found := false
	pysrc.Inspect(c, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok {
			key, _ := pysrc.StringValue(s.Slice)
			found = found || key == "array" || key == "audio" || key == "speech"
		}
		return !found
	})
	return found
}

var longCalls = setOfNames(slices.Concat(decoders, videoDecoders, featureFunctions, synthesisers, startsProgram, remoteCalls, imageChangers)...)

// decoders read a file of audio or an image.
var decoders = []string{
	"librosa.load", "librosa.core.load", "librosa.resample", "torchaudio.load", "torchaudio.functional.resample",
	"soundfile.read", "audioread.audio_open", "scipy.io.wavfile.read",
	"PIL.Image.open", "cv2.imread", "torchvision.io.read_image", "torchvision.io.decode_image", "imageio.imread",
	"imageio.v2.imread", "imageio.v3.imread", "skimage.io.imread", "pydicom.dcmread", "nibabel.load", "scipy.misc.imread", "scipy.ndimage.imread",
	"matplotlib.image.imread", "matplotlib.pyplot.imread", "mmcv.imread", "mmcv.imfrombytes", "tifffile.imread", "cv2.imdecode",
	"torchvision.io.decode_jpeg", "torchvision.io.decode_png", "simplejpeg.decode_jpeg", "rasterio.open", "SimpleITK.ReadImage", "medpy.io.load",
}
