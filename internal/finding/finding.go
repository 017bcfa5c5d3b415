// Package finding is what a rule says: where, what, why, how much it costs and what to do.
package finding

import (
	"fmt"

	"saturate/internal/patch"
)

// Severity orders findings; the worst comes first.
type Severity string

const (
	Error   Severity = "error"   // starves the GPU for certain
	Warning Severity = "warning" // costs time in most programs
	Advice  Severity = "advice"  // worth a measurement
)

// Area is a part of a step that a repair can make shorter.
type Area string

const (
	DataArea      Area = "data"                         // the loop waits for its batch
	TransferArea  Area = "transfer"                     // the batch is on its way to the GPU
	HostArea      Area = "host"                         // the GPU is idle, but not waiting for data
	ComputeArea   Area = "compute"                      // the model computes
	OptimizerArea Area = "the optimizer"                // the weights are updated
	ApartArea     Area = "evaluation and checkpoints"   // training stops for them between two steps
	WorkersArea   Area = "workers on the model's cores" // samples are made on the cores that the model computes on
)

// Location is a range of a source file. Lines and columns count from 1, columns in characters. In a notebook they count
// within a cell.
type Location struct {
	Path      string `json:"path"`              // of the file
	Start     int    `json:"start"`             // byte offsets
	End       int    `json:"end"`               // byte offset behind the last byte
	Line      int    `json:"line"`              // of the start
	Column    int    `json:"column"`            // of the start
	EndLine   int    `json:"end_line"`          // of the end
	EndColumn int    `json:"end_column"`        // of the end
	Excerpt   string `json:"excerpt,omitempty"` // the source line, without its newline
	Cell      int    `json:"cell,omitempty"`    // of a notebook, from 1

	// InFile is where a place of a notebook stands in its JSON, for tools that do not know cells.
	InFile *patch.Range `json:"in_file,omitempty"`
	// LineHash tells the line from others wherever it moves to, as GitHub counts; empty where nobody asked.
	LineHash string `json:"-"`
}

// Range is the place in the file itself.
func (l Location) Range() patch.Range {
	if l.InFile != nil {
		return *l.InFile
	}
	return patch.Range{Line: l.Line, Column: l.Column, EndLine: l.EndLine, EndColumn: l.EndColumn}
}

// Short is the place as path:line, in a notebook as path:cell 3:line.
func (l Location) Short() string {
	if l.Cell > 0 {
		return fmt.Sprintf("%s:cell %d:%d", l.Path, l.Cell, l.Line)
	}
	return fmt.Sprintf("%s:%d", l.Path, l.Line)
}

// InWords is the place within its file: line 5, or cell 3, line 5.
func (l Location) InWords() string {
	if l.Cell > 0 {
		return fmt.Sprintf("cell %d, line %d", l.Cell, l.Line)
	}
	return fmt.Sprintf("line %d", l.Line)
}

// Interval is a stretch of a trace.
type Interval struct {
	StartNS int64 `json:"start_ns"` // start of the stretch
	EndNS   int64 `json:"end_ns"`   // end of the stretch
}

// Evidence is one fact that supports the finding.
type Evidence struct {
	Text     string    `json:"text"`           // the fact in a sentence
	Code     string    `json:"code,omitempty"` // of a further place that is at fault as well: the rule that says so
	Location *Location `json:"location,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
}

// SaysAs reports that a piece of evidence says what another one does, of the same place.
func (e Evidence) SaysAs(other Evidence) bool {
	if e.Text != other.Text || (e.Location == nil) != (other.Location == nil) {
		return false
	}
	return e.Location == nil || e.Location.Path == other.Location.Path && e.Location.Cell == other.Location.Cell && e.Location.Line == other.Location.Line
}

// Estimate is what the finding costs, and how that was obtained.
type Estimate struct {
	SecondsPerStep float64 `json:"seconds_per_step,omitempty"` // 0 when unknown
	SpeedupLow     float64 `json:"speedup_low,omitempty"`      // typical range, 1 = no gain
	SpeedupHigh    float64 `json:"speedup_high,omitempty"`     // upper end of that range
	Basis          string  `json:"basis"`                      // "measured in this trace", "PyTorch tuning guide", …
}

// OverAll ends the Basis of an estimate where no steps were found: its seconds are those of the whole trace.
const OverAll = "; over the whole trace, since no steps were found"

// Finding is one fault, in a source file or in a trace.
type Finding struct {
	Code       string        `json:"code"`       // SAT203, TRC101
	Name       string        `json:"name"`       // no-pin-memory
	Severity   Severity      `json:"severity"`   // error, warning or advice
	Confidence float64       `json:"confidence"` // 0…1; falls when a value is not known
	Where      *Location     `json:"where,omitempty"`
	Within     string        `json:"-"` // the function around it, by which text groups findings of one kind
	Step       string        `json:"-"` // the training loop, or what stands for it, whose steps reach it; empty where none is known
	When       *Interval     `json:"when,omitempty"`
	Message    string        `json:"message"`         // what is wrong
	Small      string        `json:"small,omitempty"` // why it costs little here; empty when it is worth a change
	Why        string        `json:"why"`             // it costs time or memory
	Evidence   []Evidence    `json:"evidence,omitempty"`
	Estimate   *Estimate     `json:"estimate,omitempty"`
	Advice     string        `json:"advice,omitempty"` // what to do, in words
	Fixes      []patch.Patch `json:"fixes,omitempty"`
}
