// Package examples holds a training project with the usual mistakes and the same project repaired by hand.
// Its tests hold the two together: what they share is the same, and both learn the same thing.
package examples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tolerance is the relative difference allowed between the losses of the two on a CPU:
// the repaired one keeps its features in half precision.
const tolerance = 1e-5

func TestBothLearnTheSame(t *testing.T) {
	slow := train(t, "whisper-tts")
	tuned := train(t, "whisper-tts-tuned", "--cache", t.TempDir())
	if len(slow) != 3 || len(tuned) != 3 {
		t.Fatalf("whisper-tts logged %d steps, whisper-tts-tuned %d; want 3 each", len(slow), len(tuned))
	}
	for i, want := range slow {
		got := tuned[i]
		if got.Step != want.Step || got.Samples != want.Samples {
			t.Errorf("step %d of %d samples against step %d of %d", want.Step, want.Samples, got.Step, got.Samples)
		}
		if off := math.Abs(got.Loss-want.Loss) / want.Loss; !(off <= tolerance) {
			t.Errorf("step %d: losses %v and %v differ by %.2g of their value; at most %.0g is allowed",
				want.Step, want.Loss, got.Loss, off, tolerance)
		}
	}
}

type step struct {
	Step    int     `json:"step"`
	Seconds float64 `json:"s"`
	Loss    float64 `json:"loss"`
	Samples int     `json:"samples"`
}

// train runs three steps of an example on the CPU and returns what it logged of them.
func train(t *testing.T, example string, options ...string) []step {
	t.Helper()
	log := filepath.Join(t.TempDir(), "steps.jsonl")
	args := append([]string{filepath.Join(example, "train.py"), "--steps", "3", "--device", "cpu", "--log-steps", log}, options...)
	out := runPython(t, args...)
	if !regexp.MustCompile(`(?m)^\d+\.\d+ s/it  \d+\.\d+ samples/s  \(2 steps\)$`).MatchString(out) {
		t.Errorf("%s did not end with its s/it:\n%s", example, out)
	}
	lines, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	for line := range strings.Lines(string(lines)) {
		var one step
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%s logged %q: %v", example, line, err)
		}
		if !(one.Seconds > 0) {
			t.Errorf("%s: step %d took %v s", example, one.Step, one.Seconds)
		}
		steps = append(steps, one)
	}
	return steps
}

func runPython(t *testing.T, args ...string) string {
	t.Helper()
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: the examples need a Python with torch and transformers")
	}
	command := exec.Command(python, args...)
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("python %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return string(out)
}

// The formant voice gives the same samples in every process, and samples that could be speech.
func TestFormantVoice(t *testing.T) {
	const program = `
import sys; sys.path.insert(0, "whisper-tts")
import zlib, numpy as np, speech
voice = {"engine": "formant", "words_per_minute": 165, "pitch_hz": 115}
said = speech.speak("Could you turn the lights off in the hallway before you go to bed?", voice)
hiss, vowel = (np.abs(np.fft.rfft(speech.speak(text, voice))) for text in ("sss", "ooo"))
share = lambda s: s[len(s) // 2:].sum() / s.sum()
print(zlib.crc32(said.tobytes()), 2 < len(said) / speech.RATE < 6, abs(said).max() < 0.7, share(hiss) > 0.5 > 0.2 > share(vowel))
`
	first := runPython(t, "-c", program)
	if again := runPython(t, "-c", program); again != first {
		t.Errorf("two processes said different things: %s and %s", first, again)
	}
	if !strings.HasSuffix(first, " True True True\n") {
		t.Errorf("length, loudness or spectrum is not that of speech: %s", first)
	}
}

func TestSharedFilesAreTheSame(t *testing.T) {
	for _, name := range []string{"config.yaml", "make_tokenizer.py", "requirements.txt", "speech.py", "texts.txt", "tokenizer.json"} {
		if !bytes.Equal(read(t, "whisper-tts", name), read(t, "whisper-tts-tuned", name)) {
			t.Errorf("%s differs between whisper-tts and whisper-tts-tuned", name)
		}
	}
}

func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(string(read(t, "whisper-tts", "texts.txt"))) {
		text := strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(text) != text || len(strings.Fields(text)) < 5 || seen[text] {
			t.Errorf("%q is no new sentence", text)
		}
		seen[text] = true
	}
	if len(seen) != 200 {
		t.Errorf("texts.txt has %d sentences; want 200", len(seen))
	}
}

// The figures in the README are those of the recorded result.
func TestReadmeStatesTheRecordedRatio(t *testing.T) {
	type run struct {
		SecondsPerStep float64 `json:"s_per_it"`
	}
	var result struct {
		Median struct{ Slow, Tuned float64 }
		Ratio  float64
		Slow   []run
		Tuned  []run
	}
	if err := json.Unmarshal(read(t, "results", "h200.json"), &result); err != nil {
		t.Fatal(err)
	}
	if off := result.Median.Slow/result.Median.Tuned - result.Ratio; math.Abs(off) > 1e-9 {
		t.Errorf("results/h200.json: the ratio is not that of its medians")
	}
	want := []string{fmt.Sprintf("ratio of **%.1f**", result.Ratio)}
	for name, of := range map[string][]run{"whisper-tts": result.Slow, "whisper-tts-tuned": result.Tuned} {
		var runs []string
		for _, one := range of {
			runs = append(runs, fmt.Sprintf("%.4f", one.SecondsPerStep))
		}
		want = append(want, fmt.Sprintf("| %s | %s |", name, strings.Join(runs, " ")))
	}
	readme := string(read(t, "README.md"))
	for _, figure := range want {
		if !strings.Contains(readme, figure) {
			t.Errorf("README.md does not say %q", figure)
		}
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
