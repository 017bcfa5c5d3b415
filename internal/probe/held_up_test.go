package probe

import (
	"strings"
	"testing"

	"saturate/internal/run"
)

// The rank that holds the first one up is explained, and nobody is blamed where ranks do alike or do not go in step.
func TestHeldUp(t *testing.T) {
	rank := func(number int, step, data float64) Rank {
		r := Rank{Rank: number, World: 3}
		for i := range 20 {
			r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: step, Parts: []run.Part{{Name: "data", Seconds: data}, {Name: "backward", Seconds: step - data}}})
		}
		return r
	}
	for _, tt := range []struct {
		name  string
		ranks []Rank
		want  string
	}{
		{"one rank", []Rank{rank(0, 0.1, 0.01)}, ""},
		{"alike", []Rank{rank(0, 0.1, 0.05), rank(1, 0.1, 0.055)}, ""},
		{"rank 2 loads slowly", []Rank{rank(0, 0.1, 0.01), rank(1, 0.1, 0.03), rank(2, 0.1, 0.08)}, "Rank 0 waits for rank 2, 70.0 ms a step. Rank 2: The program waited for data 80% of the time"},
		{"rank 0 loads slowly", []Rank{rank(0, 0.1, 0.08), rank(1, 0.1, 0.01)}, ""},
		{"each on its own", []Rank{rank(0, 0.1, 0.01), rank(1, 0.3, 0.28)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := Explain(tt.ranks[0].Steps, false)
			e, at := Outcome{Ranks: tt.ranks}.HeldUp(first, false)
			held := at > 0
			switch {
			case held != (tt.want != ""), !held && e.Sentence != first.Sentence, !strings.HasPrefix(e.Sentence, tt.want):
				t.Errorf("%v: %s", held, e.Sentence)
			case held && e.Bottleneck != "data_loading":
				t.Errorf("the bottleneck is %s", e.Bottleneck)
			}
		})
	}
}
