package verify

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// Verdict is the answer in one word.
type Verdict string

const (
	Faster       Verdict = "FASTER"
	Slower       Verdict = "SLOWER"
	TheSame      Verdict = "SAME" // shown to be within the threshold, which is more than not shown to differ
	Inconclusive Verdict = "INCONCLUSIVE"
	Invalid      Verdict = "INVALID"
)

// Cause is why a Verdict is INVALID.
type Cause string

const (
	NoCause      Cause = ""
	ByAccuracy   Cause = "accuracy"   // the guard failed
	BySamples    Cause = "samples"    // after trains on something else
	ByWork       Cause = "work"       // the variants do different work
	ByProgram    Cause = "program"    // a variant crashed, hung, or made no steps
	ByConditions Cause = "conditions" // the machine was disturbed in every attempt
	ByModules    Cause = "modules"    // a variant ran code that is not its own
)

// Result is everything an experiment has to say.
type Result struct {
	Plan     Plan            `json:"plan"`
	Verdict  Verdict         `json:"verdict"`
	Cause    Cause           `json:"cause,omitempty"`
	Blamed   Side            `json:"blamed,omitempty"` // the side that the Cause is about
	Reason   string          `json:"reason"`           // the figures and the Caveat, in one sentence
	Caveat   string          `json:"caveat,omitempty"` // what a reader has to know besides the figures: why the verdict is not clear
	Ratio    stat.Number     `json:"ratio"`            // of the times: after over before, Hodges-Lehmann over the pairs
	Interval stat.Interval   `json:"interval"`         // of the ratio
	P        float64         `json:"p"`                // sign-flip test, two-sided, exact up to 30 pairs
	Pairs    int             `json:"n_pairs"`          // pairs of runs that count
	Sides    map[Side]Speeds `json:"sides"`
	All      stat.Number     `json:"all_steps_ratio"` // including the steps that are not ordinary
	Smallest Smallest        `json:"smallest"`
	Guard    Guard           `json:"guard"`
	Blocks   []Block         `json:"blocks"`
	Warnings []string        `json:"warnings,omitempty"` // about the measurement
	Dir      string          `json:"dir,omitempty"`      // folder that keeps everything
	Log      string          `json:"log,omitempty"`      // of the program that failed

	Differences []run.Difference `json:"environment_diff"`
}

// Speeds are the figures of a variant, one for each pair.
type Speeds struct {
	SecondsPerStep   []float64   `json:"s_per_it"`                // seconds per step
	SamplesPerSecond []float64   `json:"samples_per_s,omitempty"` // where the steps tell their samples
	Median           stat.Number `json:"median_s_per_it"`
	Speed            stat.Number `json:"median_samples_per_s"`
}

// Smallest is what this machine and this number of pairs can show.
type Smallest struct {
	Noise       stat.Noise  `json:"noise"`       // of log-ratios
	Calibration []float64   `json:"calibration"` // the ratios of the A/A pairs
	Change      stat.Number `json:"change"`      // the smallest change that is found in 4 of 5 experiments: 0.03 is 3 %
}

// Judge computes the result from the raw blocks and from what the variants train on. It depends on nothing else.
func Judge(p Plan, blocks []Block, samples *SampleGuard) Result {
	p = p.Defaults()
	nan := stat.Number(math.NaN())
	r := Result{
		Plan: p, Blocks: blocks, Ratio: nan, All: nan, P: 1, Interval: stat.Interval{Lo: nan, Hi: nan},
		Smallest: Smallest{Calibration: []float64{}, Change: stat.Number(math.Inf(1))}, Sides: map[Side]Speeds{},
		Differences: []run.Difference{},
	}
	var good []Block
	for _, b := range blocks {
		if b.counts() {
			good = append(good, b)
		}
	}
	r.Guard = guard(p, blocks)
	r.Guard.Samples = SampleGuard{State: NotChecked, Reason: "not checked"}
	if samples != nil {
		r.Guard.Samples = *samples
	}
	r.Guard.redrawn(p, blocks)
	r.notes(good)

	d, all := r.measure(p, good)
	r.Pairs = len(d)
	if len(d) > 0 {
		r.estimate(d)
		r.All = stat.Number(math.Exp(float64(hodgesLehmann(all).Value)))
	}
	r.decide(d, blocks)
	return r
}

// medianSpeed is one over the median time of a sample. The median of the speeds of an even number of runs would
// contradict the median time of a step beside it.
func medianSpeed(samplesPerSecond []float64) stat.Number {
	perSample := stat.Series{}
	for _, speed := range samplesPerSecond {
		perSample.Values = append(perSample.Values, 1/speed)
	}
	return 1 / stat.Summarize(perSample).Median
}

// measure turns blocks into log-ratios: of the pairs, and of the pairs with all their steps.
func (r *Result) measure(p Plan, good []Block) (d, all []float64) {
	var calibration []float64
	speeds := map[Side]Speeds{Before: {SecondsPerStep: []float64{}}, After: {SecondsPerStep: []float64{}}}
	unsettled, recompiled := 0, 0
	for _, b := range good {
		m := b.measure(p)
		recompiled += b.recompiled(m.first)
		if !m.settled {
			unsettled++
		}
		ratio := math.Log(m.typical[1] / m.typical[0])
		if b.Calibration {
			calibration = append(calibration, ratio)
			r.Smallest.Calibration = append(r.Smallest.Calibration, math.Exp(ratio))
			continue
		}
		d, all = append(d, ratio), append(all, math.Log(m.all[1]/m.all[0]))
		for i, side := range []Side{Before, After} {
			s := speeds[side]
			s.SecondsPerStep = append(s.SecondsPerStep, m.perStep[i])
			if m.speed[i] > 0 {
				s.SamplesPerSecond = append(s.SamplesPerSecond, m.speed[i])
			}
			speeds[side] = s
		}
	}
	for side, s := range speeds {
		s.Median = stat.Summarize(stat.Series{Values: s.SecondsPerStep}).Median
		s.Speed = medianSpeed(s.SamplesPerSecond)
		r.Sides[side] = s
	}
	if 2*unsettled > len(good) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("in %d of %d pairs the step times still "+
			"changed after half of the steps; raise --steps", unsettled, len(good)))
	}
	if recompiled > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s recompiled after the warm-up: they are "+
			"left out here, but a long training pays for them too", human.Plural(recompiled, "step")))
	}
	r.Smallest.Noise = stat.PairNoise(calibration, d)
	if r.Smallest.Noise.Freedom > 0 {
		pairs := max(p.Pairs, len(d))
		effect := r.Smallest.Noise.Detectable(pairs)
		if pairs < fewPairs {
			effect = max(effect, furthest(calibration, d))
		}
		r.Smallest.Change = stat.Number(math.Expm1(math.Log1p(p.Threshold) + effect))
	}
	return d, all
}

// fewPairs decide only when all of them, or all but the mildest, agree.
const fewPairs = 8

// furthest is how far the furthest pair lies from where it should. Where few pairs have to agree an effect has to outdo
// even that one; the standard deviation alone would promise too much where a machine stumbles now and then.
func furthest(calibration, differences []float64) float64 {
	most := 0.0
	for _, d := range calibration {
		most = max(most, math.Abs(d))
	}
	centre := float64(hodgesLehmann(differences).Value)
	for _, d := range differences {
		most = max(most, math.Abs(d-centre))
	}
	return most
}

func (r *Result) estimate(d []float64) {
	ratio := hodgesLehmann(d).Exp()
	r.Ratio, r.Interval = ratio.Value, ratio.Interval
	if test, err := stat.SignFlip(d); err == nil {
		r.P = test.P
	}
}

func hodgesLehmann(d []float64) stat.Estimate {
	estimate, err := stat.HodgesLehmann(d, stat.Confidence)
	if err != nil {
		return stat.Estimate{Value: stat.Number(math.NaN())}
	}
	return estimate
}

// decide finds the one word. What forbids a verdict comes first; among the rest, a claim has to be significant,
// beyond the threshold with its whole interval, larger than the machine's own noise, and true of all steps
// together, not only of the ordinary ones.
func (r *Result) decide(d []float64, blocks []Block) {
	if r.forbidden(blocks) {
		return
	}
	var (
		p        = r.Plan
		faster   = 1 / (1 + p.Threshold)
		slower   = 1 + p.Threshold
		evidence = fmt.Sprintf("%s (%sp = %.3f, %s)", changeOf(float64(r.Ratio)), intervalOf(r.Interval), r.P,
			human.Plural(r.Pairs, "pair"))
		claimable = r.P <= stat.Alpha && math.Abs(math.Log(float64(r.Ratio))) > r.Smallest.Noise.Critical(r.Pairs)
	)
	switch same, err := stat.Equivalence(d, math.Log1p(p.Threshold)); {
	case claimable && float64(r.Interval.Hi) < faster:
		r.decideFaster(evidence)
	case claimable && float64(r.Interval.Lo) > slower:
		r.Verdict, r.Reason = Slower, "steps take "+evidence
	case r.Guard.State == Failed:
		r.failedGuard("")
	case err == nil && same.Equivalent && r.Guard.notShown() != "":
		r.notProven(evidence)
	case err == nil && same.Equivalent:
		r.Verdict, r.Reason = TheSame, fmt.Sprintf("steps take %s, shown to be within ±%s", evidence,
			human.Percent(p.Threshold))
	default:
		r.Verdict, r.Caveat = Inconclusive, r.wayOut()
		r.Reason = "steps take " + evidence + "; " + r.Caveat
	}
}

// decideFaster is for steps that are faster beyond doubt: the run as a whole has to be, with the same results.
func (r *Result) decideFaster(evidence string) {
	switch {
	case float64(r.All) >= 1:
		r.Verdict, r.Caveat = Inconclusive, "all steps together, with checkpoints and new epochs, take "+
			changeOf(float64(r.All))
		r.Reason = "ordinary steps take " + evidence + ", but " + r.Caveat
	case r.Guard.State == Failed:
		r.failedGuard("steps take " + evidence + ", but ")
	case r.Guard.notShown() != "":
		r.notProven(evidence)
	default:
		r.Verdict, r.Reason = Faster, "steps take "+evidence
	}
}

// failedGuard is for runs with other results.
func (r *Result) failedGuard(before string) {
	r.Verdict, r.Cause, r.Blamed = Invalid, ByAccuracy, After
	r.Caveat = "the results are not the same: " + r.Guard.Reason
	r.Reason = before + r.Caveat
}

// notProven is for runs whose results could not be compared.
func (r *Result) notProven(evidence string) {
	r.Verdict, r.Caveat = Inconclusive, "it is not proven that the results are unchanged: "+r.Guard.notShown()
	r.Reason = "steps take " + evidence + ", but " + r.Caveat
}

// forbidden gives INVALID where there is nothing to judge, and says why.
func (r *Result) forbidden(blocks []Block) bool {
	if s := r.Guard.Samples; s.State == Failed {
		r.Verdict, r.Cause, r.Blamed, r.Reason = Invalid, BySamples, After, s.Reason
		return true
	}
	problems := map[int]int{}
	for _, b := range blocks {
		switch {
		case b.Fatal != "":
			r.Verdict, r.Cause, r.Blamed, r.Reason, r.Log = Invalid, b.Cause, b.Blamed, b.Fatal, b.Log
			return true
		case b.Problem != "":
			if problems[b.Number]++; problems[b.Number] >= mostAttempts {
				r.Verdict, r.Cause, r.Reason = Invalid, ByConditions, fmt.Sprintf("the machine was disturbed in all %d attempts; last time: %s", mostAttempts, b.Problem)
				return true
			}
		}
	}
	if r.Pairs == 0 {
		r.Verdict, r.Reason = Inconclusive, "no pair of runs was finished"
		return true
	}
	return false
}

// wayOut says what would decide the matter.
func (r *Result) wayOut() string {
	if r.Pairs < fewestPairs {
		return fmt.Sprintf("fewer than %d pairs cannot decide", fewestPairs)
	}
	threshold := math.Log1p(r.Plan.Threshold)
	effect := math.Abs(math.Log(float64(r.Ratio))) - threshold
	if effect < threshold/2 {
		effect = threshold / 2 // to show sameness, or the little that is left of a difference
	}
	need := stat.PairsNeeded(effect, float64(r.Smallest.Noise.SD))
	switch {
	case need == 0 || need > 1000:
		return "this machine is too noisy to detect such a small change; stop other programs, or raise --threshold"
	case need > 50:
		return fmt.Sprintf("a quieter machine, a larger --threshold, or about %d pairs would decide", need)
	case need > r.Pairs:
		return fmt.Sprintf("about %d pairs would decide (--pairs %d)", need, need)
	}
	return "run it again with more pairs"
}

// fewestPairs is how many pairs can be significant at all: 2/2^6 < 0.05.
const fewestPairs = 6

// notes gathers what the blocks remarked, each once.
func (r *Result) notes(good []Block) {
	add := func(text string) {
		if !slices.Contains(r.Warnings, text) {
			r.Warnings = append(r.Warnings, text)
		}
	}
	for _, b := range good {
		for _, n := range b.Notes {
			add(n)
		}
	}
	for _, b := range r.Blocks {
		if b.Problem != "" {
			add(fmt.Sprintf("pair %d was repeated: %s", b.Number+1, b.Problem))
		}
	}
	for _, w := range r.Guard.Warnings {
		add(w)
	}
	for _, w := range weather(good) {
		add(w)
	}
	for _, b := range good {
		if !b.Calibration {
			r.Differences = append(r.Differences, run.DiffEnvironments(b.Outcomes[0].Run.Environment,
				b.Outcomes[1].Run.Environment)...)
			break
		}
	}
	if unused := r.Unloaded(); len(unused) > 0 && len(good) > 0 {
		add(fmt.Sprintf("none of the changed files was imported by the program, so both variants "+
			"ran the same code as far as is known: %s", someOf(unused)))
	}
	if v := r.Plan; v.Before.Fingerprint != "" && v.Before.Fingerprint == v.After.Fingerprint &&
		slices.Equal(v.Before.Command, v.After.Command) && slices.Equal(v.Before.Env, v.After.Env) {
		add("both variants have the same files and the same command, so this measures only the machine's noise")
	}
}
