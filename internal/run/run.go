// Package run is a Run on disk: what was run, where, with what environment,
// each step's samples, and the files it left.
//
//	runs/<name>_<date>_<hash>/<uuid>/run.json      the manifest, written at the start and once more at the end
//	                                /steps.jsonl   one Step a line, appended while it runs
//	                                /labels.json   tags and a note that a person gave it, if any
//	                                /…             artefacts: traces, reports, uncommitted changes
//
// A Run is written by a Recorder and read again as a Run:
//
//	Capture ─> Environment ─> Create ─> Recorder ─> Step, Save, Note … ─> Finish
//	Read, List, Find ─> Run ─> Steady ─> stat.Series
//
// Files appear whole or not at all, except for the last line of steps.jsonl, which a reader forgives.
// What is damaged or foreign is listed with a note of what is wrong with it.
package run

import (
	"time"

	"saturate/internal/stat"
)

// Schema names the version of run.json.
const Schema = "saturate/run/1"

// Run is one execution of a program, or one experiment with its samples.
type Run struct {
	Schema      string        `json:"schema"` // version of this format
	ID          string        `json:"id"`     // the uuid, also the folder's name
	Name        string        `json:"name"`   // for people, such as train
	State       State         `json:"state"`
	Command     []string      `json:"command,omitempty"`   // that was run
	Started     time.Time     `json:"started"`             // when it began
	WallSeconds float64       `json:"wall_s"`              // from a monotonic clock: a jump of the wall clock does not show
	ExitCode    *int          `json:"exit_code,omitempty"` // of the program; missing while it runs
	Environment Environment   `json:"environment"`
	StepCount   int           `json:"step_count"`          // how many steps were recorded; 0 while it runs
	Series      []stat.Series `json:"series,omitempty"`    // samples that are not steps
	Functions   []Function    `json:"functions,omitempty"` // what costs the time, the costliest part first
	Artefacts   []Artefact    `json:"artefacts,omitempty"`
	OtherCores  float64       `json:"other_cores,omitempty"` // that other programs kept busy, on average, where that left too few
	Stolen      float64       `json:"stolen,omitempty"`      // of the processors' time, by the host of a virtual machine, where it matters
	Notes       []string      `json:"notes,omitempty"`       // what went wrong on the way, one line each
	Tags        []string      `json:"tags,omitempty"`        // that a person gave it, from labels.json
	Note        string        `json:"note,omitempty"`        // the same person's words

	Dir      string  `json:"-"` // where it was read from
	Steps    []Step  `json:"-"` // steps.jsonl
	Leftover float64 `json:"-"` // CPU seconds of processes that outlived the program and were ended, as the workers of a loader
}

// State is how far a Run got.
type State string

const (
	Running  State = "running"
	Killed   State = "killed" // no end was recorded, and nobody records any more
	Complete State = "complete"
	Failed   State = "failed"
	Damaged  State = "damaged" // half-written or foreign; Notes say what is wrong
)

// Number is a float64 that survives JSON as NaN or infinity.
type Number = stat.Number

// Step is one iteration of the training loop.
type Step struct {
	Index    int      `json:"step"`
	Seconds  float64  `json:"s"`
	Parts    []Part   `json:"parts,omitempty"`   // in the order of the loop; what they leave of Seconds is "other"
	Host     []Part   `json:"host,omitempty"`    // the host's own time in each part, where Parts are by the device's clock
	Samples  float64  `json:"samples,omitempty"` // in the batches of this process
	Tokens   float64  `json:"tokens,omitempty"`
	Elements float64  `json:"elements,omitempty"` // numbers in the batch, padding included
	Micro    int      `json:"micro,omitempty"`    // backward passes, where there is more than one
	Loss     *Number  `json:"loss,omitempty"`
	Tags     []string `json:"tags,omitempty"` // warmup, profiled, evaluation, checkpoint, first-of-epoch, recompilation, skipped
}

// Part is the share of one phase in a step.
type Part struct {
	Name    string  `json:"name"` // data, h2d, forward, backward, optimizer
	Seconds float64 `json:"s"`    // per step
}

// Artefact is a file the run left, relative to its folder.
type Artefact struct {
	Path string `json:"path"` // relative to the Run's folder
	Kind string `json:"kind"` // trace, report, log
}
