package offline

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const extracts = `import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import WhisperFeatureExtractor, WhisperProcessor, WhisperTokenizer
from TTS.api import TTS


`

// Ways to extract features, and who makes them when saturate mel is asked to.
var extractions = []struct {
	name, source string
	by           string
	because      string // in what is said
	most         float64
}{
	{"an extractor built in __init__", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine = texts, TTS("vits")
        self.extractor = WhisperFeatureExtractor(feature_size=80, chunk_length=2)
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = self.engine.tts(text=self.texts[i])
        features = self.extractor(audio, sampling_rate=16000, return_tensors="pt").input_features[0]
        return {"features": features, "label": i}
`, ByMel, "saturate mel built 12", 0.0005},
	{"texts that sound the same", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine = texts + [text + " " for text in texts], TTS("vits")
        self.extractor = WhisperFeatureExtractor(feature_size=80, chunk_length=2)
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = self.engine.tts(text=self.texts[i].strip())
        features = self.extractor(audio, sampling_rate=16000, return_tensors="pt").input_features[0]
        return {"features": features, "label": i}
`, ByMel, "saturate mel built 12", 0.0005},
	{"a processor, 128 bands, the whole answer", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine = texts, TTS("vits")
        self.processor = WhisperProcessor(WhisperFeatureExtractor(feature_size=128, chunk_length=2), WhisperTokenizer())
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = self.engine.tts(text=self.texts[i])
        return self.processor(audio, sampling_rate=16000, return_tensors="np")
`, ByMel, "saturate mel built 12", 0.0005},
	{"openai-whisper's function, imported by name, in another function", `
from whisper import log_mel_spectrogram, pad_or_trim
def features_of(engine, text):
    audio = engine.tts(text=text)
    return log_mel_spectrogram(pad_or_trim(audio, 32000), n_mels=80)
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine = texts, TTS("vits")
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        return features_of(self.engine, self.texts[i]).half(), i
`, ByMel, "saturate mel built 12", 0.001},
	{"clips of their own length", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor()
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = self.engine.tts(text=self.texts[i])
        return self.extractor(audio, sampling_rate=16000, padding="longest", return_tensors="np").input_features[0]
`, ByMel, "saturate mel built 12", 0.0005},
	{"a mask beside the features", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor(chunk_length=2)
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = self.engine.tts(text=self.texts[i])
        return dict(self.extractor(audio, sampling_rate=16000, return_attention_mask=True, return_tensors="pt"))
`, ByMel, "saturate mel built 12", 0.0005},
	{"cut for some clips only, which are the project's own", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor(chunk_length=2)
    def __len__(self): return len(self.texts)
    def make(self, text):
        audio = self.engine.tts(text=text)
        features = self.extractor(audio, sampling_rate=16000, return_tensors="pt").input_features[0]
        return features[:, :100] if "the" in text else features
    def __getitem__(self, i):
        return self.make(self.texts[i])
`, ByMel, "saturate mel built", 0.0005},
	{"normalised afterwards", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor(chunk_length=2)
    def features_of(self, text):
        x = self.extractor(self.engine.tts(text=text), sampling_rate=16000, return_tensors="pt").input_features[0]
        return (x - x.mean()) / x.std()
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        return self.features_of(self.texts[i])
`, "own code", "the cached value changes the extractor's output", 0},
	{"scaled in place", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor(chunk_length=2)
    def features_of(self, text):
        x = self.extractor(self.engine.tts(text=text), sampling_rate=16000, return_tensors="np").input_features
        x *= 2
        return x[0]
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        return self.features_of(self.texts[i])
`, "own code", "the cached value changes the extractor's output", 0},
	{"other parameters", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor(chunk_length=2, hop_length=200)
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = self.engine.tts(text=self.texts[i])
        return self.extractor(audio, sampling_rate=16000, return_tensors="pt").input_features[0]
`, "own code", "parameters differ from Whisper's", 0},
	{"other filters, which only a comparison can find", `
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor(chunk_length=2)
        self.extractor.mel_filters = self.extractor.mel_filters * 1.02
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = self.engine.tts(text=self.texts[i])
        return self.extractor(audio, sampling_rate=16000, return_tensors="pt").input_features[0]
`, "own code", "saturate mel's differ from your own", 0},
	{"torchaudio's spectrogram", `
import torchaudio
class Features(Dataset):
    def __init__(self, texts):
        self.texts, self.engine = texts, TTS("vits")
        self.mel = torchaudio.transforms.MelSpectrogram(16000, hop_length=160, n_mels=80)
    def __len__(self): return len(self.texts)
    def __getitem__(self, i):
        audio = torch.from_numpy(self.engine.tts(text=self.texts[i]))
        return torch.log10(self.mel(audio).clamp(min=1e-10))
`, "", "", 0},
}

// Features of Whisper are built by saturate mel when it is asked to, within rounding of the project's own; whatever
// else they are, they are the project's own bit for bit, and it is said why.
func TestFeaturesOfWhisper(t *testing.T) {
	if os.Getenv("SATURATE_TEST_PYTHON") == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: transformers is needed to extract features")
	}
	saturate := filepath.Join(t.TempDir(), "saturate")
	if said, err := exec.Command("go", "build", "-o", saturate, "../../../cmd/saturate").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	program1, err := os.ReadFile("testdata/samples.py")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := os.ReadFile("testdata/texts.txt")
	if err != nil {
		t.Fatal(err)
	}
	var programs []program
	var dirs []string
	for _, x := range extractions {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"data.py": []byte(extracts + strings.TrimLeft(x.source, "\n")), "train.py": program1, "texts.txt": texts} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := copied(t, dir)
		r, refused := repaired(t, dir)
		if len(refused) > 0 || len(r.Patch.Edits) == 0 {
			t.Fatalf("%s: not repaired: %v", x.name, refused)
		}
		if r.Mel != (x.by != "") {
			t.Fatalf("%s: may be built by saturate mel: %t", x.name, r.Mel)
		}
		apply(t, r)
		prepare := r.Prepare[0].Words[1:]
		if r.Mel {
			prepare = append([]string{prepare[0], "--features", "mel"}, prepare[1:]...)
		}
		dirs = append(dirs, dir)
		env := map[string]string{"SATURATE": saturate, "SPEECH_LOG": filepath.Join(dir, "spoken")}
		programs = append(programs,
			program{Dir: dir, Argv: prepare, Env: env},
			program{Dir: dir, Argv: []string{"train.py", filepath.Join(before, "data.py")}, Env: map[string]string{"SPEECH_LOG": filepath.Join(dir, "again")}},
		)
	}
	const whisper = "transformers.models.whisper."
	results := runAll(t, programs, whisper+"feature_extraction_whisper", whisper+"processing_whisper", whisper+"tokenization_whisper", "transformers.audio_utils")
	for i, x := range extractions {
		t.Run(x.name, func(t *testing.T) {
			dir, results := dirs[i], results[2*i:2*i+2]
			for k, r := range results {
				if r.Code != 0 {
					t.Fatalf("run %d ended with %d:\n%s", k, r.Code, r.Output)
				}
			}
			var got struct {
				Kinds   bool
				Largest float64
			}
			out := strings.Split(strings.TrimSpace(results[1].Output), "\n")
			if err := json.Unmarshal([]byte(out[len(out)-1]), &got); err != nil {
				t.Fatalf("%v\n%s", err, results[1].Output)
			}
			if !got.Kinds || got.Largest > x.most || got.Largest == 0 && x.most > 0 {
				t.Errorf("the samples differ: %+v", got)
			}
			if again := lines(t, filepath.Join(dir, "again")); again[0] != "-- as it was --" || len(again) < 12 {
				t.Errorf("spoken again: %q", again)
			}
			if !strings.Contains(results[0].Output, x.because) {
				t.Errorf("not said: %q\n%s", x.because, results[0].Output)
			}
			var made map[string]Made
			if data, err := os.ReadFile(filepath.Join(dir, "offline/made.json")); err == nil {
				if err := json.Unmarshal(data, &made); err != nil {
					t.Fatal(err)
				}
			}
			for place, m := range made {
				if m.By != x.by {
					t.Errorf("%s made by %q, want %q", place, m.By, x.by)
				}
			}
			if (x.by != "") != (len(made) > 0) {
				t.Errorf("nothing is said about who made them: %v", made)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "offline/features/waves")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
