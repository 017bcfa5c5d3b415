package verify

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// Side names a variant.
type Side string

const (
	Before Side = "before"
	After  Side = "after"
)

// fewestSteps is how many steps a run needs before its warm-up can be told from its speed.
const fewestSteps = 10

// fewestSteady is how many steps both runs of a block must have in common after their warm-up.
const fewestSteady = 5

// Block is two runs side by side. Everyone who reads a report or the docs reads "pair"; JSON and the folder of an
// experiment keep the older word.
type Block struct {
	Number      int        `json:"block"`                 // from 1
	Attempt     int        `json:"attempt,omitempty"`     // above 0 where it was run again
	Calibration bool       `json:"calibration,omitempty"` // before against before
	Order       [2]int     `json:"order"`                 // which outcome was run first
	Seed        uint64     `json:"seed"`                  // of both runs
	Outcomes    [2]Outcome `json:"outcomes"`              // before; after, or before again
	Problem     string     `json:"problem,omitempty"`     // why it does not count: the machine was disturbed
	Fatal       string     `json:"fatal,omitempty"`       // why no further pair is worth running
	Cause       Cause      `json:"cause,omitempty"`       // of Fatal
	Blamed      Side       `json:"blamed,omitempty"`      // the side that Fatal is about
	Log         string     `json:"log,omitempty"`         // what the program that failed had printed
	Notes       []string   `json:"notes,omitempty"`       // what a reader has to know
}

// Outcome is one run of a block with its raw steps.
type Outcome struct {
	Run        run.Run    `json:"run"`
	Steps      []run.Step `json:"steps"`
	Dir        string     `json:"dir,omitempty"` // of the Run, if it was saved separately
	Conditions Conditions `json:"conditions"`
	Failure    string     `json:"failure,omitempty"` // why it cannot be judged
	Foreign    string     `json:"foreign,omitempty"` // why it says nothing about its variant: it ran other code

	Modules *probe.Modules `json:"modules,omitempty"` // where the variants have trees of their own

	log string // what the program printed
}

// failed reports whether the run can be part of no block.
func (o Outcome) failed() bool { return o.Failure != "" || o.Foreign != "" }

func outcomeOf(r run.Run, c Conditions) Outcome {
	return Outcome{Run: r, Steps: r.Steps, Dir: r.Dir, Conditions: c}
}

// check looks whether the two runs can be compared at all.
func (b *Block) check(p Plan) {
	var problems []string
	for i, o := range b.Outcomes {
		for _, problem := range o.Conditions.Problems {
			problems = append(problems, fmt.Sprintf("%s: %s", b.side(i), problem))
		}
	}
	if len(problems) > 0 {
		b.Problem = problems[0]
		return
	}
	differs, notes := differentWork(b.Outcomes[0], b.Outcomes[1], p.Measure)
	b.Notes = append(b.Notes, notes...)
	switch {
	case differs != "" && b.Calibration:
		b.end(ByWork, Before, "the baseline does different work from run to run: "+differs)
		return
	case differs != "":
		b.end(ByWork, After, "the variants do different work: "+differs)
		return
	}
	for i := range b.Outcomes {
		c := curveOf(*b, i, p)
		if at := c.notFinite(); at >= 0 && p.Numerics != Unchecked {
			b.end(ByAccuracy, c.side, fmt.Sprintf("the loss %s the change is %v at step %d", c.side, c.loss[at], c.steps[at]))
			return
		}
	}
	if m := b.measure(p); m.steps < fewestSteady {
		b.end(ByProgram, Before, fmt.Sprintf("only %s left after warm-up; raise --steps, or give the program more data",
			human.Plural(m.steps, "step")))
	}
}

// counts reports whether the block is evidence.
func (b *Block) counts() bool { return b.Problem == "" && b.Fatal == "" }

// end makes this the last block.
func (b *Block) end(cause Cause, blamed Side, why string) {
	b.Cause, b.Blamed, b.Fatal = cause, blamed, why
}

func (b *Block) side(i int) Side {
	if i == 1 && !b.Calibration {
		return After
	}
	return Before
}

// measurement is what a block says about speed.
type measurement struct {
	steps   int        // steady ones that both runs have
	first   int        // number of the first of them
	typical [2]float64 // seconds per step, or per sample: see stat.Winsorized
	all     [2]float64 // the same with every step after the warm-up: checkpoints, evaluation, new epochs
	perStep [2]float64 // seconds per step, also if samples are compared
	speed   [2]float64 // samples per second; 0 where the steps do not tell their samples
	settled bool
}

// measure takes the steps that are steady in both runs, the same ones in each: steps of one number work on
// the same batch, and some batches are larger than others.
func (b *Block) measure(p Plan) measurement {
	by := p.Measure
	var steady [2]run.Selection
	m := measurement{settled: true}
	for i, o := range b.Outcomes {
		steady[i] = run.Steady(o.Steps)
		if len(steady[i].Steps) == 0 {
			return measurement{}
		}
		m.first = max(m.first, steady[i].Steps[0].Index)
		m.settled = m.settled && settled(steady[i])
	}
	common := map[int]bool{}
	for _, s := range steady[0].Steps {
		common[s.Index] = true
	}
	in := func(steps []run.Step) []run.Step {
		return slices.DeleteFunc(slices.Clone(steps), func(s run.Step) bool { return s.Index < m.first || by == PerStep && !common[s.Index] })
	}
	second := in(steady[1].Steps)
	clear(common)
	for _, s := range second {
		common[s.Index] = true
	}
	for i, steps := range [2][]run.Step{in(steady[0].Steps), second} {
		times, samples := secondsOf(steps), samplesOf(steps)
		m.steps = len(times)
		m.perStep[i] = stat.Winsorized(times)
		if p.Whole {
			m.perStep[i], samples = withRecurring(m.perStep[i], samples, len(times), steady[i].Again, m.first)
		}
		m.typical[i] = m.perStep[i]
		m.all[i] = allSteps(b.Outcomes[i].Steps, m.first, by)
		if samples > 0 {
			perStep := samples / float64(len(steps))
			m.speed[i] = perStep / m.perStep[i]
			if by == PerSample {
				m.typical[i] = m.perStep[i] / perStep
			}
		}
	}
	return m
}

// withRecurring is the mean time of a step of training, first steps of epochs, checkpoints and evaluations included: n
// ordinary ones of a typical time, and those that recur. With it come the samples of n steps.
func withRecurring(typical, samples float64, n int, again []run.Step, first int) (perStep, of float64) {
	seconds, all, steps := typical*float64(n), samples, float64(n)
	for _, s := range again {
		if s.Index >= first {
			seconds, all, steps = seconds+s.Seconds, all+s.Samples, steps+1
		}
	}
	if samples == 0 {
		return seconds / steps, 0
	}
	return seconds / steps, all / steps * float64(n)
}

// settled reports whether the warm-up ended before half of the steps were over.
func settled(s run.Selection) bool {
	for _, apart := range s.Apart {
		if apart.Reason == "detected warm-up" {
			return apart.Steps < (apart.Steps+len(s.Steps))/2
		}
	}
	return true
}

// recompiled counts steps that compiled again after the warm-up.
func (b *Block) recompiled(first int) (n int) {
	for _, o := range b.Outcomes {
		for _, s := range o.Steps {
			if s.Index >= first && slices.Contains(s.Tags, "recompilation") {
				n++
			}
		}
	}
	return n
}

// allSteps is the wall clock from the first steady step on, over the steps or samples it took.
func allSteps(steps []run.Step, first int, by Measure) float64 {
	var seconds, units float64
	for _, s := range steps {
		if s.Index < first || !(s.Seconds > 0) || slices.Contains(s.Tags, "profiled") {
			continue
		}
		seconds += s.Seconds
		if by == PerSample {
			units += s.Samples
		} else {
			units++
		}
	}
	return seconds / units
}

func secondsOf(steps []run.Step) []float64 {
	values := make([]float64, len(steps))
	for i, s := range steps {
		values[i] = s.Seconds
	}
	return values
}

// samplesOf adds the samples up; 0 when a step does not tell them.
func samplesOf(steps []run.Step) float64 {
	var sum float64
	for _, s := range steps {
		if !(s.Samples > 0) {
			return 0
		}
		sum += s.Samples
	}
	return sum
}

// Measured is what a block says about speed.
type Measured struct {
	Block       int         `json:"block"`                 // number of the pair, from 1
	Calibration bool        `json:"calibration,omitempty"` // before against before
	Order       []string    `json:"order"`                 // sides in the order of their runs
	Before      stat.Number `json:"before_s_per_it"`
	After       stat.Number `json:"after_s_per_it"` // of an A/A pair: the second run of before
	Ratio       stat.Number `json:"ratio"`
	Steps       int         `json:"steps"`      // past warm-up in both runs
	First       int         `json:"first_step"` // of them
}

// Measured gives the figures of block i; Steps is 0 where it has none.
func (r Result) Measured(i int) Measured {
	b := r.Blocks[i]
	nan := stat.Number(math.NaN())
	out := Measured{Block: b.Number + 1, Calibration: b.Calibration, Before: nan, After: nan, Ratio: nan}
	for _, which := range b.Order {
		out.Order = append(out.Order, string(b.side(which)))
	}
	if b.counts() {
		m := b.measure(r.Plan)
		out.Before, out.After, out.Ratio = stat.Number(m.perStep[0]), stat.Number(m.perStep[1]), stat.Number(m.typical[1]/m.typical[0])
		out.Steps, out.First = m.steps, m.first
	}
	return out
}
