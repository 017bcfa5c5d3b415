package project

import "testing"

func TestSpelledIn(t *testing.T) {
	for text, want := range map[string]bool{
		`options["precision"]`:               true,
		`parser.add_argument("--precision")`: true,
		`dict(precision = 16)`:               true,
		`args.precision`:                     true,
		`precision: bf16`:                    true,
		`# the precision of products`:        false,
		`set_matmul_precision("high")`:       false,
		`"precisions"`:                       false,
	} {
		if got := spelledIn([]byte(text), "precision"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
