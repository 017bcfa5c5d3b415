package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Range sums a range that the program marks, by record_function or NVTX: DataLoading, Forward.
type Range struct {
	Name    string  `json:"name"`     // of the range
	Count   int     `json:"count"`    // how often it ran
	TotalNS int64   `json:"total_ns"` // on the host
	Share   float64 `json:"share"`    // of the window, in which such a range runs; several at once count once
}

// ranges sums what is marked on the host, the longest first. The marks of steps are left out.
func (v *view) ranges() []Range {
	sums, when := map[trace.NameID]*Range{}, map[trace.NameID][]trace.Interval{}
	for id := range v.t.OfKind(trace.Annotation) {
		if !v.window.Contains(v.t.Start(id)) || v.means(id, isStep) {
			continue
		}
		name := v.t.NameID(id)
		if sums[name] == nil {
			sums[name] = &Range{Name: v.t.String(name)}
		}
		sums[name].Count++
		sums[name].TotalNS += v.t.Duration(id)
		when[name] = append(when[name], v.clip(id))
	}
	var list []Range
	for name, r := range sums {
		r.Share = share(sorted(when[name]).length(), v.window.Length())
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Range) int {
		return cmp.Or(cmp.Compare(b.TotalNS, a.TotalNS), cmp.Compare(a.Name, b.Name))
	})
	return list[:v.top(len(list))]
}
