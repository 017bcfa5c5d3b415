package optimize

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/verify"
)

const spokenClips = `from torch.utils.data import Dataset
from transformers import WhisperFeatureExtractor
from TTS.api import TTS


class Clips(Dataset):
    def __init__(self, texts):
        self.texts, self.engine, self.extractor = texts, TTS("vits"), WhisperFeatureExtractor()

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        audio = self.engine.tts(text=self.texts[index])
        return self.extractor(audio, sampling_rate=16000, return_tensors="pt").input_features[0]
`

// Features of Whisper are first the project's own, then those of saturate mel, which are a rung of their own and need
// another guard. Where they cannot be built, or were already, it says so.
func TestFeaturesByMel(t *testing.T) {
	const own, built = `{"features": {"by": "own code", "why": "it costs little"}}`, `{"features": {"by": "saturate mel", "why": "", "largest_difference": 0.00049}}`
	for _, tt := range []struct {
		name          string
		first, second string // what the script says it made, without and with --features mel
		faster        float64
		offline, mel  Decision
		because       string
		numerics      verify.Numerics
		prepare       string
	}{
		{"built features load faster", own, built, 0.8, Kept, Kept, "values within 0.00049", verify.Changed, "scripts/precompute_tts.py --features mel train.py"},
		{"they make no difference", own, built, 1, Kept, Useless, "", verify.Same, "scripts/precompute_tts.py train.py"},
		{"they differ", own, strings.ReplaceAll(own, "it costs little", "saturate mel's differ"), 1, Kept, Broken, "saturate mel's differ", verify.Same, "scripts/precompute_tts.py train.py"},
		{"the script chose them by itself", built, built, 1, Kept, NotNeeded, "already", verify.Changed, "scripts/precompute_tts.py train.py"},
		{"offline is of no use", own, built, 1, Useless, NotNeeded, "offline, which was not kept", verify.Same, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gain := 0.5
			if tt.offline == Useless {
				gain = 1
			}
			w := newWorld(3, effect{shows: `"by"`, seconds: gain, loss: 1}, effect{shows: "mel by flag", seconds: tt.faster, loss: 1})
			o := w.options(t)
			if err := os.WriteFile(filepath.Join(o.Dir, "data.py"), []byte(spokenClips), 0o644); err != nil {
				t.Fatal(err)
			}
			o.Rules.Select = []string{"SAT101", "SAT104"}
			o.Prepare = func(_ context.Context, home probe.Home, words []string) error {
				text, flag := tt.first, ""
				if slices.Contains(words, "--features") {
					text, flag = tt.second, "mel by flag"
				}
				folder := filepath.Join(home.Root, "offline")
				os.RemoveAll(folder) // its files are shared with other trees
				return errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "made.json"), []byte(text), 0o644), os.WriteFile(filepath.Join(folder, "flag"), []byte(flag), 0o644))
			}
			w.reads = []string{"offline/made.json", "offline/flag"}
			result, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := decisions(result)
			if got["offline"] != tt.offline || got["offline/2"] != tt.mel {
				t.Fatalf("decisions %v", got)
			}
			for _, r := range result.Ladder {
				if r.ID == "offline/2" && !strings.Contains(r.Because, tt.because) {
					t.Errorf("because %q, want %q", r.Because, tt.because)
				}
			}
			if tt.prepare == "" {
				if result.Final != nil {
					t.Error("something is proven, though nothing was kept")
				}
				return
			}
			if result.Final == nil || result.Final.Guard.Numerics != tt.numerics {
				t.Errorf("the guard of the proof is %+v, want %s", result.Final, tt.numerics)
			}
			if len(result.Prepare) != 1 || !strings.HasSuffix(result.Prepare[0], tt.prepare) {
				t.Errorf("to be run once: %q, want %q", result.Prepare, tt.prepare)
			}
		})
	}
}

// A script that builds features finds this program by a variable, unless the user named another.
func TestScriptsFindThisProgram(t *testing.T) {
	environ := []string{"PATH=/bin", "SATURATE=/opt/saturate"}
	if got := withSelf(environ); !slices.Equal(got, environ) {
		t.Errorf("%v", got)
	}
}

// Making files ends with the budget, which says nothing about the repair, and the next call goes on with what was made.
func TestMakingFilesIsBoundedAndResumed(t *testing.T) {
	w := newWorld(3)
	o := w.options(t)
	if err := os.WriteFile(filepath.Join(o.Dir, "data.py"), []byte(spokenClips), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Rules.Select = []string{"SAT101", "SAT104"}
	o.Budget = time.Second
	now := time.Now()
	o.Now = func() time.Time { return now }
	o.Prepare = func(ctx context.Context, home probe.Home, _ []string) error {
		folder := filepath.Join(home.Root, "offline/speech")
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, "first.wav"), nil, 0o644)); err != nil {
			return err
		}
		<-ctx.Done()
		now = now.Add(2 * time.Second)
		return ctx.Err()
	}
	result, err := Run(t.Context(), o)
	if err != nil || !strings.Contains(result.Unfinished, "budget") || len(result.Ladder) > 0 {
		t.Fatalf("unfinished %q, ladder %v, %v", result.Unfinished, decisions(result), err)
	}
	found := false
	o.Budget = 0
	o.Prepare = func(_ context.Context, home probe.Home, _ []string) error {
		_, err := os.Stat(filepath.Join(home.Root, "offline/speech/first.wav"))
		found = found || err == nil
		return nil
	}
	if result, err = Run(t.Context(), o); err != nil || result.Unfinished != "" || !found {
		t.Errorf("unfinished %q, the file is there: %v, %v", result.Unfinished, found, err)
	}
	if _, err := os.Stat(filepath.Join(o.State, "trees/begun")); err == nil {
		t.Error("the tree that was put aside is still there")
	}
}
