package rule

// slowAudioDecoder finds audio that is decoded block by block in Python for every sample.
var slowAudioDecoder = Rule{
	Code: "SAT110", Name: "slow-audio-decoder", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "audio is decoded through audioread for every sample",
	What: "A dataset, collate function or transform calls audioread.audio_open, or one of its backends, for " +
		"each sample. librosa.load is not reported: it reads through soundfile at the same speed.",
	Why: "audioread starts ffmpeg for each file (or decodes it in Python) and returns small blocks of 16-bit " +
		"samples. libsndfile decodes WAV, FLAC, OGG and MP3 in-process: 10 s of FLAC took 3.6 ms instead of 218 ms, " +
		"of MP3 12 ms instead of 253 ms.",
	Fine:   "Formats that libsndfile does not read, such as AAC and M4A. Convert those once.",
	Advice: "Read with soundfile.read(path, dtype=\"float32\") or torchaudio.load.",
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
