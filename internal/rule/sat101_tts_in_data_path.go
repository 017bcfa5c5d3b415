package rule

import (
	"path"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// ttsInDataPath finds speech that is synthesised while the data is loaded.
var ttsInDataPath = Rule{
	Code: "SAT101", Name: "tts-in-data-path", Severity: Error, Subject: AboutLoading, Makes: Speech,
	Areas:  []Area{DataArea, WorkersArea},
	Title:  "speech is synthesised while the data is loaded",
	What:   "A call of a speech synthesiser (a library, a program or a service) that a data set, collate function or transform reaches, in any file.",
	Why:    "Training takes max(loading / workers, GPU) a step, and synthesis costs more than a step; every epoch pays for the same audio again.",
	Fine:   "Demos and inference; audio that must be new in every epoch, where a few variants per text can still be kept.",
	Advice: "Synthesise once before training (saturate tts TEXTS -o DIR) and load the files; keep the call as a fallback for a text that is not there.",
	Gain:   Range{2, 70, "cached instead of live audio features: 2657 to 36 s an epoch in speech-resynthesis, over 4x in chatterbox"},
	Bad:    "def __getitem__(self, i):\n    return synthesise(self.texts[i])",
	Good:   "def __getitem__(self, i):\n    return load_wav(self.files[i])  # written once by saturate tts",
	Source: func(p *SourcePass) {
		for _, call := range append(p.CallsTo(synthesisers...), p.synthesisPrograms()...) {
			way, ok := p.PerSample(call)
			if !ok {
				continue
			}
			r := p.Report(call, way.Sure).Because(way)
			switch {
			case way.Cache != nil:
				r.At(Warning).Saying("speech is synthesised while the data is loaded, in the first epoch")
			case way.Kind == project.Mapped:
				r.At(Warning).Saying("speech is synthesised in a map over the data set")
			}
		}
	},
}

// synthesisers are the calls that make speech.
var synthesisers = []string{
	"gtts.gTTS.save", "gtts.gTTS.write_to_fp", "gtts.gTTS.stream",
	"pyttsx3.Engine.save_to_file", "pyttsx3.Engine.runAndWait", "pyttsx3.Engine.say", "pyttsx3.speak",
	"edge_tts.Communicate.save", "edge_tts.Communicate.stream", "edge_tts.Communicate.save_sync", "edge_tts.Communicate.stream_sync",
	"TTS.api.TTS.tts", "TTS.api.TTS.tts_to_file", "TTS.api.TTS.tts_with_vc", "TTS.api.TTS.tts_with_vc_to_file",
	"TTS.utils.synthesizer.Synthesizer.tts",
	"bark.generate_audio", "bark.SAMPLE_RATE.generate_audio", "bark.generation.generate_text_semantic",
	"transformers.BarkModel.generate", "transformers.SpeechT5ForTextToSpeech.generate_speech", "transformers.SpeechT5ForTextToSpeech.generate",
	"transformers.VitsModel()", "transformers.VitsModel", "transformers.FastSpeech2ConformerWithHifiGan", "transformers.SeamlessM4TModel.generate",
	"openai.OpenAI.audio.speech.create", "openai.AsyncOpenAI.audio.speech.create", "openai.audio.speech.create",
	"openai.OpenAI.audio.speech.with_streaming_response.create",
	"elevenlabs.generate", "elevenlabs.ElevenLabs.generate", "elevenlabs.client.ElevenLabs.text_to_speech.convert", "elevenlabs.ElevenLabs.text_to_speech.convert",
	"elevenlabs.client.ElevenLabs.generate",
	"boto3.client().synthesize_speech", "google.cloud.texttospeech.TextToSpeechClient.synthesize_speech",
	"azure.cognitiveservices.speech.SpeechSynthesizer.speak_text_async", "azure.cognitiveservices.speech.SpeechSynthesizer.speak_text",
	"azure.cognitiveservices.speech.SpeechSynthesizer.speak_ssml_async",
	"kokoro.KPipeline", "kokoro.KPipeline()", "kokoro_onnx.Kokoro.create", "kokoro.generate",
	"piper.PiperVoice.synthesize", "piper.PiperVoice.synthesize_wav", "piper.PiperVoice.synthesize_stream_raw",
	"parler_tts.ParlerTTSForConditionalGeneration.generate", "styletts2.tts.StyleTTS2.inference",
	"chatterbox.tts.ChatterboxTTS.generate", "melo.api.TTS.tts_to_file", "f5_tts.api.F5TTS.infer", "cosyvoice.cli.cosyvoice.CosyVoice.inference_sft",
	"nemo.collections.tts.models.FastPitchModel.generate_spectrogram", "nemo.collections.tts.models.HifiGanModel.convert_spectrogram_to_audio",
	"speechbrain.inference.TTS.Tacotron2.encode_text", "speechbrain.pretrained.Tacotron2.encode_text",
	"espnet2.bin.tts_inference.Text2Speech", "espnet2.bin.tts_inference.Text2Speech()",
	"espeakng.ESpeakNG.synth_wav", "py_espeak_ng.ESpeakNG.synth_wav", "pyflite.synth", "larynx.text_to_speech", "tortoise.api.TextToSpeech.tts", "tortoise.api.TextToSpeech.tts_with_preset",
}

// voices are programs that speak.
var voices = map[string]bool{
	"espeak": true, "espeak-ng": true, "say": true, "flite": true, "pico2wave": true, "piper": true, "festival": true,
	"text2wave": true, "mimic": true, "mimic3": true, "gtts-cli": true, "edge-tts": true, "tts": true, "larynx": true, "spd-say": true, "balcon": true,
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
	for _, c := range p.CallsTo("requests.post", "requests.get", "requests.Session.post", "requests.Session.get", "httpx.post", "httpx.get",
		"httpx.Client.post", "httpx.Client.get", "requests.Session.send", "httpx.Client.send", "urllib.request.urlopen", "aiohttp.ClientSession.post", "aiohttp.ClientSession.get") {
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

// program is the name of the program that a call starts, as far as it is known:
// the first word of the command, or of the list.
func (p *SourcePass) program(c Call) string {
	command := c.ArgAt(0)
	if command.Missing() {
		command = c.Arg("args")
	}
	if command.Kind == project.Display {
		if list, ok := command.Expr.(*pysrc.List); ok && len(list.Elts) > 0 {
			command = p.EvalIn(command, list.Elts[0])
		} else if s, ok := command.Expr.(*pysrc.JoinedStr); ok && len(s.Values) > 0 {
			command = p.EvalIn(command, s.Values[0])
		}
	}
	words, _ := command.Str()
	if fields := strings.Fields(words); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// asksForSpeech reports a request that speaks of speech: in its address, in the
// call that makes it, or in the Request that was made for it before.
func (p *SourcePass) asksForSpeech(c Call) bool {
	if p.namesSpeech(c.Site) {
		return true
	}
	for _, v := range [...]Value{c.ArgAt(0), c.Arg("url"), c.Arg("request")} {
		if v.Made != nil && v.Kind == project.Instance && p.namesSpeech(v.Made) {
			return true // urlopen(Request(url)), session.send(request)
		}
	}
	return false
}

// namesSpeech reports a call whose source, or an address among its arguments, speaks of speech.
func (p *SourcePass) namesSpeech(s *project.Site) bool {
	text := string(s.Module().Text[s.Node.Start:s.Node.End])
	for _, v := range [...]Value{p.eval.ArgumentAt(s, 0), p.eval.ArgumentAt(s, 1), p.eval.Argument(s, "url")} {
		address, _ := v.Str()
		text += " " + address
		if v.Kind == project.Display { // url = f"{server}/tts"
			if f, ok := v.Expr.(*pysrc.JoinedStr); ok {
				text += " " + textOf(f)
			}
		}
	}
	text = strings.ToLower(text)
	for _, word := range []string{"/tts", "audio/speech", "text-to-speech", "text_to_speech", "synthesize", "synthesis", "tts_url", "tts_server", "speech_url", "tts."} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// textOf is what an f-string says apart from what it fills in.
func textOf(f *pysrc.JoinedStr) string {
	text := ""
	for _, part := range f.Values {
		said, _ := pysrc.StringValue(part)
		text += said
	}
	return text
}
