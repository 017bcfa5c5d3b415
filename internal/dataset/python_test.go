package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"saturate/internal/mel"
)

// TestPythonReads has the emitted module, in 8 worker processes, and h5py, numpy, pyarrow and tarfile read
// every format in every layout.
func TestPythonReads(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: torch, h5py and pyarrow are needed to read with")
	}
	dir := corpus(t, 40)
	var manifest bytes.Buffer
	for i := range 40 {
		fmt.Fprintf(&manifest, "{\"audio_filepath\": \"%04d.wav\", \"text\": \"text, \\u00e4 %d\", \"speaker\": %d}\n", i, i, i%3)
	}
	write(t, filepath.Join(dir, "manifest.jsonl"), manifest.Bytes())
	l := find(t, dir, "manifest.jsonl")

	type row struct {
		Path   string `json:"path"`
		Text   string `json:"text"`
		SHA256 string `json:"sha256"`
	}
	type request struct {
		Path   string `json:"path"`
		To     string `json:"to"`
		Layout string `json:"layout"`
		Rows   []row  `json:"rows"`
	}
	var requests []request
	for _, to := range FormatNames() {
		for _, layout := range layouts {
			o := small(t, dir, to)
			o.Shard = 9
			layout.set(&o)
			build(t, l, o)
			b, _, err := openAny(o.Output)
			if err != nil {
				t.Fatal(err)
			}
			r := request{Path: o.Output, To: to, Layout: layout.name}
			c := &checker{built: b}
			if err := c.structure(&o); err != nil {
				t.Fatal(err)
			}
			for i := range c.rows() {
				if v := b.numbers["valid"]; v != nil && v[i] == 0 {
					continue
				}
				frames := c.shape.frames(c.shape.length)
				if c.shape.ragged {
					frames = int(b.numbers["frames"][i])
				}
				values := make([]uint16, 80*frames)
				if err := c.read(i, values); err != nil {
					t.Fatal(err)
				}
				raw, _ := binary.Append(nil, binary.LittleEndian, values)
				r.Rows = append(r.Rows, row{b.texts["path"][i], b.texts["text"][i], fmt.Sprintf("%x", sha256.Sum256(raw))})
			}
			requests = append(requests, r)
			b.close()
		}
	}
	in, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/read.py", "../../python")
	cmd.Stdin = bytes.NewReader(in)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	answer, err := cmd.Output()
	if err != nil {
		t.Fatalf("read.py: %v\n%s", err, stderr.String())
	}
	var problems []string
	if err := json.Unmarshal(answer, &problems); err != nil {
		t.Fatalf("read.py answered %q: %v", answer, err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestAgreesWithOthers compares rows on the disk with what other extractors give for the same files: speech,
// where espeak-ng is installed, tones, noise, silence, short and long ones.
func TestAgreesWithOthers(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: transformers and torch are needed to compare with")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(5, 6))
	noise, tone := make([]int16, 100000), make([]int16, 200000)
	for i := range noise {
		noise[i] = int16(3000 * random.NormFloat64())
	}
	for i := range tone {
		tone[i] = int16(12000 * math.Sin(2*math.Pi*440*float64(i)/16000))
	}
	for name, samples := range map[string][]int16{
		"noise": noise, "tone": tone, "silence": make([]int16, 50000), "short": voice(500, 1), "long": voice(600000, 2), "voice": voice(160000, 3),
	} {
		write(t, filepath.Join(dir, name+".wav"), wav(t, 16000, 1, samples))
	}
	if speech, err := exec.Command("espeak-ng", "--stdout", "The quick brown fox jumps over the lazy dog.").Output(); err == nil && len(speech) > 1000 {
		samples := make([]int16, (len(speech)-44)/2)
		if _, err := binary.Decode(speech[44:], binary.LittleEndian, samples); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "speech.wav"), wav(t, 16000, 1, samples))
	} else {
		t.Log("espeak-ng is not here: speech is left out")
	}
	o := Defaults()
	o.Dir, o.Output = dir, filepath.Join(t.TempDir(), "out.h5")
	build(t, find(t, dir), o)
	cmd := exec.Command(python, "testdata/agree.py", o.Output, dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	answer, err := cmd.Output()
	if err != nil {
		t.Fatalf("agree.py: %v\n%s", err, stderr.String())
	}
	var differences map[string][2]float64
	if err := json.Unmarshal(answer, &differences); err != nil || len(differences) != 2 {
		t.Fatalf("agree.py answered %q: %v", answer, err)
	}
	const halfStep = 1.0 / 2048 // of FP16 between 1 and 2
	for name, d := range differences {
		t.Logf("%s: largest difference %.2g, mean %.2g", name, d[0], d[1])
		if !(d[0] <= halfStep+2*mel.MostError) {
			t.Errorf("rows differ from %s by %.2g", name, d[0])
		}
	}
}
