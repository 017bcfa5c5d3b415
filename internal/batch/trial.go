package batch

import (
	"context"

	"saturate/internal/probe"
)

// Trial is what one process is asked to do.
type Trial struct {
	Batch         int  // samples in each batch of each process; 0: the program's own
	Steps         int  // optimizer steps
	Checkpointing bool // gradients are checkpointed
}

// Run carries out a trial. The error is for one that could not be started; how it went is in Measured.
type Run func(context.Context, Trial) (Measured, error)

// Measured is what a trial showed.
type Measured struct {
	Batch    int     `json:"batch"` // samples in each batch of each process
	Steps    int     `json:"steps"` // optimizer steps that were made
	Purpose  Purpose `json:"purpose"`
	Fault    Fault   `json:"fault,omitempty"`
	Problem  string  `json:"problem,omitempty"` // what went wrong, in words
	Seconds  float64 `json:"s_per_it"`          // median of the steps with the longest samples, the first ones left out
	Rate     float64 `json:"samples_per_s"`     // in all processes
	DataWait float64 `json:"data_wait"`         // share of the step
	Samples  int     `json:"samples,omitempty"` // in the dataset; 0: a stream

	Lengths probe.Lengths `json:"lengths"`
	probe.Memory
	Wall float64 `json:"wall_s"` // seconds that the trial took
}

// Purpose is why a trial was made.
type Purpose string

const (
	Probing    Purpose = "probe"        // small: for the fit
	Confirming Purpose = "confirmation" // of the largest batch
	Timing     Purpose = "speed"        // of a batch that may be the knee
)

// Weighing is why a trial was made that is not part of the search.
const Weighing Purpose = "checkpointing"

// Fault is how a trial went wrong.
type Fault string

const (
	Fits        Fault = ""
	OutOfMemory Fault = "out of memory"
	Failed      Fault = "failed"
)

// Used is the memory that is taken while the trial runs: by its allocator, by its context and by other processes.
func (m Measured) Used() int64 { return m.Reserved + m.Others }

// Use is the share of the memory that is taken.
func (m Measured) Use() float64 {
	if m.Total == 0 {
		return 0
	}
	return float64(m.Used()) / float64(m.Total)
}

// crowded reports whether the allocator had to give memory back to go on.
func (m Measured) crowded() bool { return m.Fault == OutOfMemory || m.Retries > 0 || m.OOMs > 0 }
