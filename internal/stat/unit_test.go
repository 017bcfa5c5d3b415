package stat

import "testing"

func TestBetter(t *testing.T) {
	for unit, want := range map[string]int{"s/it": -1, "s": -1, "sec/it": -1, "samples/s": 1, "B": -1, "B/s": 1, "": 0, "loss": 0, "steps": 0} {
		if got := Better(unit); got != want {
			t.Errorf("%q: %d, want %d", unit, got, want)
		}
	}
}
