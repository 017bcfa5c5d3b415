package rule

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// TestExampleDataPath holds the rules about data, loaders, memory and several
// GPUs to the example project: they name each of its mistakes at its place and
// nothing else, and nothing at all in its repaired twin.
func TestExampleDataPath(t *testing.T) {
	for project, want := range map[string][]string{
		"whisper-tts": {
			"SAT101 speech.py:28", "SAT104 dataset.py:34", "SAT111 dataset.py:35", "SAT201 train.py:80", "SAT203 train.py:80",
		},
		"whisper-tts-tuned": nil,
	} {
		t.Run(project, func(t *testing.T) {
			p := load(t, filepath.Join("..", "..", "examples", project))
			result, err := OnSource(context.Background(), p, Selection{Select: []string{"SAT1", "SAT2", "SAT5", "SAT6"}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range result.Findings {
				got = append(got, fmt.Sprintf("%s %s:%d", f.Code, filepath.Base(f.Where.Path), f.Where.Line))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("the rules find\n%q\nnot\n%q", got, want)
			}
		})
	}
}
