package mel

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// speech is what espeak-ng says, taken as if it were sampled at 16 kHz.
func speech(t *testing.T) (signal, bool) {
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Log("espeak-ng is not here: speech is left out")
		return signal{}, false
	}
	wav, err := exec.Command("espeak-ng", "--stdout",
		"The quick brown fox jumps over the lazy dog, and then, after a short pause, it does so once more.").Output()
	if err != nil || len(wav) < 1000 {
		t.Fatalf("espeak-ng gave %d bytes, %v", len(wav), err)
	}
	samples := make([]int16, (len(wav)-44)/2)
	if _, err := binary.Decode(wav[44:], binary.LittleEndian, samples); err != nil {
		t.Fatal(err)
	}
	return fromPCM("speech", samples), true
}

func writeFloats(t *testing.T, path string, values []float32) {
	t.Helper()
	text, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFloats(t *testing.T, path string) []float32 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, len(text)/4)
	if _, err := binary.Decode(text, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return values
}

// TestOtherImplementations compares with Hugging Face's extractor, by numpy and by torch, and with
// openai-whisper's formula. They compute in float32 too, so both errors add up.
func TestOtherImplementations(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: transformers and torch are needed to compare with")
	}
	type clip struct {
		In     string `json:"in"`
		Out    string `json:"out"`
		Mels   int    `json:"mels"`
		Length int    `json:"length"`
	}
	list := signals()
	if s, ok := speech(t); ok {
		list = append(list, s)
	}
	list = append(list, pcm("long voice", 700000, voice()))
	folder := t.TempDir()
	var clips []clip
	var of []signal
	for i, s := range list {
		in := filepath.Join(folder, fmt.Sprintf("%d.f32", i))
		writeFloats(t, in, s.single)
		for _, mels := range []int{80, 128} {
			for _, length := range []int{len(s.single), 480000} {
				if length < 160 || length == 480000 && i%8 != 0 && s.name != "speech" {
					continue
				}
				out := filepath.Join(folder, fmt.Sprintf("%d.%d.%d.", i, mels, length))
				clips, of = append(clips, clip{in, out, mels, length}), append(of, s)
			}
		}
	}
	request, err := json.Marshal(clips)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/peers.py")
	cmd.Stdin = bytes.NewReader(request)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	answer, err := cmd.Output()
	if err != nil {
		t.Fatalf("peers.py: %v\n%s", err, stderr.String())
	}
	var names [][]string
	if err := json.Unmarshal(answer, &names); err != nil {
		t.Fatalf("peers.py answered %q: %v", answer, err)
	}
	worst, mean, count := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for i, c := range clips {
		p := Whisper(c.Mels)
		checkFilters(t, p, readFloats(t, c.Out+"filters"))
		for _, level := range Levels() {
			x, err := NewAt(p, level)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := extract(t, x, Samples{Float: of[i].single}, c.Length)
			for _, name := range names[i] {
				want := readFloats(t, c.Out+name)
				if len(want) != len(got) {
					t.Fatalf("%s: %d values of %s for %d", of[i].name, len(want), name, len(got))
				}
				largest := 0.0
				for j, w := range want {
					d := math.Abs(float64(got[j] - w))
					largest = max(largest, d)
					mean[name] += d
				}
				count[name] += float64(len(want))
				worst[name] = max(worst[name], largest)
				if !(largest <= 2*MostError) {
					t.Errorf("%s, %d samples, %d bands: %s differs from %s by %.2g", of[i].name, c.Length, c.Mels, level, name, largest)
				}
			}
		}
	}
	for name := range worst {
		t.Logf("%s: largest difference %.2g, mean %.2g over %.0f values", name, worst[name], mean[name]/count[name], count[name])
	}
}

// checkFilters expects the others' bank, except for the last bit: Hugging Face normalises in float64.
func checkFilters(t *testing.T, p Params, want []float32) {
	t.Helper()
	frequencies := p.NFFT/2 + 1
	for m, f := range p.filters() {
		row := make([]float32, frequencies)
		copy(row[f.first:], f.weights)
		for k, w := range row {
			if o := want[m*frequencies+k]; math.Abs(float64(w-o)) > 4e-9 {
				t.Fatalf("weight %d of band %d of %d is %v, want %v", k, m, p.Mels, w, o)
			}
		}
	}
}
