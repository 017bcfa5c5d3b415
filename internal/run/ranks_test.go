package run

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSamplesOfAllRanks(t *testing.T) {
	dir := t.TempDir()
	lines := `{"step": 1, "s": 2, "samples": 3}
{"step": 2, "s": 2, "samples": 5}
`
	if err := os.WriteFile(filepath.Join(dir, "1.jsonl"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	r := Run{
		Dir: dir, Steps: []Step{{Index: 1, Seconds: 2, Samples: 4}, {Index: 2, Seconds: 2, Samples: 4}, {Index: 3, Seconds: 2, Samples: 4}},
		Artefacts: []Artefact{{"1.jsonl", "steps"}, {"gone.jsonl", "steps"}, {"x.json", "trace"}},
	}
	for i, s := range Together(r.Steps, r.OtherRanks()) {
		if want := []float64{7, 9, 8}[i]; s.Samples != want || s.Seconds != 2 {
			t.Errorf("step %d has %v samples in %v s, want %v in 2", s.Index, s.Samples, s.Seconds, want)
		}
	}
	if r.Steps[0].Samples != 4 {
		t.Error("the steps of the first rank were changed")
	}
}
