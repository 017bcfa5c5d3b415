package report

import (
	"testing"

	"saturate/internal/finding"
)

func TestInterval(t *testing.T) {
	cases := []struct {
		from, to int64
		want     string
	}{
		{0, 600e6, "0–600 ms into the trace"},
		{1_510_000_000, 1_510_012_000, "1.510000–1.510012 s into the trace"},
		{1_510_000_000, 1_510_000_000, "1.51 s into the trace"},
	}
	for _, c := range cases {
		if got := interval(finding.Interval{StartNS: c.from, EndNS: c.to}); got != c.want {
			t.Errorf("%d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
