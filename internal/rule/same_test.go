package rule

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/project"
)

// The same code has the same findings, whether the user names a folder of several programs, one of them or a file.
func TestSameFindingsForTheSameCode(t *testing.T) {
	file := filepath.Join("..", "..", "examples", "whisper-tts", "train.py")
	var want []string
	for _, path := range []string{filepath.Join("..", "..", "examples"), filepath.Dir(file), file} {
		p, err := project.Load(context.Background(), []string{path}, project.Options{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := OnSource(context.Background(), p, Selection{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range result.Findings {
			if f.Where.Path == file {
				got = append(got, fmt.Sprintf("%s:%d", f.Code, f.Where.Line))
			}
		}
		slices.Sort(got)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || !slices.ContainsFunc(got, func(s string) bool { return s[:6] == "SAT316" }) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
