package rule

import (
	"saturate/internal/finding"
	"saturate/internal/patch"
)

// Rule is one cause of lost GPU time, and how to detect it.
type Rule struct {
	Code     string // SAT203
	Name     string // no-pin-memory
	Severity Severity
	Subject  Subject
	Areas    []Area // the parts of a step that its repair can shorten
	NeedsGPU bool   // its repair does nothing for a program that trains on the CPU
	// SlowOnCPU is why its first fix is tried without a GPU only when asked for. Its other fixes need a GPU.
	SlowOnCPU string
	// Asks are the questions of `analyze --what-if` that predict its fixes. If a trace can answer several, the first
	// counts; the last fixes share the last questions.
	Asks        [][]string
	Choice      string    // rules of which only one repair can be kept; "" where its own fixes are the choice
	Compiles    bool      // with its repair, each run compiles the model first
	Layers      int       // its fixes from this one on compile single layers, which takes less long; 0: none does
	SetsWorkers bool      // its repair sets how many processes load data
	Argument    *Argument // does the same on the command line of a Hugging Face trainer; may be nil
	Group       string    // rules whose repairs only make sense together
	Regroups    bool      // its repair puts samples into other batches, or into another order
	Reshapes    bool      // its repair changes the samples' shape: padding, packing
	Pads        bool      // its repair may append labels that the loss leaves out
	Passes      string    // an argument that its repair passes to the model, which it made itself before
	General     bool      // it can be said of most programs alike: what is particular to this one comes before it
	Asked       bool      // it speaks only when it is selected by name: what it finds is rarely worth a person's time
	Little      string    // why all that it finds costs little: a clause without a full stop
	Makes       Product   // what is made for every sample and could be made once, before training
	Title       string    // what is wrong, as a clause without a full stop
	What        string    // what the rule looks for
	Why         string    // the theory, in a line
	Fine        string    // when it is all right
	Advice      string    // what to do, for findings that have no fix or need words
	Gain        Range
	Bad         string  // an example
	Good        string  // and its repair
	Since       []Since // versions that its advice needs
	Safety      Safety  // of its fix; NoFix when it has none
	AtWorst     Safety  // of its fix at some places, where that is less safe: each finding says how safe its own is
	// OneWait joins the findings without a fix in one function into one that names the others: after one wait, the host
	// hardly waits again.
	OneWait bool
	// Waits joins its findings with those of rules with OneWait in the same function, where a scan is told to people.
	Waits bool
	// Once joins its findings in one program into one that names the others: one line cures all of them.
	Once bool
	// Source judges one Python module, Settings one settings file; either may be nil.
	Source   func(*SourcePass)
	Settings func(*SettingsPass)
}

// facts is the rule's entry in the catalogue.
func (r *Rule) facts() finding.Rule {
	return finding.Rule{
		Kind: finding.Source, Code: r.Code, Name: r.Name, Severity: r.Severity, Subject: r.Subject, Areas: r.Areas, NeedsGPU: r.NeedsGPU,
		Title: r.Title, Why: r.Why, Advice: r.Advice,
		What: r.What, Fine: r.Fine, Gain: finding.Range(r.Gain), Bad: r.Bad, Good: r.Good, Safety: r.Safety, AtWorst: r.AtWorst,
	}
}

// Argument is a setting of the Hugging Face trainer that its command line takes.
type Argument struct {
	Flag, Value string
	Unless      []string // other flags that settle the same
	WhereOn     bool     // only where the command turns it on, to turn it off
	Title       string
}

// OptimizerChoice is which of the optimizer's own forms computes: fused, foreach or neither.
const OptimizerChoice = "optimizer"

// Product is what the data path makes for a sample.
type Product string

const (
	Speech   Product = "speech"
	Audio    Product = "audio"
	Features Product = "features"
	Images   Product = "images"
)

// Range is the typical gain as a factor on the speed of training, and who says so.
// A zero Range means that there is no figure to trust, and none is printed.
type Range struct {
	Low, High float64
	Source    string
}

// LoaderGroup names the rules that make a loader work ahead of the model.
const LoaderGroup = "loader"

// What package finding and package patch define, under the names that rules use.
type (
	Area     = finding.Area
	Severity = finding.Severity
	Subject  = finding.Subject
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
	ApartArea     = finding.ApartArea

	AboutLoading      = finding.Loading
	AboutCopies       = finding.Copies
	AboutWaits        = finding.Waits
	AboutKernels      = finding.Kernels
	AboutHostCode     = finding.HostCode
	AboutCompiling    = finding.Compiling
	AboutCheckpoints  = finding.Checkpoints
	AboutEvaluation   = finding.Evaluation
	AboutPrecision    = finding.Precision
	AboutAttention    = finding.Attention
	AboutConvolutions = finding.Convolutions
	AboutLayout       = finding.Layout
	AboutPadding      = finding.Padding
	AboutOptimizer    = finding.Optimizer
	AboutGradients    = finding.Gradients
	AboutMemory       = finding.Memory
	AboutRanks        = finding.Ranks
	AboutSettings     = finding.Settings
	AboutRecording    = finding.Recording

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
