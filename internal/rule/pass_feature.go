package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// features are the calls that compute features with a library.
func (p *SourcePass) features() []Call {
	calls := append(p.CallsTo(featureFunctions...), p.InstanceCalls(featureClasses...)...)
	return inOrder(append(calls, p.extractions()...))
}

// ownFeatures are calls of functions of the project that are named after a
// spectrogram and compute it without the library functions above.
func (p *SourcePass) ownFeatures() []Call {
	var list []Call
	for _, s := range p.Module.Sites {
		if p.outsideFeature(s) {
			list = append(list, Call{s, p})
		}
		if fn := s.Calls.Func; fn != nil && s.Calls.Kind == project.Callable &&
			project.HasWord(fn.BaseName(), "spectrogram", "melspectrogram", "mfcc", "fbank") &&
			!project.HasWord(fn.BaseName(), "get", "load", "read", "pad", "normalize") && !reaches(fn, featureFunctions, 0) {
			list = append(list, Call{s, p})
		}
	}
	return list
}

// outsideFeature reports a call of code that is not part of the project and not of a known library, such as a submodule
// that is not checked out, by the name of what it computes: self.stft.mel_spectrogram(audio).
func (p *SourcePass) outsideFeature(s *project.Site) bool {
	name := lastName(s.Node.Func)
	if s.Calls.Func != nil || s.Calls.Class != nil || s.Calls.Kind == project.Type || len(s.Node.Args) == 0 ||
		!project.HasWord(name, "spectrogram", "melspectrogram", "mfcc", "fbank") ||
		project.HasWord(name, "get", "load", "read", "pad", "normalize", "plot", "show", "save", "path", "to") {
		return false
	}
	library, _, _ := strings.Cut(s.Calls.Name, ".")
	switch library {
	case "torch", "torchaudio", "librosa", "numpy", "matplotlib", "transformers", "wandb":
		return false
	}
	return true
}

// reaches reports whether a function calls one of the names, in what it calls too.
func reaches(fn *project.Function, names []string, depth int) bool {
	for _, s := range fn.Sites {
		for _, v := range s.Possible() {
			if slices.Contains(names, v.Name) || strings.HasPrefix(v.Name, "librosa.feature.") {
				return true
			}
			if v.Func != nil && v.Func != fn && depth < 4 && reaches(v.Func, names, depth+1) {
				return true
			}
		}
	}
	return false
}

// featureFunctions compute features.
var featureFunctions = []string{
	"librosa.feature.*", "librosa.pyin", "librosa.yin", "librosa.stft", "librosa.cqt", "librosa.core.stft",
	"pyworld.dio", "pyworld.harvest", "pyworld.cheaptrick", "pyworld.d4c", "pyworld.wav2world",
	"amfm_decompy.pYAAPT.yaapt", "parselmouth.Sound.to_pitch",
	"torchaudio.compliance.kaldi.fbank", "torchaudio.compliance.kaldi.mfcc", "torchaudio.compliance.kaldi.spectrogram", "torchaudio.functional.spectrogram",
	"torch.stft", "scipy.signal.stft", "scipy.signal.spectrogram", "python_speech_features.mfcc",
	"python_speech_features.logfbank", "python_speech_features.fbank",
	"whisper.log_mel_spectrogram", "whisper.audio.log_mel_spectrogram", "kaldiio.compute_fbank_feats",
	"phonemizer.phonemize", "g2p_en.G2p()", "gruut.sentences", "pypinyin.lazy_pinyin", "espeakng.ESpeakNG.g2p",
	"torchcrepe.predict", "crepe.predict", "penn.from_audio", "opensmile.Smile.process_signal", "opensmile.Smile.process_file",
}

// featureClasses are called to compute features.
var featureClasses = []string{
	"torchaudio.transforms.MelSpectrogram", "torchaudio.transforms.Spectrogram", "torchaudio.transforms.MFCC", "torchaudio.transforms.LFCC",
	"torchaudio.transforms.PitchShift", "nnAudio.features.MelSpectrogram", "g2p_en.G2p",
	"speechbrain.lobes.features.Fbank", "speechbrain.lobes.features.MFCC",
}

// extractions are calls of an extractor of transformers that computes a
// spectrogram, alone or inside a processor that is given audio. Others pad and
// scale, which costs little.
func (p *SourcePass) extractions() []Call {
	var list []Call
	for _, c := range p.InstanceCalls("transformers.FeatureExtractionMixin") {
		if p.computesSpectrogram(*c.Calls) {
			list = append(list, c)
		}
	}
	for _, c := range p.MethodCalls("feature_extractor") {
		if v := p.Eval(c.Receiver()); v.IsInstance("transformers.ProcessorMixin") && p.computesSpectrogram(v) {
			list = append(list, c)
		}
	}
	for _, s := range p.Module.Sites { // extractor = processor.feature_extractor
		if of, ok := strings.CutSuffix(s.Calls.Name, ".feature_extractor"); ok && s.Method() == "" && strings.HasPrefix(of, "transformers.") &&
			p.computesSpectrogram(*s.Calls) {
			list = append(list, Call{s, p})
		}
	}
	for _, c := range p.InstanceCalls("transformers.ProcessorMixin") {
		if p.computesSpectrogram(*c.Calls) && (c.Arg("sampling_rate").Given() || c.Arg("audio").Given() ||
			c.Arg("raw_speech").Given()) {
			list = append(list, c)
		}
	}
	return list
}

// computesSpectrogram reports whether an extractor or processor is of a model that
// listens to spectrograms, by its class or by the name that it was loaded by.
func (p *SourcePass) computesSpectrogram(v Value) bool {
	names := v.Name
	if v.Made != nil {
		name, _ := (Call{v.Made, p}).ArgAt(0).Str()
		names += " " + name
	}
	names = strings.ToLower(names)
	for _, model := range [...]string{
		"whisper", "seamless", "speech2text", "speech_to_text", "astfeature", "/ast-",
		"clap", "speecht5", "univnet", "mctct", "qwen2-audio", "qwen2audio",
	} {
		if strings.Contains(names, model) {
			return true
		}
	}
	return false
}
