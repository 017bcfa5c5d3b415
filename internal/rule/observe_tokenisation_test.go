package rule

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestTokenisationIsObserved checks what is said about tokenisation where it is
// fine and where it is not: testdata/observe-tokenisation holds one project for
// each place in which it can run.
func TestTokenisationIsObserved(t *testing.T) {
	for _, c := range []struct{ file, says string }{
		{"item.py", "for every sample while loading (Texts.__getitem__), one text at a time, with a fast Rust tokenizer"},
		{"collate.py", "in the collate function (collate), a batch at a time, with a slow Python tokenizer"},
		{"mapped.py", "in a map over the dataset, once (tokenize), a batch at a time, with a fast Rust tokenizer"},
		{"rows.py", "in a map over the dataset, once (tokenize), one text at a time"},
		{"before.py", "before training, outside the data path (main), a batch at a time, with a fast Rust tokenizer"},
		{"step.py", "in every training step (train), a batch at a time"},
		{"made.py", ""},
		{"nothing.py", ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			p := load(t, filepath.Join("testdata", "observe-tokenisation", c.file))
			result, err := OnSource(context.Background(), p, Selection{Select: []string{tokenizePerSample.Code}})
			if err != nil {
				t.Fatal(err)
			}
			if c.says == "" {
				if len(result.Observations) > 0 {
					t.Errorf("it says %+v of a file that does not tokenize for training", result.Observations)
				}
				return
			}
			if len(result.Observations) != 1 {
				t.Fatalf("it makes %d observations, not one: %+v", len(result.Observations), result.Observations)
			}
			if o := result.Observations[0]; o.Topic != "tokenization" || !strings.Contains(o.Text, c.says) || o.Where == nil {
				t.Errorf("it says %q, which does not hold %q", o.Text, c.says)
			}
		})
	}
}
