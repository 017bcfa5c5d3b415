package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"saturate/internal/run"
	"saturate/internal/stat"
)

func everything() Measured {
	roof := h200().roofOf("torch", "bf16")
	m := h200(attention(large, roof, 1.25))
	worst := stat.Number(0.001)
	m.Started = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	m.Cases[0].Levels = []MeasuredLevel{{Level: 0, Name: "baseline", Timings: onGPU(0.02, 1e-5), Memory: &Memory{Peak: 5e9, Cached: unknown}, MaxError: &worst}}
	m.Layers = []MeasuredLayer{{Case: large, Layer: "whisper-encoder", FFN: 8192, Depth: 1, Pass: "forward", Timings: onGPU(0.1, 1e-5)}}
	m.Rates = []MeasuredRate{{Framework: "torch", Name: "4 workers", Workers: 4, Seconds: same(2), Items: same(320), Audio: same(9600)}}
	m.Skipped = []Skip{{"jax", "it is not installed"}}
	return m
}

func TestKeptRunsReadAgain(t *testing.T) {
	m := everything()
	r, err := Keep(t.TempDir(), m, run.Options{Command: []string{"saturate", "bench", "attention"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != run.Complete || r.Name != "bench-attention" || !IsBench(r.Dir) || IsBench(filepath.Dir(r.Dir)) || !r.Started.Equal(m.Started) || r.WallSeconds <= 0 {
		t.Errorf("%+v", r)
	}
	if r.Environment.GPUs[0].Name != "NVIDIA H200" {
		t.Errorf("%+v", r.Environment)
	}
	again, err := Read(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(Judge(m))
	after, _ := json.Marshal(Judge(again))
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("judged differently after reading: %s", diff)
	}
}

// benchstat's own parser has to understand what is exported, and to tell the parts of a name apart.
func TestBenchstatReadsRuns(t *testing.T) {
	r, err := Keep(t.TempDir(), everything(), run.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.WriteBenchmark(&text); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for reader := benchfmt.NewReader(&text, "run"); reader.Scan(); {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(record)
		case *benchfmt.Result:
			_, parts := record.Name.Parts()
			for _, part := range parts {
				seen[string(part)]++
			}
			seen[record.Values[0].Unit]++
		}
	}
	for part, want := range map[string]int{"/part=softmax": 6, "/level=0": 7, "/framework=torch": 70, "/dtype=bf16": 52, "/workers=4": 6, "sec": 42, "items/s": 6, "B": 1} {
		if seen[part] != want {
			t.Errorf("%s occurs %d times, want %d", part, seen[part], want)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	for text, says := range map[string]string{
		"":                              "it is damaged",
		`{"schema": "saturate/bench`:    "it is damaged",
		`{"schema": "somebody/else/1"}`: `its schema is "somebody/else/1"`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// FuzzKept: a file that somebody changed by hand is judged or refused.
func FuzzKept(f *testing.F) {
	text, err := json.Marshal(kept{schema, everything()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"saturate/bench-samples/1","cases":[{"heads":0,"components":[{"name":"softmax","cold":{"wall_s":[0]}}],"levels":[{"level":-5}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decode(data)
		if err != nil {
			return
		}
		if _, err := json.Marshal(Judge(m)); err != nil {
			t.Error(err)
		}
		m.Series()
	})
}
