package analyze

import (
	"fmt"

	"saturate/internal/human"
	"saturate/internal/trace"
)

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

func (v *view) quality() Quality {
	out := quality(v.t.Quality())
	if n := len(v.t.Devices()); n > mostGPUs {
		out.Notes = append(out.Notes, fmt.Sprintf("the trace names %s GPUs; the first %d are analyzed", human.Count(n), mostGPUs))
	}
	return out
}

func quality(q trace.Quality) Quality {
	out := Quality{q.Events, q.Dropped, q.Repaired, q.Overlapping, q.Unlinked, q.Truncated, []string{}}
	for _, n := range q.Notes {
		out.Notes = append(out.Notes, n.String())
	}
	return out
}
