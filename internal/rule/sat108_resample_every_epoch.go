package rule

import (
	"slices"

	"saturate/internal/project"
)

// resampleEveryEpoch finds audio that is brought to another rate each time it is loaded.
var resampleEveryEpoch = Rule{
	Code: "SAT108", Name: "resample-every-epoch", Severity: Advice, Subject: AboutLoading, Makes: Audio,
	Areas: []Area{DataArea, WorkersArea},
	Title: "audio is resampled in every epoch",
	What: "A dataset or transform resamples each sample: librosa.load with a rate, or a resampler of librosa, " +
		"torchaudio or scipy.",
	Why:    "Resampling filters every second of audio. Files already at the model's rate only have to be read.",
	Fine:   "Files that already have that rate: librosa.load then does not resample. Speed perturbation.",
	Advice: "Resample the files once before training, with the same resampler, and load them without a rate conversion.",
	Bad:    "def __getitem__(self, i):\n    wav, _ = librosa.load(self.files[i], sr=16000)",
	Good: "def __getitem__(self, i):\n    wav, _ = soundfile.read(self.files[i], dtype=\"float32\")  # resampled " +
		"once to 16 kHz",
	Source: func(p *SourcePass) {
		resamplers := append(p.CallsTo(resampleFunctions...), p.InstanceCalls("torchaudio.transforms.Resample", "julius.ResampleFrac")...)
		for _, call := range inOrder(resamplers) {
			path, ok := p.EverySample(call)
			if ok && path.Kind != project.Forward && !p.RandomInto(path, call) {
				r := p.Report(call, nearlyCertain*path.Sure).Because(path)
				if p.underTest(call) {
					r.Saying("audio at a different rate is resampled in every epoch")
				}
			}
		}
		said := map[*project.Function]Value{} // a mixture and its sources, at the same rate, are one finding
		for _, call := range p.CallsTo("librosa.load", "librosa.core.load") {
			path, ok := p.EverySample(call)
			rate := call.Arg("sr")
			if rate.Missing() && len(call.Node.Args) > 1 { // by its place, as before librosa 0.10
				rate = call.ArgAt(1)
			}
			if before, again := said[call.Func]; !ok || again && before.Kind == rate.Kind || rate.IsNone() || slices.ContainsFunc(rate.Either, Value.IsNone) {
				continue
			}
			said[call.Func] = rate
			r := p.Report(call, probable*rate.Confidence()*path.Sure).Because(rate, path).
				Saying("audio at a different rate is resampled in every epoch")
			if rate.Missing() {
				r.Saying("audio is resampled in every epoch to 22050 Hz, the default of librosa.load")
			} else {
				r.Small("files that have this rate are not resampled")
			}
		}
	},
}

var resampleFunctions = []string{
	"librosa.resample", "librosa.core.resample", "torchaudio.functional.resample", "scipy.signal.resample", "scipy.signal.resample_poly",
	"resampy.resample", "soxr.resample", "samplerate.resample", "torchaudio.sox_effects.apply_effects_tensor", "julius.resample_frac",
}
