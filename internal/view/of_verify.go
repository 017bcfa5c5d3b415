package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/report/plot"
	"saturate/internal/run"
	"saturate/internal/stat"
	"saturate/internal/verify"
)

// VerifyData is what the JSON of an experiment holds. The raw steps are in the Run that keeps it.
type VerifyData struct {
	Verdict         verify.Verdict    `json:"verdict"`
	Cause           verify.Cause      `json:"cause"`
	Reason          string            `json:"reason"` // of the verdict, in a sentence
	Ratio           stat.Number       `json:"ratio"`
	Interval        [2]stat.Number    `json:"interval"`   // of the ratio
	Confidence      float64           `json:"confidence"` // of the interval: 0.95
	P               float64           `json:"p"`          // of the paired sign-flip test
	Pairs           int               `json:"n_pairs"`    // pairs of runs that count
	Before          verify.Speeds     `json:"before"`
	After           verify.Speeds     `json:"after"`
	SamplesPerS     map[string]Number `json:"samples_per_s"`
	AllStepsRatio   stat.Number       `json:"all_steps_ratio"`
	Guard           verify.Guard      `json:"guard"`
	Smallest        verify.Smallest   `json:"smallest"`
	Gate            *GateData         `json:"gate,omitempty"`
	Blocks          []BlockData       `json:"blocks"`
	Plan            verify.Plan       `json:"plan"`
	EnvironmentDiff []run.Difference  `json:"environment_diff"`
	Run             string            `json:"run,omitempty"` // the folder that keeps everything
	Log             string            `json:"log,omitempty"` // what the program that failed had printed
}

// Number is a float64 that may be NaN or infinite.
type Number = stat.Number

// GateData is what became of --gate.
type GateData struct {
	Limit   float64 `json:"limit"`   // largest slowdown that passes, as a share
	Outcome string  `json:"outcome"` // passed, failed, undecided
}

// BlockData is a block without its steps.
type BlockData struct {
	verify.Measured
	Problem    string              `json:"problem,omitempty"` // why the pair does not count
	Conditions []verify.Conditions `json:"conditions"`
}

// OfVerify shows an experiment. A gate of 0 is none.
func OfVerify(result verify.Result, gate float64) report.Report {
	before, after := result.Sides[verify.Before], result.Sides[verify.After]
	data := VerifyData{
		Verdict: result.Verdict, Cause: result.Cause, Reason: result.Reason,
		Ratio: result.Ratio, Interval: [2]Number{
			result.Interval.Lo,
			result.Interval.Hi,
		}, Confidence: result.Interval.Confidence,
		P: result.P, Pairs: result.Pairs, Before: before, After: after, AllStepsRatio: result.All,
		SamplesPerS: map[string]Number{"before": before.Speed, "after": after.Speed},
		Guard:       result.Guard, Smallest: result.Smallest, Plan: result.Plan, EnvironmentDiff: result.Differences,
		Run: result.Dir, Log: result.Log,
		Blocks: []BlockData{},
	}
	for i, b := range result.Blocks {
		data.Blocks = append(data.Blocks, BlockData{
			Measured: result.Measured(i), Problem: b.Problem + b.Fatal,
			Conditions: []verify.Conditions{b.Outcomes[0].Conditions, b.Outcomes[1].Conditions},
		})
	}
	r := report.Report{
		Command: "verify", Title: "verify: " + variantNames(result.Plan),
		Summary: append([]string{headline(result)}, evidence(result)...), Warnings: result.Warnings,
	}
	verdictTone(&r, result)
	if gate > 0 {
		outcome := judgeGate(&r, result, gate)
		data.Gate = &GateData{gate, outcome}
	}
	r.Summary = append(r.Summary, caveats(result)...)
	if s := result.Guard.Samples; result.Cause != verify.BySamples && result.Pairs > 0 {
		r.Summary = append(r.Summary, samplesLine(s))
	}
	if s := float64(result.Smallest.Change); result.Smallest.Change.Finite() {
		r.Summary = append(r.Summary, fmt.Sprintf("With %s, this machine detects a change of −%s or +%s (80%% power).",
			human.Plural(result.Plan.Pairs, "pair"), human.Percent(s/(1+s)), human.Percent(s)))
	}
	if result.Log != "" {
		r.Next = append(r.Next, "tail "+human.Shell(result.Log))
	}
	verifyFigures(&r, result)
	verifyBlocks(&r, result, data.Blocks)
	data.Plan.Before.Sources, data.Plan.After.Sources = nil, nil // in the Run
	r.Data = data
	return r
}

// samplesLine says whether both variants train on the same samples.
func samplesLine(s verify.SampleGuard) string {
	if s.State == verify.Passed {
		return "Same samples: " + s.Reason + "."
	}
	return fmt.Sprintf("Samples %s: %s.", s.State, s.Reason)
}

// verdictTone sets colour and exit code.
func verdictTone(r *report.Report, result verify.Result) {
	switch result.Verdict {
	case verify.Faster:
		r.Tone = report.Good
	case verify.TheSame:
		r.Tone = report.Neutral
	case verify.Slower:
		r.Tone, r.Outcome = report.Bad, report.Found
	case verify.Invalid:
		r.Tone, r.Outcome = report.Bad, report.Undecided
		if result.Blamed == verify.After {
			r.Outcome = report.Found
		}
	default:
		r.Tone, r.Outcome = report.Unsure, report.Undecided
	}
}

// judgeGate lets the gate decide the exit code.
func judgeGate(r *report.Report, result verify.Result, limit float64) string {
	name, sentence := "", ""
	switch result.Gate(limit) {
	case verify.GatePassed:
		name, r.Outcome = "passed", report.Done
		sentence = "a slowdown of more than " + human.Percent(limit) + " is ruled out"
	case verify.GateFailed:
		name, r.Outcome = "failed", report.Found
		sentence = "the limit is " + human.Percent(limit)
	default:
		name, r.Outcome = "undecided", report.Undecided
		sentence = "a slowdown of more than " + human.Percent(limit) + " is neither shown nor ruled out"
	}
	r.Summary = append(r.Summary, "Gate "+name+": "+sentence+".")
	return name
}

// ofRuns says what the times of two variants are, for their ratio need not be that of the pairs.
const ofRuns = ", medians of the runs"

func verifyFigures(r *report.Report, result verify.Result) {
	before, after := result.Sides[verify.Before], result.Sides[verify.After]
	if result.Pairs == 0 {
		return
	}
	u := human.NewScale("s", float64(before.Median), float64(after.Median))
	r.Figures = []report.Figure{{
		Name: "time per step", Value: u.Value(float64(after.Median)),
		Note: "was " + u.Value(float64(before.Median)) + ofRuns,
	}}
	if before.Speed.Finite() && after.Speed.Finite() {
		s := human.NewScale("", float64(before.Speed), float64(after.Speed))
		r.Figures = append(r.Figures, report.Figure{
			Name: "samples per second", Value: s.Value(float64(after.Speed)),
			Note: "was " + s.Value(float64(before.Speed)),
		})
	}
	note := "pair by pair; too few pairs for an interval"
	if s := changeInterval(result.Interval); s != "" {
		note = "pair by pair, " + human.Percent(result.Interval.Confidence) + " interval " + s
	}
	r.Figures = append(r.Figures, report.Figure{
		Name: "change in time", Value: human.Change(float64(result.Ratio)),
		Note: note,
	})
}

func verifyBlocks(r *report.Report, result verify.Result, blocks []BlockData) {
	table := &report.Table{
		Columns: []report.Column{
			{Name: "pair", Right: true},
			{Name: "runs"},
			{Name: "before", Right: true},
			{Name: "after", Right: true},
			{Name: "change", Right: true},
			{Name: "steps", Right: true},
			{Name: "remarks"},
		},
		Foot: "A pair is two processes, one right after the other, in the order shown. Times cover the steps that are " +
			"past warm-up in both.",
	}
	if slices.ContainsFunc(blocks, func(b BlockData) bool { return b.Calibration }) {
		table.Foot += " A/A pairs run the baseline twice."
	}
	var ratios []float64
	for _, b := range blocks {
		row := []string{
			fmt.Sprint(b.Block), strings.Join(b.Order, ", "), human.Missing, human.Missing, human.Missing, "",
			b.Problem,
		}
		if b.Problem != "" && b.Problem == result.Reason {
			row[6] = "ended the experiment" // the headline says why
		}
		if b.Steps > 0 {
			u := human.NewScale("s", float64(b.Before), float64(b.After))
			row[2], row[3], row[4], row[5] = u.Value(float64(b.Before)), u.Value(float64(b.After)), human.Change(float64(b.Ratio)), fmt.Sprint(b.Steps)
		}
		if b.Calibration {
			row[6] = strings.TrimSpace("A/A " + row[6])
		} else if b.Steps > 0 {
			ratios = append(ratios, float64(b.Ratio))
		}
		table.Rows = append(table.Rows, row)
	}
	if len(table.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Pairs", Table: table})
	}
	if len(ratios) > 1 {
		before, after := result.Sides[verify.Before], result.Sides[verify.After]
		r.Blocks = append(r.Blocks, report.Block{Heading: "Every run", Plot: plot.Strip{
			Heading: "Every run", Axis: "time per step", Unit: "s", Noun: "run",
			Series: []plot.Series{
				{Name: "before", Values: before.SecondsPerStep},
				{Name: "after", Values: after.SecondsPerStep},
			},
		}})
	}
	if g := result.Guard; result.Pairs > 0 && g.Reason != "" && !slices.ContainsFunc(r.Summary, func(s string) bool { return strings.Contains(s, g.Reason) }) {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Loss", Text: asSentence(g.Reason)})
	}
	if block, ok := verifyLosses(result); ok {
		r.Blocks = append(r.Blocks, block)
	}
	if t := conditionsTable(blocks); len(t.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "The machine during the runs", Table: t, Detail: true})
	}
	if len(result.Differences) > 0 {
		t := &report.Table{Columns: []report.Column{{}, {Name: "before"}, {Name: "after"}}}
		for _, d := range result.Differences {
			d = readable(d)
			t.Rows = append(t.Rows, []string{d.What, orNone(d.A), orNone(d.B)})
		}
		r.Blocks = append(r.Blocks, report.Block{Heading: "Differences between the environments", Table: t, Detail: true})
	}
}

// verifyLosses draws the loss of the first pair.
func verifyLosses(result verify.Result) (block report.Block, ok bool) {
	p := plot.Trend{Heading: "Loss of the first pair", Axis: "loss", Noun: "step"}
	for _, b := range result.Blocks {
		if b.Calibration || b.Problem != "" {
			continue
		}
		for i, side := range []string{"before", "after"} {
			values := make([]float64, len(b.Outcomes[i].Steps))
			for j, s := range b.Outcomes[i].Steps {
				values[j] = math.NaN()
				if s.Loss != nil {
					values[j], ok = float64(*s.Loss), true
				}
			}
			p.Series = append(p.Series, plot.Series{Name: side, Values: values})
		}
		break
	}
	return report.Block{Heading: p.Heading, Plot: p}, ok
}

func conditionsTable(blocks []BlockData) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "pair", Right: true}, {Name: "run"}, {
			Name:  "CPU of other programs (cores)",
			Right: true,
		}, {Name: "CPU stolen by the host", Right: true}, {Name: "GPU"}, {Name: "clock", Right: true}, {Name: "temperature", Right: true}, {Name: "power", Right: true}, {Name: "busy", Right: true}, {Name: "clock limited by"},
	}}
	for _, b := range blocks {
		for i, c := range b.Conditions {
			side := "before"
			if i == 1 && !b.Calibration {
				side = "after"
			}
			row := []string{fmt.Sprint(b.Block), side, fmt.Sprintf("%.1f", c.OtherCores), human.Percent(c.Stolen)}
			for _, g := range c.GPUs {
				t.Rows = append(t.Rows, append(row[:4:4], fmt.Sprint(g.Index), fmt.Sprintf("%.0f MHz", g.ClockMHz),
					fmt.Sprintf("%.0f °C", g.Celsius),
					fmt.Sprintf("%.0f W", g.Watts), human.Percent(g.Busy), strings.Join(g.Reasons, ", ")))
			}
			if len(c.GPUs) == 0 && (c.OtherCores > 0 || c.Stolen > 0) {
				t.Rows = append(t.Rows, append(row, make([]string, len(t.Columns)-len(row))...))
			}
		}
	}
	dropEmpty(t)
	return t
}
