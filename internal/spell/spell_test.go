package spell

import "testing"

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", 1500: "1,500 files", 9999999: "9,999,999 files"} {
		if got := Plural(n, "file"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1204331: "1,204,331", -100: "-100", -1234: "-1,234"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
