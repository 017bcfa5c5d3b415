package rule

import (
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
)

// TestThreeProjections wants the evidence to name the three products of one input, at the line of the first layer.
func TestThreeProjections(t *testing.T) {
	found := findings(t, "testdata/manual-attention/projections", &manualAttention)
	if len(found) != 1 || !slices.ContainsFunc(found[0].Evidence, func(e finding.Evidence) bool {
		return strings.Contains(e.Text, "three products") && e.Location != nil && e.Location.Line == 8
	}) {
		t.Errorf("no evidence of three products at line 8: %+v", found)
	}
}
