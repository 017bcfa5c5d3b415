package rule

import "saturate/internal/project"

// featureRecompute finds features that are computed anew from the same audio or text in every epoch.
var featureRecompute = Rule{
	Code: "SAT104", Name: "feature-recompute", Severity: Warning,
	Title:  "the same features are computed again in every epoch",
	What:   "A spectrogram, MFCC, pitch, phonemes or a feature extractor in what a data set or transform does for each sample, with nothing random before it.",
	Why:    "The result is the same in every epoch, so all but the first computation are wasted, and they stand between the disk and the GPU.",
	Fine:   "Random cropping, noise or speed before it, where keeping the result would freeze the augmentation; training that waits for the GPU anyway; no room on the disk.",
	Advice: "Compute the features once before training and load them (saturate mel AUDIO -o FILE for log-mel), or compute them on the GPU after the batch is made.",
	Gain:   Range{1, 30, "0.3 to 10 it/s in Wav2Lip, over 5x for small networks and nothing for large ones in OpenSeq2Seq"},
	Bad:    "def __getitem__(self, i):\n    return self.extractor(self.load(i)).input_features[0]",
	Good:   "def __getitem__(self, i):\n    return self.features[i]  # computed once",
	Source: func(p *SourcePass) {
		calls := append(p.CallsTo(featureFunctions...), p.InstanceCalls(featureClasses...)...)
		for _, call := range inOrder(append(calls, p.extractions()...)) {
			path, ok := p.EverySample(call)
			if !ok || p.RandomBefore(path, call) || path.Kind == project.Collate && p.InLoop(call) {
				continue
			}
			p.Report(call, path.Sure).Because(path)
		}
	},
}

// featureFunctions compute features.
var featureFunctions = []string{
	"librosa.feature.*", "librosa.pyin", "librosa.yin", "librosa.stft", "librosa.cqt", "librosa.core.stft",
	"pyworld.dio", "pyworld.harvest", "pyworld.cheaptrick", "pyworld.d4c", "pyworld.wav2world", "amfm_decompy.pYAAPT.yaapt", "parselmouth.Sound.to_pitch",
	"torchaudio.compliance.kaldi.fbank", "torchaudio.compliance.kaldi.mfcc", "torchaudio.compliance.kaldi.spectrogram", "torchaudio.functional.spectrogram",
	"torch.stft", "scipy.signal.stft", "scipy.signal.spectrogram", "python_speech_features.mfcc", "python_speech_features.logfbank", "python_speech_features.fbank",
	"whisper.log_mel_spectrogram", "whisper.audio.log_mel_spectrogram", "kaldiio.compute_fbank_feats",
	"phonemizer.phonemize", "g2p_en.G2p()", "gruut.sentences", "pypinyin.lazy_pinyin", "espeakng.ESpeakNG.g2p",
	"torchcrepe.predict", "crepe.predict", "penn.from_audio", "opensmile.Smile.process_signal", "opensmile.Smile.process_file",
}

// featureClasses are called to compute features.
var featureClasses = []string{
	"torchaudio.transforms.MelSpectrogram", "torchaudio.transforms.Spectrogram", "torchaudio.transforms.MFCC", "torchaudio.transforms.LFCC",
	"torchaudio.transforms.PitchShift", "nnAudio.features.MelSpectrogram", "g2p_en.G2p", "transformers.FeatureExtractionMixin",
	"speechbrain.lobes.features.Fbank", "speechbrain.lobes.features.MFCC",
}

// extractions are calls of the feature extractor inside a processor, and of a
// processor that is given audio.
func (p *SourcePass) extractions() []Call {
	var list []Call
	for _, c := range p.MethodCalls("feature_extractor") {
		if p.Eval(c.Receiver()).IsInstance("transformers.ProcessorMixin") {
			list = append(list, c)
		}
	}
	for _, c := range p.InstanceCalls("transformers.ProcessorMixin") {
		if c.Arg("sampling_rate").Given() || c.Node.Keyword("audio") != nil || c.Node.Keyword("audios") != nil || c.Node.Keyword("raw_speech") != nil {
			list = append(list, c)
		}
	}
	return list
}
