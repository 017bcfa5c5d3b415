package trace

import (
	"fmt"

	"saturate/internal/human"
)

// Meta is what a file says about itself.
type Meta struct {
	Path   string // as given by the user
	Format string // the importer's name
	Name   string // the trace's own name

	Base     int64 // nanoseconds to add to the file's times to get time since 1970; 0 when unknown
	Rank     int   // -1 when unknown
	World    int   // number of ranks; 0 when unknown
	Backend  string
	Host     string
	TraceID  string
	Versions map[string]string // "torch", "cuda_driver_version", "cuda_runtime_version", "cupti_version" … as written
	Settings map[string]string // "record_shapes", "with_stack", "profile_memory" … as written
	GPUs     []GPU             // properties of the devices, as written
}

// GPU is what a trace tells about a device.
type GPU struct {
	Device              Device
	Name                string
	Memory              int64 // bytes
	Major, Minor        int   // compute capability
	SMs                 int
	WarpSize            int
	ThreadsPerBlock     int
	ThreadsPerSM        int
	RegistersPerBlock   int
	RegistersPerSM      int
	SharedPerBlock      int64
	SharedPerBlockOptIn int64
	SharedPerSM         int64
}

// Quality tells how far a trace can be believed.
type Quality struct {
	Events      int // events kept
	Dropped     int // events that had to be left out
	Repaired    int // events kept with a corrected time
	Overlapping int // events that overlap a neighbour of their track without being inside it; all are kept
	Unlinked    int // GPU work whose launching call is not in the trace
	Truncated   bool
	Notes       []Note
}

// Note is one thing that went wrong, and how often.
type Note struct {
	Reason string // "without a start time", or a whole sentence about the file
	Count  int    // how many events; 0 when it is about the file
	First  Place  // the first of them
}

// String is the note as a sentence.
func (n Note) String() string {
	if n.Count == 0 {
		return n.Reason
	}
	text := human.Plural(n.Count, "event") + " " + n.Reason
	if n.First != (Place{}) {
		text += ", first at " + n.First.String()
	}
	return text
}

// String names the place: "event 1,204,331 (byte 88,120,444)".
func (p Place) String() string {
	return fmt.Sprintf("event %s (byte %s)", human.Count(p.Event), human.Count(p.Byte))
}
