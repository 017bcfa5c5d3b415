package finding

import "saturate/internal/patch"

// Rule is what a rule says about itself. Findings and documentation are made from it, so that they cannot differ.
type Rule struct {
	Kind     Kind
	Code     string // SAT203
	Name     string // no-pin-memory
	Severity Severity
	Subject  Subject
	Areas    []Area   // the parts of a step that its repair can shorten
	NeedsGPU bool     // its repair does nothing for a program that trains on the CPU
	Title    string   // what is wrong, as a clause without a full stop
	Why      string   // the theory in a line
	Advice   string   // what to do
	Cures    []string // names of the source rules that find the place of what a trace or a run shows
	WhatIf   []string // what to ask a trace about its repair, as `analyze --what-if` takes it

	// What only source rules tell.
	What      string // what the rule looks for
	Fine      string // when it is all right
	Gain      Range
	Bad, Good string       // an example and its repair
	Safety    patch.Safety // of its fix; empty when it has none
	AtWorst   patch.Safety // of its fix at some places, where that is less safe; else empty
}

// Kind is what a rule reads.
type Kind string

const (
	Source Kind = "source" // source code and settings: saturate scan
	Trace  Kind = "trace"  // traces: saturate analyze
	Run    Kind = "run"    // the steps and loaders of a run: saturate profile
)

// Subject is what a rule is about. A rule may only point to cures of its own subject.
type Subject string

const (
	Loading      Subject = "loading"      // samples and batches are made
	Copies       Subject = "copies"       // tensors go to the GPU
	Waits        Subject = "waits"        // the host waits for the GPU
	Kernels      Subject = "kernels"      // many or small kernels: launching, fusing, filling the GPU
	HostCode     Subject = "host code"    // the host does something else than to launch
	Compiling    Subject = "compiling"    // code is compiled, once or again
	Checkpoints  Subject = "checkpoints"  // the state is saved
	Evaluation   Subject = "evaluation"   // training stops to evaluate
	Precision    Subject = "precision"    // number formats and tensor cores
	Attention    Subject = "attention"    // how attention is computed
	Convolutions Subject = "convolutions" // how convolutions are computed
	Layout       Subject = "layout"       // the order of a tensor's dimensions in memory
	Padding      Subject = "padding"      // the model computes on padding
	Optimizer    Subject = "optimizer"    // weights are updated
	Gradients    Subject = "gradients"    // gradients are kept, cleared or accumulated
	Memory       Subject = "memory"       // GPU memory
	Ranks        Subject = "ranks"        // several GPUs train together
	Settings     Subject = "settings"     // settings of libraries
	Recording    Subject = "recording"    // the profiler's own cost
)

// Range is the typical gain as a factor on the speed of training, and who says so; zero without a figure to
// trust.
type Range struct {
	Low, High float64
	Source    string
}

// Like takes over everything from a rule of the same meaning, except what tells the two apart.
func (r Rule) Like(same Rule) Rule {
	same.Kind, same.Code = r.Kind, r.Code
	return same
}

// Finding starts a finding of the rule. Its message is the title until the place says more.
func (r Rule) Finding() Finding {
	return Finding{Code: r.Code, Name: r.Name, Severity: r.Severity, Message: r.Title, Why: r.Why, Advice: r.Advice}
}
