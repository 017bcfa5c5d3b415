package probe

import (
	"fmt"

	"saturate/internal/human"
	"saturate/internal/run"
)

// again are the kinds of steps that recur without being ordinary, and how each is spoken of.
var again = map[string]struct{ bottleneck, who string }{
	"evaluation": {"evaluation", "Steps with an evaluation, or other passes without training,"},
	"checkpoint": {"checkpoint", "Steps that saved a checkpoint"},
	firstOfEpoch: {"epoch_start", "The first steps of epochs"},
}

const firstOfEpoch = "first-of-epoch"

// againAndAgain makes a kind of steps the answer that costs training more than anything in the ordinary ones does.
func (e *Explanation) againAndAgain() {
	lost := e.Seconds * float64(e.steady())
	if e.Bottleneck == "compute" {
		lost = 0
	}
	whole := e.Training * float64(e.all)
	for _, a := range e.recurring {
		more := a.Seconds - float64(a.Steps)*e.StepTime
		if more < worthNaming*whole || more <= lost {
			continue
		}
		lost = more
		kind := again[a.Reason]
		e.Bottleneck, e.Seconds, e.Share = kind.bottleneck, a.Seconds/float64(e.all), a.Seconds/whole
		e.Sentence = fmt.Sprintf("%s took %s of the time of training: %d of %d steps, %s", kind.who, human.Percent(e.Share),
			a.Steps, e.all, of(a.Seconds, whole))
		if what, s := e.mostOf(a, more); what != "" {
			e.Sentence += fmt.Sprintf("; %s of that went to %s", human.Seconds(s), what)
		}
		e.Sentence += "."
	}
}

// steady is the number of ordinary steps.
func (e *Explanation) steady() int {
	n := e.all
	for _, a := range e.recurring {
		n -= a.Steps
	}
	return n
}

// mostOf says what most of the time went to that steps of a kind take more than ordinary ones, if it was not the model.
func (e *Explanation) mostOf(a run.Apart, more float64) (what string, s float64) {
	said := map[string]string{
		"data": "waiting for data", "h2d": "copies to the device",
		run.Other: "other code of the loop",
	}
	for _, p := range a.Parts {
		beyond := p.Seconds - float64(a.Steps)*e.Part(p.Name)
		if said[p.Name] != "" && beyond > s && beyond > more/4 {
			what, s = said[p.Name], beyond
		}
	}
	return what, s
}

// coldStart are the first steps of epochs, and the seconds that each step of training loses on average because they
// wait for data longer than others do.
func (e Explanation) coldStart() (first run.Apart, wait float64) {
	for _, a := range e.recurring {
		if a.Reason != firstOfEpoch {
			continue
		}
		for _, p := range a.Parts {
			if p.Name == "data" {
				return a, (p.Seconds - float64(a.Steps)*e.Part("data")) / float64(e.all)
			}
		}
	}
	return first, 0
}
