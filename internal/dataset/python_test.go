package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
	cmd := exec.Command(python, "testdata/read.py", "python")
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
