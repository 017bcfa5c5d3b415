package analyze

import "saturate/internal/trace"

// Quality tells how far the trace can be believed.
type Quality struct {
	Events      int      `json:"events"`
	Dropped     int      `json:"dropped"`
	Repaired    int      `json:"repaired"`
	Overlapping int      `json:"overlapping"`
	Unlinked    int      `json:"unlinked"`
	Truncated   bool     `json:"truncated"`
	Notes       []string `json:"notes"`
}

func quality(q trace.Quality) Quality {
	out := Quality{q.Events, q.Dropped, q.Repaired, q.Overlapping, q.Unlinked, q.Truncated, []string{}}
	for _, n := range q.Notes {
		out.Notes = append(out.Notes, n.String())
	}
	return out
}
