package batch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"saturate/internal/human"
	"saturate/internal/probe"
)

// Advice is what has to be thought of when the batch size changes. It is printed and never applied.
type Advice struct {
	Topic string `json:"topic"` // what it is about: learning rate, schedule
	Text  string `json:"text"`  // what to do
	Rule  string `json:"rule"`  // where it comes from
}

// Advise says what changes with a batch size.
func Advise(told probe.BatchTold, own, batch, samples, world int) []Advice {
	if own == 0 || batch == 0 || batch == own {
		return nil
	}
	var all []Advice
	add := func(topic, rule, text string, args ...any) {
		all = append(all, Advice{topic, fmt.Sprintf(text, args...), rule})
	}
	accumulation := max(1, told.Accumulation)
	world = max(1, world)
	grown := float64(batch) / float64(own)
	switch {
	case accumulation > 1 && told.ModelLoss:
		add("accumulation", "the model computes its loss without num_items_in_batch, and "+
			"Trainer does not divide it by the accumulation",
			"set gradient_accumulation_steps to 1: for %s, transformers adds the gradients of accumulated batches up, so %d "+
				"batches make them %d times as large",
			told.Model, accumulation, accumulation)
	case accumulation > 1:
		less := max(1, int(math.Round(float64(accumulation)/grown)))
		if less < accumulation {
			grown = float64(batch*less) / float64(own*accumulation)
			add("accumulation", "batch × accumulation stays the same",
				"lower it from %d to %d: a step then has %d samples instead of %d", accumulation, less, batch*less*world, own*accumulation*world)
		}
	case told.ModelLoss:
		add("accumulation", "the model computes its loss without num_items_in_batch, and "+
			"Trainer does not divide it by the accumulation",
			"do not trade batch size for gradient_accumulation_steps: for %s, transformers adds the "+
				"gradients of accumulated batches up", told.Model)
	}
	if math.Abs(grown-1) > 0.02 {
		if rate, rule := scaled(told, grown); rate > 0 {
			add("learning rate", rule, "try %s instead of %s, as a starting point", number(rate), number(told.Rate))
		}
		add("warm-up and schedule", "both count samples, not steps",
			"divide warm-up steps and the total number of steps by %s", number(grown))
		if samples > 0 {
			add("steps per epoch", "one pass over all samples", "%s instead of %s", human.Count(steps(samples, batch*world)),
				human.Count(steps(samples, own*world)))
		}
	}
	if told.BatchNorm > 0 {
		add("BatchNorm", "its mean and variance are those of one batch in one process",
			"%s compute statistics over %d samples instead of %d; accumulation does not change that",
			human.Plural(told.BatchNorm, "BatchNorm layer"), batch, own)
	}
	return all
}

func steps(samples, batch int) int { return (samples + batch - 1) / batch }

// scaled is the learning rate for a step of so many times the samples.
func scaled(told probe.BatchTold, grown float64) (float64, string) {
	switch name := strings.ToLower(told.Optimizer); {
	case name == "":
		return 0, ""
	case strings.Contains(name, "sgd"):
		return told.Rate * grown, "linear scaling for SGD (Goyal et al., 2017)"
	}
	return told.Rate * math.Sqrt(grown), "square-root scaling for Adam-like optimizers (Malladi et al., 2022)"
}

func number(v float64) string {
	if v >= 10 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
