package project

import (
	"fmt"

	"saturate/internal/pysrc"
)

// Path is the way to a place in the code: from a root, through calls.
type Path struct {
	// Root is the function where it starts: a dataset's __getitem__, the
	// function of a training loop.
	Root *Function
	Kind RootKind
	// Calls lead from the root to the function that holds the place; none when
	// the place is in the root itself.
	Calls []*Site
	// Sure is the confidence that the path is taken.
	Sure float64
	// Cache is set when something on the way keeps the result, so that the work
	// is done once per sample and not once per epoch.
	Cache *Guard
	// Needs is set when defaults leave out the place, or a call on the way to it.
	Needs *Condition

	loop  *Loop     // of a TrainingLoop
	by    *Site     // that hands the root to a dataset
	last  *Function // that holds the place
	turns []turn    // the tests around the place that let it run in every step
}

// RootKind is what a path starts from.
type RootKind uint8

const (
	// DataSet is the __getitem__ or __iter__ of a dataset.
	DataSet RootKind = iota
	// Collate is a function that makes a batch of samples.
	Collate
	// Transform is a function that a dataset applies to what it gives.
	Transform
	// Mapped is the function of a map over a dataset: run once, its result kept.
	Mapped
	// TrainingLoop is the body of a training loop.
	TrainingLoop
	// TrainingHook is a method that a trainer calls in every step: training_step, compute_loss.
	TrainingHook
	// Forward is the forward of a model.
	Forward
)

// Steps are the calls that make the loop of the path a training loop: backward, or a gradient of JAX. There are none
// where a trainer or a forward is the root.
func (p Path) Steps() []*Site {
	if p.loop == nil {
		return nil
	}
	return p.loop.Steps
}

// EveryEpoch reports whether the place is run again in every epoch.
func (p Path) EveryEpoch() bool { return p.Kind != Mapped && p.Cache == nil }

// Step is one step of a path, for people.
type Step struct {
	Text   string
	Source *Source
	Span   pysrc.Span
}

// Explain tells the path as steps, the root first.
func (p Path) Explain() []Step {
	if p.Root == nil {
		return nil
	}
	what := [...]string{
		"run for every sample", "run for every batch", "applied to every sample",
		"mapped over the dataset", "the training loop", "called in every training step", "the forward of the model, run in every training step",
	}[p.Kind]
	at := p.Root.Bounds()
	if p.loop != nil {
		at = pysrc.Span{Start: p.loop.Stmt.Bounds().Start, End: p.loop.header()}
	}
	steps := []Step{{Text: fmt.Sprintf("%s: %s", p.Root.Title(), what), Source: p.Root.Module.Source, Span: at}}
	if p.by != nil {
		steps = append(steps, Step{Text: "handed to the dataset", Source: p.by.Module().Source, Span: p.by.Node.Span})
	}
	for i, s := range p.Calls {
		callee := "the next"
		if i+1 < len(p.Calls) {
			callee = p.Calls[i+1].Func.Title()
		} else if p.last != nil {
			callee = p.last.Title()
		}
		steps = append(steps, Step{Text: "calls " + callee, Source: s.Module().Source, Span: s.Node.Span})
	}
	for _, t := range p.turns {
		steps = append(steps, t.step())
	}
	if p.Cache != nil {
		steps = append(steps, Step{Text: p.Cache.Kind.String(), Source: p.Cache.Source, Span: p.Cache.Span})
	}
	return steps
}
