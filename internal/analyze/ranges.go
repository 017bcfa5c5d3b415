package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Range sums a range that the program marks, by record_function or NVTX: DataLoading, Forward.
type Range struct {
	Name    string  `json:"name"`
	Count   int     `json:"count"`
	TotalNS int64   `json:"total_ns"` // on the host
	Share   float64 `json:"share"`    // of the window
}

// ranges sums what is marked on the host, the longest first. The marks of steps are left out.
func (v *view) ranges() []Range {
	sums := map[trace.NameID]*Range{}
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
	}
	var list []Range
	for _, r := range sums {
		if whole := v.window.End - v.window.Start; whole > 0 {
			r.Share = float64(r.TotalNS) / float64(whole)
		}
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Range) int {
		return cmp.Or(cmp.Compare(b.TotalNS, a.TotalNS), cmp.Compare(a.Name, b.Name))
	})
	return list[:v.top(len(list))]
}
