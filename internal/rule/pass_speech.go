package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

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
	"espeakng.ESpeakNG.synth_wav", "py_espeak_ng.ESpeakNG.synth_wav", "pyflite.synth", "larynx.text_to_speech",
	"tortoise.api.TextToSpeech.tts", "tortoise.api.TextToSpeech.tts_with_preset",
}

// voices are programs that speak.
var voices = map[string]bool{
	"espeak": true, "espeak-ng": true, "say": true, "flite": true, "pico2wave": true, "piper": true, "festival": true,
	"text2wave": true, "mimic": true, "mimic3": true, "gtts-cli": true, "edge-tts": true, "tts": true, "larynx": true, "spd-say": true, "balcon": true,
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
	for _, word := range []string{
		"/tts", "audio/speech", "text-to-speech", "text_to_speech", "synthesize", "synthesis",
		"tts_url", "tts_server", "speech_url", "tts.",
	} {
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
