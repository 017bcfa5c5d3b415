package rule

import "saturate/internal/project"

// resampleEveryEpoch finds audio that is brought to another rate each time it is loaded.
var resampleEveryEpoch = Rule{
	Code: "SAT108", Name: "resample-every-epoch", Severity: Advice,
	Areas:  []Area{DataArea, WorkersArea},
	Title:  "audio is resampled again in every epoch",
	What:   "librosa.load with a rate, or a resampler of librosa, torchaudio or scipy, in what a data set or transform does for each sample.",
	Why:    "A resampler filters every second of audio; files that are already at the rate of the model cost only their reading.",
	Fine:   "Files that are at that rate already, where librosa.load does nothing more; speed perturbation.",
	Advice: "Resample the files once before training, with the same resampler, and load them as they are.",
	Bad:    "def __getitem__(self, i):\n    wav, _ = librosa.load(self.files[i], sr=16000)",
	Good:   "def __getitem__(self, i):\n    wav, _ = soundfile.read(self.files[i], dtype=\"float32\")  # 16 kHz since prepare.py",
	Source: func(p *SourcePass) {
		resamplers := append(p.CallsTo(resampleFunctions...), p.InstanceCalls("torchaudio.transforms.Resample", "julius.ResampleFrac")...)
		for _, call := range inOrder(resamplers) {
			path, ok := p.EverySample(call)
			if ok && path.Kind != project.Forward && !p.RandomInto(path, call) {
				r := p.Report(call, nearlyCertain*path.Sure).Because(path)
				if p.underTest(call) {
					r.Saying("audio that is at another rate is resampled again in every epoch")
				}
			}
		}
		for _, call := range p.CallsTo("librosa.load", "librosa.core.load") {
			path, ok := p.EverySample(call)
			rate := call.Arg("sr")
			if !ok || rate.IsNone() || rate.Unknown() {
				continue
			}
			r := p.Report(call, probable*rate.Confidence()*path.Sure).Because(rate, path).
				Saying("audio that is at another rate is resampled again in every epoch")
			if rate.Missing() {
				r.Saying("audio is resampled to 22050 Hz, the default of librosa.load, again in every epoch")
			}
		}
	},
}

var resampleFunctions = []string{
	"librosa.resample", "librosa.core.resample", "torchaudio.functional.resample", "scipy.signal.resample", "scipy.signal.resample_poly",
	"resampy.resample", "soxr.resample", "samplerate.resample", "torchaudio.sox_effects.apply_effects_tensor", "julius.resample_frac",
}
