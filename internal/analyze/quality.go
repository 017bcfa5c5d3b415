package analyze

import (
	"fmt"

	"saturate/internal/human"
	"saturate/internal/trace"
)

// Quality tells how far the trace can be believed.
type Quality struct {
	Events      int      `json:"events"`      // events that were read
	Dropped     int      `json:"dropped"`     // events that could not be used
	Repaired    int      `json:"repaired"`    // events kept with a corrected time
	Overlapping int      `json:"overlapping"` // events that overlap a neighbour of their track without being inside it; all are kept
	Unlinked    int      `json:"unlinked"`    // GPU work whose launching call is not in the trace
	Truncated   bool     `json:"truncated"`   // the file breaks off
	Notes       []string `json:"notes"`       // what the importer noticed
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
