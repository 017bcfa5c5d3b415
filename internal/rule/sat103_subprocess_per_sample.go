package rule

import "path"

// subprocessPerSample finds programs that are started for every sample.
var subprocessPerSample = Rule{
	Code: "SAT103", Name: "subprocess-per-sample", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a program is started for every sample",
	What: "A dataset, collate function or transform starts a program in every epoch: subprocess, os.system, or " +
		"a library that runs ffmpeg (pydub, ffmpeg-python, whisper.load_audio).",
	Why: "Starting a process takes milliseconds, its output is copied through a pipe, and every epoch repeats " +
		"the work.",
	Fine: "A pipe that is opened once and kept. Files that are written once and reused.",
	Advice: "Convert the files once before training (WAV or FLAC at the model's sampling rate). Read them " +
		"in-process, for audio with soundfile or torchaudio.",
	Bad:  "def __getitem__(self, i):\n    return whisper.load_audio(self.files[i])  # runs ffmpeg",
	Good: "def __getitem__(self, i):\n    return soundfile.read(self.files[i], dtype=\"float32\")[0]  # converted once",
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo(startsProgram...) {
			if voices[path.Base(p.program(call))] {
				continue // a speaking program is worse, and another rule's
			}
			if way, ok := p.EverySample(call); ok {
				r := p.Report(call, way.Sure).Because(way)
				if p.RandomInto(way, call) {
					r.Advising("Compute the change in-process, for audio with torchaudio or librosa, or store several variants of each file before training.")
				}
			}
		}
	},
}
