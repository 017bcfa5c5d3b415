package rule

import (
	"saturate/internal/finding"
	"saturate/internal/patch"
)

// Rule is one thing that costs a GPU its time, and how to see it.
type Rule struct {
	Code     string // SAT203
	Name     string // no-pin-memory
	Severity Severity
	Areas    []Area // the parts of a step that its repair can shorten
	NeedsGPU bool   // its repair does nothing for a program that trains on the CPU
	Group    string // rules whose repairs only make sense together
	Regroups bool   // its repair puts samples into other batches, or into another order
	Reshapes bool   // its repair changes the samples' shape: padding, packing
	Title    string // what is wrong, as a clause without a full stop
	What     string // what the rule looks for
	Why      string // the theory, in a line
	Fine     string // when it is all right
	Advice   string // what to do, for findings that have no fix or need words
	Gain     Range
	Bad      string // an example
	Good     string // and its repair
	Safety   Safety // of its fix; None when it has none
	// Source judges one Python module, Settings one settings file; either may be nil.
	Source   func(*SourcePass)
	Settings func(*SettingsPass)
}

// Range is the typical gain as a factor on the speed of training, and who says so.
// A zero Range means that no figure is to be trusted, and none is printed.
type Range struct {
	Low, High float64
	Source    string
}

// LoaderGroup are the rules that make a loader work ahead of the model.
const LoaderGroup = "loader"

// Severity, Safety and Area under the names that rules use.
type (
	Area     = finding.Area
	Severity = finding.Severity
	Safety   = patch.Safety
)

const (
	Error   = finding.Error
	Warning = finding.Warning
	Advice  = finding.Advice

	DataArea      = finding.DataArea
	TransferArea  = finding.TransferArea
	HostArea      = finding.HostArea
	ComputeArea   = finding.ComputeArea
	OptimizerArea = finding.OptimizerArea
	WorkersArea   = finding.WorkersArea

	Safe               = patch.Safe
	Unsafe             = patch.Unsafe
	DisplayOnly        = patch.DisplayOnly
	NoFix       Safety = ""
)

// All returns every rule in order of its code.
func All() []*Rule { return rules }

// Find returns the rule of that code or name, or nil.
func Find(codeOrName string) *Rule {
	for _, r := range rules {
		if r.Code == codeOrName || r.Name == codeOrName {
			return r
		}
	}
	return nil
}

// InGroup lists the codes of the rules of a group.
func InGroup(group string) (codes []string) {
	for _, r := range rules {
		if r.Group == group {
			codes = append(codes, r.Code)
		}
	}
	return codes
}
