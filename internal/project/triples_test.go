package project

import "testing"

func TestTriplesHoldEveryPart(t *testing.T) {
	text := "model = nn.Linear(8, 2)  # größer\n"
	all := triplesOf([]byte(text))
	for from := range text {
		for to := from; to <= len(text); to++ {
			if !all.mayHold(text[from:to]) {
				t.Errorf("%q is in the text", text[from:to])
			}
		}
	}
	for _, word := range []string{"DataLoader", "autocast"} {
		if all.mayHold(word) {
			t.Errorf("%q is not in the text", word)
		}
	}
}
