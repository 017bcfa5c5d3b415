package optimize

import (
	"slices"

	"saturate/internal/finding"
)

// waiting reports whether a program waits for its data.
func (b *Baseline) waiting() bool {
	return b != nil && len(b.Parts) > 0 && b.Shares.Data >= longWait
}

// longWait is the share of a step that is worth asking why.
const longWait = 0.1

// onlyData reports whether a repair shortens nothing but the wait for data and its copies.
func (c Candidate) onlyData() bool {
	loads := []finding.Area{finding.DataArea, finding.TransferArea, finding.WorkersArea}
	return !slices.ContainsFunc(c.Codes, func(code string) bool {
		return slices.ContainsFunc(areasOf(code), func(a finding.Area) bool { return !slices.Contains(loads, a) })
	})
}
