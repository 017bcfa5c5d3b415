package hdf5

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestH5py has h5py read files back, plainly and for SWMR, and compares everything in them.
func TestH5py(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: h5py is needed to read with")
	}
	folder := t.TempDir()
	arguments := []string{"testdata/read.py"}
	const files = 12
	for seed := range uint64(files) {
		data, _, _ := sample(t, seed)
		path := filepath.Join(folder, fmt.Sprintf("%d.h5", seed))
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, path)
	}
	cmd := exec.Command(python, arguments...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("read.py: %v\n%s", err, stderr.String())
	}
	var answers []struct {
		Attributes map[string]string `json:"attributes"`
		Datasets   map[string]struct {
			Type       string            `json:"type"`
			Dims       []int64           `json:"dims"`
			SHA256     string            `json:"sha256"`
			Offset     int64             `json:"offset"`
			Attributes map[string]string `json:"attributes"`
		} `json:"datasets"`
	}
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != files {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	for seed, answer := range answers {
		data, columns, attributes := sample(t, uint64(seed))
		own, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Attributes) != len(attributes) || len(answer.Datasets) != len(columns) {
			t.Errorf("file %d: %d attributes and %d data sets, want %d and %d",
				seed, len(answer.Attributes), len(answer.Datasets), len(attributes), len(columns))
		}
		for name, want := range attributes {
			got := answer.Attributes[name]
			if f, ok := want.(float64); ok {
				if g, err := strconv.ParseFloat(got, 64); err != nil || g != f {
					t.Errorf("file %d: attribute %q is %s, want %v", seed, name, got, f)
				}
			} else if got != fmt.Sprint(want) {
				t.Errorf("file %d: attribute %q is %q, want %q", seed, name, got, want)
			}
		}
		for i, c := range columns {
			content := c.bytes
			if c.kind == String {
				content = []byte(strings.Join(c.texts, "\n"))
			}
			sum := sha256.Sum256(content)
			got := answer.Datasets[c.name]
			mine, _ := own.Dataset(c.name)
			if got.Type != c.kind.String() || fmt.Sprint(got.Dims) != fmt.Sprint(c.dims) ||
				got.SHA256 != hex.EncodeToString(sum[:]) || got.Offset != mine.Offset {
				t.Errorf("file %d: data set %q is %+v, want %s %v at %d", seed, c.name, got, c.kind, c.dims, mine.Offset)
			}
			if got.Attributes["number"] != strconv.Itoa(i) || got.Attributes["name"] != c.name {
				t.Errorf("file %d: data set %q has the attributes %v", seed, c.name, got.Attributes)
			}
		}
	}
}

// TestH5dump has HDF5's own tool read a file.
func TestH5dump(t *testing.T) {
	if _, err := exec.LookPath("h5dump"); err != nil {
		t.Skip("h5dump is not here")
	}
	m := &memory{}
	w := NewWriter(m)
	if _, err := w.Dataset("mel", Float16, 2, 80, 3000); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Strings("path", 2, func(i int64) (string, error) { return []string{"a.wav", "b.wav"}[i], nil }); err != nil {
		t.Fatal(err)
	}
	if err := w.Attribute(nil, "scaling", "whisper"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.h5")
	if err := os.WriteFile(path, finish(t, w, m), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("h5dump", "-H", path).CombinedOutput()
	if err != nil {
		t.Fatalf("h5dump -H: %v\n%s", err, out)
	}
	all, err := exec.Command("h5dump", "-d", "/path", "-a", "/scaling", path).CombinedOutput()
	if err != nil {
		t.Fatalf("h5dump -d: %v\n%s", err, all)
	}
	for _, want := range []string{
		`DATASET "mel"`, "( 2, 80, 3000 )", "H5T_CSET_UTF8", `ATTRIBUTE "scaling"`, `"a.wav", "b.wav"`, `"whisper"`,
	} {
		if !strings.Contains(string(out)+string(all), want) {
			t.Errorf("h5dump does not show %s:\n%s%s", want, out, all)
		}
	}
}
