package probe

import (
	"fmt"
	"math"

	"saturate/internal/human"
	"saturate/internal/run"
)

// Explanation is the answer to where a step's time goes.
type Explanation struct {
	Bottleneck string     `json:"bottleneck"`        // data_loading, transfer, host_python, evaluation, checkpoint, logging, epoch_start, compute; none without steps
	Sentence   string     `json:"sentence"`          // the answer in a sentence
	StepTime   float64    `json:"mean_s_per_it"`     // of the steady steps: what the parts add up to
	Training   float64    `json:"training_s_per_it"` // also counts evaluations, checkpoints and the first steps of epochs, which are not steady
	Seconds    float64    `json:"s"`                 // what the bottleneck takes of the mean step, or of that of training where it is among those
	Share      float64    `json:"share"`             // of the same
	Parts      []run.Part `json:"parts"`             // of the mean step, other last
	Host       []run.Part `json:"host,omitempty"`    // the host's own time in them, where Parts are by the device's clock

	recurring []run.Apart // the kinds of steps that recur and are not steady
	all       int         // the steps of training: steady and recurring
	samples   float64     // of the mean step
}

// worthNaming is the part of a step from which on time that is not the model's is called the bottleneck.
const worthNaming = 0.15

// waste are the parts in which the model does not get on, and how each is spoken of.
var waste = []struct{ part, bottleneck, gpu, host string }{
	{
		"data", "data_loading", "The GPU waited for data %s of the time: %s per step on average.",
		"The program waited for data %s of the time: %s per step on average.",
	},
	{
		"h2d", "transfer", "The GPU waited for copies from the host %s of the time: %s per step on average.",
		"The program copied to the device %s of the time: %s per step on average.",
	},
	{
		"evaluation", "evaluation", "Evaluation took %s of the time: %s per step on average.",
		"Evaluation took %s of the time: %s per step on average.",
	},
	{
		"checkpoint", "checkpoint", "Saving checkpoints took %s of the time: %s per step on average.",
		"Saving checkpoints took %s of the time: %s per step on average.",
	},
	{
		"logging", "logging", "Logging took %s of the time: %s per step on average.",
		"Logging took %s of the time: %s per step on average.",
	},
	{
		run.Other, "host_python", "The GPU waited for other code in the loop %s of the time: %s per step on average.",
		"The program was busy with other code in its loop %s of the time: %s per step on average.",
	},
}

// Explain says what the steady steps of a run are made of. onGPU: a GPU did the work.
func Explain(steps []run.Step, onGPU bool) Explanation {
	selection := run.Steady(steps)
	steady := selection.Steps
	e := Explanation{Bottleneck: "none", Sentence: "No steady step was measured.", Parts: run.MeanParts(steady)}
	if len(steady) == 0 {
		switch n := len(steps); n {
		case 0:
		case 1:
			e.Sentence = "Only 1 step was measured; run more steps to judge the speed."
		default:
			e.Sentence = fmt.Sprintf("None of the %d steps is steady; run more steps to judge the speed.", n)
		}
		return e
	}
	host := make([]run.Step, 0, len(steady))
	e.recurring = selection.Recurring()
	e.Training, _, e.all = selection.Whole()
	for _, s := range steady {
		e.StepTime += s.Seconds / float64(len(steady))
		e.samples += s.Samples / float64(len(steady))
		if len(s.Host) > 0 {
			host = append(host, run.Step{Seconds: s.Seconds, Parts: s.Host})
		}
	}
	e.Host = run.MeanParts(host)
	if len(e.Parts) == 0 {
		e.Sentence = fmt.Sprintf("A step takes %s on average; its parts are unknown.", human.Seconds(e.StepTime))
		return e
	}
	for _, w := range waste {
		if s := e.Part(w.part); s > e.Seconds && s >= worthNaming*e.StepTime {
			e.Seconds, e.Bottleneck = s, w.bottleneck
			form := w.host
			if onGPU {
				form = w.gpu
			}
			e.Sentence = fmt.Sprintf(form, human.Percent(s/e.StepTime), of(s, e.StepTime))
		}
	}
	if e.Bottleneck == "none" {
		e.Bottleneck = "compute"
		e.Seconds = e.StepTime
		for _, w := range waste {
			e.Seconds -= e.Part(w.part)
		}
		e.Sentence = fmt.Sprintf("The model itself takes the time: %s %s of a step, %s on average; waiting for data takes %s.",
			work(e.Parts), human.Percent(e.Seconds/e.StepTime), of(e.Seconds,
				e.StepTime), human.Percent(e.Part("data")/e.StepTime))
	}
	e.Share = e.Seconds / e.StepTime
	e.againAndAgain()
	return e
}

// Part is the mean seconds of one part of a step.
func (e Explanation) Part(name string) float64 {
	for _, p := range e.Parts {
		if p.Name == name {
			return p.Seconds
		}
	}
	return 0
}

// work names the parts in which the model is at work.
func work(parts []run.Part) string {
	var names []string
	for _, p := range parts {
		switch p.Name {
		case "forward", "backward", "optimizer":
			names = append(names, p.Name)
		case "graph":
			names = append(names, "the recorded step")
		case "gradient":
			names = append(names, "the gradient")
		case "jit":
			names = append(names, "the compiled step")
		case "wait":
			names = append(names, "waiting for its result")
		}
	}
	switch n := len(names); n {
	case 0:
		return "it is"
	case 1:
		return names[0] + " is"
	default:
		return human.And(names) + " are"
	}
}

// of writes "1.01 of 1.16 s" with as many digits as tell the two apart.
func of(part, whole float64) string {
	unit, factor := "s", 1.0
	if whole < 0.1 {
		unit, factor = "ms", 1e3
	}
	digits := max(0, 2-int(math.Floor(math.Log10(whole*factor))))
	return fmt.Sprintf("%.*f of %.*f %s", digits, part*factor, digits, whole*factor, unit)
}
