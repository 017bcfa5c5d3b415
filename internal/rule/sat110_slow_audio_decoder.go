package rule

// slowAudioDecoder finds audio that is decoded block by block in Python for every sample.
var slowAudioDecoder = Rule{
	Code: "SAT110", Name: "slow-audio-decoder", Severity: Warning, Subject: AboutLoading,
	Areas:  []Area{DataArea, WorkersArea},
	Title:  "audio is decoded through audioread for every sample",
	What:   "audioread.audio_open, or one of its backends, in what a data set, collate function or transform does for each sample. librosa.load is not meant: it reads through soundfile, and took the same time.",
	Why:    "audioread starts ffmpeg for each file (or walks through it in Python) and hands over small blocks of 16-bit samples; libsndfile decodes WAV, FLAC, OGG and MP3 in the process. Ten seconds of FLAC took 218 ms instead of 3.6, of MP3 253 instead of 12.",
	Fine:   "Formats that libsndfile does not read: AAC and M4A, which are better converted once.",
	Advice: "Read with soundfile.read(path, dtype=\"float32\"), or torchaudio.load.",
	Bad:    "def __getitem__(self, i):\n    with audioread.audio_open(self.files[i]) as f:\n        pcm = b\"\".join(f)",
	Good:   "def __getitem__(self, i):\n    audio, rate = soundfile.read(self.files[i], dtype=\"float32\")",
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo("audioread.audio_open", "audioread.ffdec.FFmpegAudioFile", "audioread.rawread.RawAudioFile", "audioread.maddec.MadAudioFile") {
			if way, ok := p.EverySample(call); ok {
				p.Report(call, way.Sure).Because(way)
			}
		}
	},
}
