package rule

import (
	"path"

	"saturate/internal/project"
)

// ttsInDataPath finds speech that is synthesised while the data is loaded.
var ttsInDataPath = Rule{
	Code: "SAT101", Name: "tts-in-data-path", Severity: Error, Subject: AboutLoading, Makes: Speech,
	Areas: []Area{DataArea, WorkersArea},
	Title: "speech is synthesized while loading data",
	What: "A dataset, collate function or transform calls a speech synthesizer (library, program or service), " +
		"directly or through other files.",
	Why:  "Synthesis takes longer than a training step, and every epoch synthesizes the same audio again.",
	Fine: "Demos and inference. Programs that write files and do not train. Audio that must differ in every epoch; even then, keep a few variants per text.",
	Advice: "Synthesize once before training (saturate tts TEXTS -o DIR) and load the files. Keep the call as a " +
		"fallback for missing texts.",
	Gain: Range{2, 70, "cached instead of live audio features: 2657 s to 36 s per epoch in speech-resynthesis, over 4× in chatterbox"},
	Bad:  "def __getitem__(self, i):\n    return synthesize(self.texts[i])",
	Good: "def __getitem__(self, i):\n    return load_wav(self.files[i])  # written once by saturate tts",
	Source: func(p *SourcePass) {
		for _, call := range append(p.CallsTo(synthesisers...), p.synthesisPrograms()...) {
			way, ok := p.PerSample(call)
			if !ok || p.Project.Prepares(way.Root.Module) || call.Calls.Kind == project.Type && way.Cache != nil {
				continue // or the synthesizer is made once and kept
			}
			r := p.Report(call, way.Sure).Because(way)
			switch {
			case way.Cache != nil:
				r.At(Warning).Saying("speech is synthesized while loading data in the first epoch")
			case way.Kind == project.Mapped:
				r.At(Warning).Saying("speech is synthesized in a map over the dataset")
			}
		}
	},
}

// synthesisPrograms returns the calls that start a program that speaks, ask a
// server for speech, or run a pipeline for it.
func (p *SourcePass) synthesisPrograms() []Call {
	var list []Call
	for _, c := range p.CallsTo("subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
		"subprocess.getoutput", "os.system", "os.popen", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell") {
		if voices[path.Base(p.program(c))] {
			list = append(list, c)
		}
	}
	for _, c := range p.CallsTo("requests.post", "requests.get", "requests.Session.post", "requests.Session.get",
		"httpx.post", "httpx.get",
		"httpx.Client.post", "httpx.Client.get", "requests.Session.send", "httpx.Client.send", "urllib.request.urlopen",
		"aiohttp.ClientSession.post", "aiohttp.ClientSession.get") {
		if p.asksForSpeech(c) {
			list = append(list, c)
		}
	}
	for _, c := range p.CallsTo("transformers.pipeline()") {
		if made := c.Calls.Made; made != nil {
			task, _ := (Call{made, p}).Arg("task").Str()
			if task == "text-to-speech" || task == "text-to-audio" {
				list = append(list, c)
			}
		}
	}
	return list
}
