package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/whatif"
)

// askedBlock answers --what-if.
func (v traceView) askedBlock() []report.Block {
	if len(v.WhatIf) == 0 || !v.WhatIf[0].Asked {
		return nil
	}
	p := v.WhatIf[0]
	t := helpTable()
	t.Rows = append(t.Rows, v.helpRow("asked", p, p.Name))
	t.Foot = v.helpFoot(p.Known())
	if p.Note != "" {
		t.Foot = strings.TrimSpace(upperFirst(strings.TrimSuffix(p.Note, ".")) + ". " + t.Foot)
	}
	return []report.Block{{Heading: "What if", Table: t}}
}

// helpBlock lists what could be repaired, the shortest step first: all of it together, then each finding with the
// repair that helps it most.
func (v traceView) helpBlock() []report.Block {
	out := v.askedBlock()
	if len(v.Findings) == 0 {
		return out
	}
	t := helpTable()
	known, bound := false, ""
	note := func(p whatif.Prediction) {
		known = known || p.Known()
		if p.Note != "" {
			bound = p.Note
		}
	}
	if p, ok := v.together(); ok {
		t.Rows = append(t.Rows, v.helpRow("together", p, upperFirst(p.Name)))
		note(p)
	}
	shown := map[string]bool{}
	for _, p := range v.WhatIf {
		if p.Asked || len(p.Repairs) != 1 {
			continue
		}
		for _, f := range v.Findings {
			if !shown[f.Code] && slices.Contains(p.Rules, f.Code) {
				shown[f.Code] = true
				t.Rows = append(t.Rows, v.helpRow(f.Code, p, f.Message))
				note(p)
			}
		}
	}
	limits := 0
	for _, f := range v.Findings {
		if shown[f.Code] {
			continue
		}
		saves := human.Missing
		if f.Estimate != nil && f.Estimate.SecondsPerStep > 0 {
			saves = "saves ≤ " + human.Seconds(f.Estimate.SecondsPerStep)
			limits++
		}
		t.Rows = append(t.Rows, []string{f.Code, human.Missing, saves, f.Message})
	}
	t.Foot = v.helpFoot(known)
	switch limits {
	case 0:
	case 1:
		t.Foot += " The saving is an upper bound " + v.savingUnit() + "."
	default:
		t.Foot += " Savings are upper bounds " + v.savingUnit() + "; they overlap, so do not add them."
	}
	t.Foot = strings.TrimSpace(t.Foot)
	if bound != "" {
		t.Foot = strings.TrimSpace(t.Foot + " " + bound)
	}
	return append(out, report.Block{Heading: "What would help", Table: t})
}

func helpTable() *report.Table {
	return &report.Table{Columns: []report.Column{
		{Name: "Fix"},
		{Name: "Predicted step", Right: true},
		{Name: "Range", Right: true},
		{Name: "What"},
	}}
}

func (v traceView) helpRow(rule string, p whatif.Prediction, what string) []string {
	low, high := human.Nanoseconds(p.IntervalNS[0]), human.Nanoseconds(p.IntervalNS[1])
	switch {
	case p.Known():
		return []string{rule, human.Nanoseconds(p.StepNS), low + " – " + high, what}
	case p.IntervalNS == [2]int64{}:
		return []string{rule, human.Missing, human.Missing, what}
	case p.IntervalNS[1] <= widest*p.IntervalNS[0]:
		return []string{rule, unknownStep, low + " – " + high, what}
	}
	return []string{rule, unknownStep, human.Missing, what}
}

// unknownStep stands where a trace has no figure; a range that is widest says nothing either.
const (
	unknownStep = "unknown"
	widest      = 3
)

// helpFoot says what the figures start from.
func (v traceView) helpFoot(known bool) string {
	if v.From == nil || !known {
		return ""
	}
	what := "a step"
	if len(v.Steps) == 0 {
		what = "the recorded work"
	}
	how := "with the profiler on"
	if v.From.Calibrated {
		how = "without the profiler"
	}
	roofs := ""
	if v.From.Roofs != "" {
		roofs = " Precision by the roofs that bench measured (" + v.From.Roofs + ")."
	}
	return fmt.Sprintf("Predicted from this trace. Now %s takes %s (%s). Each fix alone, unless marked together.%s", what,
		human.Nanoseconds(v.From.StepNS), how, roofs)
}

// best is the prediction with the shortest step, if there is a figure.
func (v traceView) best() (best whatif.Prediction, ok bool) {
	for _, p := range v.WhatIf {
		if !p.Asked && p.Known() && (!ok || p.StepNS < best.StepNS) {
			best, ok = p, true
		}
	}
	return best, ok
}

// together is the prediction of the best set of repairs.
func (v traceView) together() (whatif.Prediction, bool) {
	for _, p := range v.WhatIf {
		if !p.Asked && len(p.Repairs) > 1 {
			return p, true
		}
	}
	return whatif.Prediction{}, false
}

// whatIf lists all predictions.
func (v traceView) whatIf() []report.Block {
	if len(v.WhatIf) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Fixes"},
		{Name: "Predicted step", Right: true},
		{Name: "Range", Right: true},
		{Name: "What"},
	}}
	for _, p := range v.WhatIf {
		row := v.helpRow(strings.Join(p.Repairs, ","), p, p.Name)
		t.Rows = append(t.Rows, row)
	}
	return []report.Block{{Heading: "Predictions", Table: t}}
}

// path shows the chain that decides the step.
func (v traceView) path() []report.Block {
	p := v.CriticalPath
	if p == nil || p.TotalNS == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Part"},
		{Name: "Time", Right: true},
		{Name: "Share", Right: true},
		{Name: "Where"},
	}}
	const rows = 15
	var rest int64
	for i, part := range p.Parts {
		if i >= rows {
			rest += part.NS
			continue
		}
		t.Rows = append(t.Rows, []string{
			string(part.Kind), human.Nanoseconds(part.NS),
			human.Percent(float64(part.NS) / float64(p.TotalNS)), kernelName(placeName(part.Place)),
		})
	}
	if rest > 0 {
		t.Rows = append(t.Rows, []string{
			"other", human.Nanoseconds(rest), human.Percent(float64(rest) / float64(p.TotalNS)),
			"",
		})
	}
	t.Foot = fmt.Sprintf("The chain that decides how long a step takes: %s. Other work is hidden behind it.",
		human.Nanoseconds(p.TotalNS))
	return []report.Block{{Heading: "Critical path", Table: t}}
}
