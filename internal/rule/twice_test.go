package rule

import (
	"testing"

	"saturate/internal/finding"
)

func TestDropTwice(t *testing.T) {
	at := func(code string, start int, message string, sure float64) finding.Finding {
		return finding.Finding{Code: code, Message: message, Confidence: sure, Where: &finding.Location{Path: "data.py", Start: start, End: 9}}
	}
	got := dropTwice([]finding.Finding{
		at("SAT104", 1, "a", 0.8), at("SAT104", 1, "a", 1), at("SAT104", 2, "a", 0.5), at("SAT104", 1, "b", 0.5), at("SAT108", 1, "a", 0.5),
	})
	if len(got) != 4 || got[0].Confidence != 1 {
		t.Errorf("%d are left, the first %v sure", len(got), got[0].Confidence)
	}
}
