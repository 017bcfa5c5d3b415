package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/report/plot"
	"saturate/internal/stat"
)

// CompareTraces reports what changed from one trace to another.
func CompareTraces(c analyze.Comparison) report.Report {
	v := tracePair{c}
	r := report.Report{
		Command: "compare", Title: human.Line(c.Before.Name) + " vs " + human.Line(c.After.Name), Data: c,
		Summary: v.summary(), Warnings: v.warnings(),
	}
	r.Tone, r.Outcome = v.outcome()
	sides := []report.Block{
		{Heading: "Before: " + human.Line(c.Before.Name), Text: c.Before.Verdict.Sentence},
		{Heading: "After: " + human.Line(c.After.Name), Text: c.After.Verdict.Sentence},
	}
	if v.empty() {
		r.Blocks = sides
		return r
	}
	r.Figures = []report.Figure{{
		Name: v.unit(), Value: human.Nanoseconds(c.After.NS),
		Note: "was " + human.Nanoseconds(c.Before.NS),
	}}
	operators := "Operators by self time on the host"
	if !c.OnHost {
		operators = "Operators by self time on the GPU"
		r.Figures = append(r.Figures, report.Figure{
			Name: "GPU idle", Value: human.Nanoseconds(c.After.IdleNS),
			Note: "was " + human.Nanoseconds(c.Before.IdleNS),
		}, report.Figure{Name: "GPU busy", Value: human.Nanoseconds(c.After.BusyNS), Note: "was " +
			human.Nanoseconds(c.Before.BusyNS)})
	}
	if len(c.Parts) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Plot: v.waterfall()}, report.Block{
			Heading: "What a step is made of",
			Table:   v.parts(),
		})
	}
	r.Blocks = append(r.Blocks, sides...)
	for _, list := range []struct {
		heading string
		changes []analyze.Change
	}{{operators, c.Operators}, {"Kernels", c.Kernels}} {
		if len(list.changes) > 0 && list.changes[0].DeltaNS() != 0 { // the largest comes first
			r.Blocks = append(r.Blocks, report.Block{Heading: list.heading, Table: v.changes(list.changes, 10)})
		}
	}
	if c.HostCalls.Changed() > 0 {
		r.Blocks = append(r.Blocks, v.hostCalls())
	}
	return r
}

// empty reports whether a side shows neither work of a GPU nor steps like the other's, so that there is nothing to
// compare with.
func (v tracePair) empty() bool { return v.Before.NS == 0 || v.After.NS == 0 }

// tracePair is a comparison on its way into a Report.
type tracePair struct{ analyze.Comparison }

func (v tracePair) unit() string {
	if v.PerStep {
		return "time per step"
	}
	return "time of the trace"
}

// summary says which is faster, and what made it so.
func (v tracePair) summary() []string {
	noun := "a step"
	if !v.PerStep {
		noun = "the trace"
	}
	ratio := float64(v.After.NS) / float64(max(v.Before.NS, 1))
	times := human.Times(ratio) + " slower"
	if ratio < 1 {
		times = human.Times(1/ratio) + " faster"
	}
	first := fmt.Sprintf("%s: %s took %s and now takes %s", times, noun, human.Nanoseconds(v.Before.NS),
		human.Nanoseconds(v.After.NS))
	switch t := v.StepTimes; {
	case v.Before.NS == 0 && v.After.NS == 0:
		return []string{"Nothing to compare: neither trace shows GPU work, and not both have steps."}
	case v.Before.NS == 0:
		return []string{"Nothing to compare: the trace before shows no GPU work."}
	case v.After.NS == 0:
		return []string{"Nothing to compare: the trace after shows no GPU work."}
	case v.DeltaNS == 0:
		return []string{"Both take " + human.Nanoseconds(v.After.NS) + "."}
	case t != nil && !t.Significant():
		first = fmt.Sprintf("No difference found: a step takes %s before and %s after on average (p = %.2g)",
			human.Nanoseconds(v.Before.NS), human.Nanoseconds(v.After.NS), t.P)
	case t != nil:
		first += fmt.Sprintf(" (p = %.2g over %d and %d steps)", t.P, v.Before.Steps, v.After.Steps)
	}
	out := []string{first + "."}
	data := slices.IndexFunc(v.Parts, func(c analyze.Change) bool { return c.Name == dataPart })
	if data >= 0 && v.Parts[data].Share >= 0.1 {
		out = append(out, dataSentence(v.Parts[data]))
	}
	// Of the other parts the largest, if it went the way of the whole.
	rest := slices.IndexFunc(v.Parts, func(c analyze.Change) bool { return c.Name != dataPart })
	if rest >= 0 && rest <= 1 && v.Parts[rest].Share > 0 {
		top := v.Parts[rest]
		out = append(out, fmt.Sprintf("%s: %s → %s a step, %s of the difference.", upperFirst(top.Name),
			human.Nanoseconds(top.BeforeNS), human.Nanoseconds(top.AfterNS), human.Percent(top.Share)))
	}
	return out
}

const dataPart = "waiting for data"

// dataSentence says how waiting for data changed.
func dataSentence(c analyze.Change) string {
	verb := "Time waiting for data grew: %s → %s a step, %s of the difference."
	switch {
	case 50*c.AfterNS < c.BeforeNS:
		verb = "Waiting for data is gone: %s → %s a step, %s of the difference."
	case c.DeltaNS() < 0:
		verb = "Time waiting for data fell: %s → %s a step, %s of the difference."
	}
	return fmt.Sprintf(verb, human.Nanoseconds(c.BeforeNS), human.Nanoseconds(c.AfterNS), human.Percent(c.Share))
}

// lowerFirst leaves abbreviations as they are: "GPU 0 was idle".
func lowerFirst(s string) string {
	if len(s) < 2 || s[0] < 'A' || s[0] > 'Z' || s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return string(s[0]-'A'+'a') + s[1:]
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// outcome is bad news when steps got slower by more than chance.
func (v tracePair) outcome() (report.Tone, report.Outcome) {
	switch t := v.StepTimes; {
	case t == nil:
		return report.Unsure, report.Undecided
	case !t.Significant():
		return report.Neutral, report.Done
	case v.DeltaNS > 0:
		return report.Bad, report.Found
	}
	return report.Good, report.Done
}

func (v tracePair) warnings() []string {
	if v.empty() {
		return nil
	}
	out := slices.Clone(v.Notes)
	for i, n := range out {
		out[i] = upperFirst(n) + "."
	}
	if a, b := v.Before.Trace.GPU, v.After.Trace.GPU; a != b && a != "" && b != "" {
		out = append(out, fmt.Sprintf("The GPUs differ: %s and %s.", a, b))
	}
	if t := v.StepTimes; t != nil {
		out = append(out, "Steps of one process are not independent, so p holds for these two recordings only.")
	}
	return out
}

// waterfall draws how one step becomes the other.
func (v tracePair) waterfall() plot.Waterfall {
	w := plot.Waterfall{
		Heading: "What changed in a step", Unit: "s", From: "before", To: "after",
		Start: float64(v.Before.NS) / 1e9,
	}
	var rest int64
	for _, c := range v.Parts {
		if math.Abs(c.Share) < 0.01 {
			rest += c.DeltaNS()
			continue
		}
		w.Changes = append(w.Changes, plot.Change{Name: c.Name, Delta: float64(c.DeltaNS()) / 1e9})
	}
	if rest != 0 {
		w.Changes = append(w.Changes, plot.Change{Name: "other", Delta: float64(rest) / 1e9})
	}
	return w
}

func (v tracePair) parts() *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "Part"}, {Name: "Before", Right: true}, {Name: "After", Right: true}, {
			Name:  "Change",
			Right: true,
		}, {Name: "Share of change", Right: true},
	}}
	for _, c := range v.Parts {
		p := ""
		if c.P != nil {
			p = fmt.Sprintf("%.2g", *c.P)
			if *c.P > stat.Alpha {
				p += " ~"
			}
		}
		row := []string{
			c.Name, human.Nanoseconds(c.BeforeNS), human.Nanoseconds(c.AfterNS), signed(c.DeltaNS()),
			shareText(c.Share),
		}
		if v.StepTimes != nil {
			row = append(row, p)
		}
		t.Rows = append(t.Rows, row)
	}
	if v.StepTimes == nil {
		return t
	}
	t.Columns = append(t.Columns, report.Column{Name: "p", Right: true})
	t.Foot = "p: Mann-Whitney test over the steps, for parts of 1% or more, adjusted " +
		"for their number; ~ is not significant."
	return t
}

// changes lists what changed, largest first. A name that changed shows both.
func (v tracePair) changes(list []analyze.Change, most int) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "Before", Right: true},
		{Name: "After", Right: true},
		{Name: "Change", Right: true},
		{Name: "Share of change", Right: true},
		{Name: "Calls", Right: true},
		{Name: "What"},
	}}
	for _, c := range list[:min(most, len(list))] {
		what := kernelName(c.Name)
		switch c.MatchedBy {
		case "operator":
			what = fmt.Sprintf("%s: %s → %s", c.Operator, kernelName(c.Name), kernelName(c.After))
		case "before":
			what += " (gone)"
		case "after":
			what += " (new)"
		}
		t.Rows = append(t.Rows, []string{
			human.Nanoseconds(c.BeforeNS), human.Nanoseconds(c.AfterNS), signed(c.DeltaNS()), shareText(c.Share),
			fmt.Sprintf("%.0f → %.0f", c.BeforeCount, c.AfterCount), what,
		})
	}
	return t
}

func signed(n int64) string {
	if n > 0 {
		return "+" + human.Nanoseconds(n)
	}
	return human.Nanoseconds(n)
}

// shareText is a share of the difference; what went the other way is negative.
func shareText(share float64) string {
	if text := human.Percent(math.Abs(share)); share >= 0 || strings.HasPrefix(text, "<") {
		return text
	}
	return "−" + human.Percent(-share)
}
