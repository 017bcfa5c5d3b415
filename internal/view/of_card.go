package view

import (
	"fmt"
	"path/filepath"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report/card"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// CardData is the JSON of report --card.
type CardData struct {
	Card string `json:"card"` // the file that was written
}

// OfCard is an experiment as a picture to share. The environment is that of one of its runs.
func OfCard(result verify.Result, env run.Environment, version string) card.Card {
	before, after := result.Sides[verify.Before], result.Sides[verify.After]
	c := card.Card{Program: cardProgram(result.Plan), Machine: cardMachine(env), Version: version}
	ratio := float64(result.Ratio)
	switch result.Verdict {
	case verify.Faster:
		c.Headline, c.Tone = human.Times(1/ratio)+" faster", "good"
	case verify.Slower:
		c.Headline, c.Tone = human.Times(ratio)+" slower", "bad"
	case verify.TheSame:
		c.Headline = "Same speed"
	case verify.Invalid:
		c.Headline, c.Tone = "Not valid", "bad"
	default:
		c.Headline, c.Tone = "Inconclusive", "unsure"
	}
	if result.Verdict == verify.Invalid {
		c.Interval = result.Reason
	} else if lo, hi := result.Interval.Lo, result.Interval.Hi; lo.Finite() && hi.Finite() && lo > 0 && hi > 0 {
		low, high := 1/float64(hi), 1/float64(lo)
		if result.Verdict == verify.Slower {
			low, high = float64(lo), float64(hi)
		}
		c.Interval = human.Percent(result.Interval.Confidence) + " interval " + human.Range(low, high)
	}
	if result.Pairs > 0 {
		c.Evidence = fmt.Sprintf("%s of runs in random order, p = %.2g", human.Plural(result.Pairs, "pair"), result.P)
	}
	if longest := max(float64(before.Median), float64(after.Median)); before.Median.Finite() && after.Median.Finite() &&
		longest > 0 {
		u := human.NewScale("s", float64(before.Median))
		c.Before = card.Bar{Text: u.Value(float64(before.Median)) + "/step", Share: float64(before.Median) / longest}
		u = human.NewScale("s", float64(after.Median))
		c.After = card.Bar{Text: u.Value(float64(after.Median)) + "/step", Share: float64(after.Median) / longest}
	}
	c.Guards = []string{"Loss: " + string(result.Guard.State), "Samples: " + string(result.Guard.Samples.State)}
	return c
}

// cardProgram is what was measured, without folders of the user's.
func cardProgram(p verify.Plan) string {
	var words []string
	for _, word := range p.Before.Command {
		if filepath.IsAbs(word) {
			word = filepath.Base(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// cardMachine names the hardware and torch, not the host.
func cardMachine(env run.Environment) string {
	var parts []string
	if len(env.GPUs) > 0 {
		name := env.GPUs[0].Name
		if n := len(env.GPUs); n > 1 {
			name = fmt.Sprintf("%d × %s", n, name)
		}
		parts = append(parts, name)
	} else if env.Machine.CPU != "" {
		parts = append(parts, env.Machine.CPU)
	}
	if env.Machine.UsableCores > 0 {
		parts = append(parts, human.Plural(env.Machine.UsableCores, "core"))
	}
	for _, name := range []string{"torch", "jax"} {
		if v := env.Versions[name]; v != "" {
			parts = append(parts, name+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}
