package patch

import (
	"bytes"
	"fmt"
	"slices"
)

// Edits applies edits to one file's bytes. Edits may come in any order; two that touch the
// same bytes are an error, insertions at one place keep the order they came in.
func Edits(src []byte, edits []Edit) ([]byte, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, byPlace)
	var out bytes.Buffer
	at := 0
	for i, e := range sorted {
		if e.Start < 0 || e.End < e.Start || e.End > len(src) {
			return nil, fmt.Errorf("%s: the edit of bytes %d to %d is outside the file (%d bytes)", e.Path, e.Start, e.End,
				len(src))
		}
		if i > 0 && overlap(sorted[i-1], e) {
			return nil, fmt.Errorf("%s: two edits touch bytes %d to %d", e.Path, e.Start, sorted[i-1].End)
		}
		out.Write(src[at:e.Start])
		out.WriteString(e.Text)
		at = e.End
	}
	out.Write(src[at:])
	return out.Bytes(), nil
}

// byPlace orders by start; at one place insertions stand before the replacement that begins there.
func byPlace(a, b Edit) int {
	if a.Start != b.Start {
		return a.Start - b.Start
	}
	return a.End - b.End
}

// overlap says whether two edits of one file want the same bytes. Insertions at the same place do
// not; an insertion inside a replaced range does.
func overlap(a, b Edit) bool {
	if a.Path != b.Path {
		return false
	}
	if byPlace(a, b) > 0 {
		a, b = b, a
	}
	return b.Start < a.End
}

// Select takes patches in order and leaves out each one that wants bytes an earlier one already
// changes: one wins, the other is reported. Edits that several patches share (an import that
// each needs) are made once.
func Select(patches []Patch) (taken []Patch, conflicts []Conflict) {
	byFile := map[string][]Edit{}
	for _, p := range patches {
		fresh := slices.DeleteFunc(slices.Clone(p.Edits), func(e Edit) bool { return slices.Contains(byFile[e.Path], e) })
		if at := slices.IndexFunc(fresh, func(e Edit) bool {
			return slices.ContainsFunc(byFile[e.Path], func(other Edit) bool { return overlap(e, other) })
		}); at >= 0 {
			conflicts = append(conflicts, Conflict{Lost: p, At: fresh[at]})
			continue
		}
		for _, e := range fresh {
			byFile[e.Path] = append(byFile[e.Path], e)
		}
		taken = append(taken, Patch{Title: p.Title, Safety: p.Safety, Edits: fresh})
	}
	return taken, conflicts
}

// Conflict is a patch that was left out, and the edit that clashed.
type Conflict struct {
	Lost Patch
	At   Edit
}
