package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// CompareData is what the JSON of a comparison holds.
type CompareData struct {
	Before          RunData           `json:"before"`
	After           RunData           `json:"after"`
	Comparisons     []stat.Comparison `json:"comparisons"` // of step times and other series
	AdjustedP       []float64         `json:"adjusted_p"`  // of each comparison, by Holm's method
	EnvironmentDiff []run.Difference  `json:"environment_diff"`
}

// CompareRuns compares the steady steps of two Runs, a before and b after.
func CompareRuns(a, b run.Run) report.Report {
	views := viewRuns(a, b)
	before, after := views[0], views[1]
	comparisons := comparisonsOf(before, after)
	adjusted := adjust(comparisons)
	differences := differencesOf(a, b)
	r := report.Report{
		Command: "compare", Title: before.label + " vs " + after.label,
		Data: CompareData{before.data(), after.data(), comparisons, adjusted, append([]run.Difference{}, differences...)},
	}
	concludeRuns(&r, before, after, comparisons[0], adjusted[0])
	r.Warnings = append(r.Warnings, sameRun(a, b)...)
	if before.measured() && after.measured() {
		r.Warnings = append(r.Warnings, "This compares one process with one (n = 1): "+
			"steps of one process are not independent. "+
			"Interval and p hold for these two runs only; `saturate verify` proves a small difference.")
	}
	r.Warnings = append(r.Warnings, differentConditions(views)...)
	r.Warnings = append(r.Warnings, slices.Concat(before.warnings(true), after.warnings(true))...)
	r.Warnings = append(r.Warnings, comparisonWarnings(comparisons)...)

	r.Blocks = append(r.Blocks, report.Block{Heading: "Before and after", Table: comparisonTable(comparisons, adjusted)})
	if before.measured() || after.measured() {
		r.Blocks = append(r.Blocks, stripOf(views), trendOf(views))
		r.Blocks = append(r.Blocks, breakdownOf(views)...)
		if block, ok := lossOf(views); ok {
			r.Blocks = append(r.Blocks, block)
		}
	}
	if len(differences) > 0 {
		r.Blocks = append(r.Blocks, report.Block{
			Heading: "Differences between the environments",
			Table:   differenceTable(before, after, differences),
		})
	} else {
		r.Blocks = append(r.Blocks, report.Block{
			Heading: "Differences between the environments",
			Text:    "No recorded difference.",
		})
	}
	r.Blocks = append(r.Blocks, environmentOf(views))
	return r
}

// sameRun says so where a run is compared with itself.
func sameRun(a, b run.Run) []string {
	if a.ID == "" || a.ID != b.ID {
		return nil
	}
	return []string{"Both sides are the same run."}
}

// concludeRuns writes the answer: faster, slower, or not to be told apart.
func concludeRuns(r *report.Report, before, after runView, c stat.Comparison, p float64) {
	if !before.measured() || !after.measured() || !c.Ratio.Finite() {
		side := before
		if before.measured() {
			side = after
		}
		r.Summary = []string{"Cannot compare the runs: `" + side.label + "` has no steady steps."}
		r.Tone, r.Outcome = report.Unsure, report.Undecided
		return
	}
	u := timeScale([]runView{before, after})
	was, now := u.Value(float64(c.Before.Median)), u.Value(float64(c.After.Median))
	known := []string{}
	if s := changeInterval(c.Interval); s != "" {
		known = append(known, human.Change(float64(c.Ratio))+" time ("+human.Percent(stat.Confidence)+" interval "+s+")")
	}
	known = append(known, "p "+pValue(p), human.Count(c.Before.N)+" and "+human.Plural(c.After.N, "step"))
	evidence := strings.Join(known, ", ") + "."
	switch {
	case p <= c.Alpha && weak(before, after, c) != "":
		r.Summary = []string{"Not decided: " + was + " before, " + now + " after.", evidence, weak(before, after, c)}
		r.Tone, r.Outcome = report.Unsure, report.Undecided
		r.Next = append(r.Next, "saturate verify --before REF --after REF -- COMMAND")
	case p > c.Alpha:
		r.Summary = []string{"No difference found: " + was + " before, " + now + " after.", evidence}
		r.Tone, r.Outcome = report.Unsure, report.Undecided
	case c.Ratio < 1:
		r.Summary = []string{human.Times(float64(1/c.Ratio)) + " faster: " + was + " → " + now + " per step", evidence}
		r.Tone = report.Good
	default:
		r.Summary = []string{human.Times(float64(c.Ratio)) + " slower: " + was + " → " + now + " per step", evidence}
		r.Tone, r.Outcome = report.Bad, report.Found
	}
	r.Figures = []report.Figure{{Name: "time per step", Value: now, Note: "was " + was}}
	if before.speed.N > 0 && after.speed.N > 0 {
		s := human.NewScale("", float64(before.speed.Median), float64(after.speed.Median))
		r.Figures = append(r.Figures, report.Figure{
			Name: "samples per second", Value: s.Value(float64(after.speed.Median)),
			Note: "was " + s.Value(float64(before.speed.Median)),
		})
	}
	if was, now, ok := dataShares(before, after); ok {
		r.Figures = append(r.Figures, report.Figure{
			Name: "waiting for data", Value: human.Percent(now),
			Note: "was " + human.Percent(was),
		})
	}
}

// carried is the least change that one run each can carry on a quiet machine: processes of one program differ by some
// per cent.
const carried = 0.10

// weak is why one run each does not carry a difference; nothing where it does.
func weak(before, after runView, c stat.Comparison) string {
	switch {
	case len(crowded(before.Run))+len(crowded(after.Run)) > 0:
		return "The machine was busy with other programs; one run of each cannot show how much of the difference is due to them."
	case !(float64(c.Interval.Hi) < 1-carried || float64(c.Interval.Lo) > 1+carried):
		return "One run each cannot show a change of less than " + human.Percent(carried) +
			": processes of one program differ by as much."
	}
	return ""
}

// dataShares are how much of an average step each side waits for data.
func dataShares(before, after runView) (was, now float64, ok bool) {
	share := func(v runView) (float64, bool) {
		for _, p := range v.parts {
			if p.Name == "data" {
				return p.Seconds / float64(v.times.Mean), true
			}
		}
		return 0, false
	}
	was, ok = share(before)
	now, ok2 := share(after)
	return was, now, ok && ok2
}

// comparisonsOf compares the time per step first, then the speed and each part where both sides tell it.
func comparisonsOf(before, after runView) []stat.Comparison {
	out := []stat.Comparison{stat.Compare(before.steady.StepTimes(), after.steady.StepTimes())}
	if before.speed.N > 0 && after.speed.N > 0 {
		out = append(out, stat.Compare(before.steady.SamplesPerSecond(), after.steady.SamplesPerSecond()))
	}
	others := run.Parts(after.steady.Steps)
	for _, part := range run.Parts(before.steady.Steps) {
		if i := slices.IndexFunc(others, func(s stat.Series) bool { return s.Name == part.Name }); i >= 0 {
			out = append(out, stat.Compare(part, others[i]))
		}
	}
	return out
}

// adjust makes up for comparing many things at once. The time per step is what was asked and stands alone;
// the others are a family.
func adjust(comparisons []stat.Comparison) []float64 {
	p := make([]float64, len(comparisons))
	for i, c := range comparisons {
		p[i] = c.P
	}
	if family, err := stat.Holm(p[1:]); err == nil {
		copy(p[1:], family)
	}
	return p
}

// comparisonWarnings says each warning once, with the metrics that it is about.
func comparisonWarnings(comparisons []stat.Comparison) []string {
	var texts []string
	metrics := map[string][]string{}
	for _, c := range comparisons {
		for _, w := range c.Warnings {
			if metrics[w] == nil {
				texts = append(texts, w)
			}
			metrics[w] = append(metrics[w], metricName(c))
		}
	}
	for i, w := range texts {
		texts[i] = strings.Join(metrics[w], ", ") + ": " + w
	}
	return texts
}

func metricName(c stat.Comparison) string {
	switch c.Unit {
	case "samples/s":
		return "samples per second"
	case "s/it":
		if c.Name == "step" {
			return "time per step"
		}
	}
	return c.Name
}

func comparisonTable(comparisons []stat.Comparison, adjusted []float64) *report.Table {
	t := &report.Table{
		Columns: []report.Column{
			{Name: "metric"},
			{Name: "before", Right: true},
			{Name: "after", Right: true},
			{Name: "change", Right: true},
			{Name: human.Percent(stat.Confidence) + " interval", Right: true},
			{Name: "p", Right: true},
			{Name: "n", Right: true},
		},
		Foot: fmt.Sprintf("~ is not significant at %s. Medians of the steady steps, Mann-Whitney test; p is Holm-adjusted "+
			"except for the time per step.",
			human.Percent(stat.Alpha)),
	}
	for i, c := range comparisons {
		unit := strings.TrimSuffix(c.Unit, "/it")
		if unit == "samples/s" {
			unit = ""
		}
		u := human.NewScale(unit, float64(c.Before.Median), float64(c.After.Median))
		change, interval, p := human.Missing, human.Missing, human.Missing
		if c.Ratio.Finite() {
			change = "~"
			if adjusted[i] <= c.Alpha {
				change = human.Change(float64(c.Ratio))
			}
		}
		if s := changeInterval(c.Interval); s != "" {
			interval = s
		}
		if c.Before.N > 0 && c.After.N > 0 {
			p = strings.TrimPrefix(pValue(adjusted[i]), "= ")
		}
		t.Rows = append(t.Rows, []string{
			metricName(c), u.Value(float64(c.Before.Median)), u.Value(float64(c.After.Median)), change, interval, p,
			human.Count(c.Before.N) + "+" + human.Count(c.After.N),
		})
	}
	return t
}

// changeInterval writes the interval of a ratio as changes; it is empty where there is none.
func changeInterval(i stat.Interval) string {
	if !i.Lo.Finite() || !i.Hi.Finite() || i.Lo <= 0 {
		return ""
	}
	return human.Change(float64(i.Lo)) + "…" + human.Change(float64(i.Hi))
}

func pValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + strconv.FormatFloat(p, 'f', 3, 64)
}

// recorded reports whether a run knows where it ran. Steps of another program do not.
func recorded(r run.Run) bool { return r.Environment.Machine != (run.Machine{}) }

// differencesOf lists how the conditions of two runs differ: their commands, then their environments.
func differencesOf(a, b run.Run) []run.Difference {
	var out []run.Difference
	if x, y := strings.Join(a.Command, " "), strings.Join(b.Command, " "); x != y && x != "" && y != "" {
		out = append(out, run.Difference{What: "command", A: x, B: y})
	}
	if !recorded(a) || !recorded(b) {
		return out
	}
	for _, d := range run.DiffEnvironments(a.Environment, b.Environment) {
		out = append(out, readable(d))
	}
	return out
}

func differenceTable(before, after runView, differences []run.Difference) *report.Table {
	t := &report.Table{Columns: []report.Column{{}, {Name: before.label}, {Name: after.label}}}
	for _, d := range differences {
		t.Rows = append(t.Rows, []string{d.What, orNone(d.A), orNone(d.B)})
	}
	return t
}

func orNone(s string) string {
	if s == "" {
		return human.Missing
	}
	return s
}
