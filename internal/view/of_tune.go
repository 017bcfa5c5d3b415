package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/tune"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

// TuneData is what `saturate tune --format json` holds.
type TuneData struct {
	tune.Result
	Environment []string          `json:"environment"`        // NAME=value, to have the same without saturate
	Snippet     string            `json:"snippet"`            // the same, with what the program has to do itself
	Table       []setting.Setting `json:"table,omitempty"`    // with --list
	Module      string            `json:"module,omitempty"`   // with --emit
	Script      string            `json:"script,omitempty"`   // the file that it was written to
	Exported    string            `json:"exported,omitempty"` // the file of --export
}

// OfTune shows each setting's line, what was left out, and what was measured.
func OfTune(result tune.Result, environ []string) report.Report {
	result.Lines, result.Left, result.Dead = orEmpty(result.Lines), orEmpty(result.Left), orEmpty(result.Dead)
	r := report.Report{
		Command: "tune", Title: "Settings for `" + commandLine(result.Command) + "`", Columns: 120,
		Data: TuneData{
			Result: result, Environment: orEmpty(setting.Environment(result.Use, environ)),
			Snippet: setting.Snippet(result.Use, environ),
		},
	}
	tuneAnswer(&r, result)
	for _, d := range result.Dead {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the program sets `%s` = %s, which has no effect: nothing reads it; %s", d.Knob, d.Value, d.Instead))
	}
	for _, l := range result.Lines {
		if l.Used && slices.Contains([]tune.State{tune.NotInEffect, tune.Overwritten, tune.Failed}, l.State) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("`%s` is not in effect: %s", l.Name, l.Problem))
		}
	}
	r.Warnings = append(r.Warnings, measureWarnings(result)...)
	r.Warnings = append(r.Warnings, result.Notes...)
	r.Warnings = append(r.Warnings, result.Outcome.Run.Notes...)
	if result.StepTime > 0 {
		r.Warnings = append(r.Warnings, crowded(result.Outcome.Run)...)
	}
	if t := tuneTable(result); len(t.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Settings", Table: t})
	}
	if t := contestTable(result); len(t.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Measured", Table: t})
	}
	if t := changesTable(result); len(t.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Changed while it ran", Table: t})
	}
	near, far := leftTables(result)
	if len(near.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Left out", Table: near})
	}
	if len(far.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "For other machines", Table: far, Detail: true})
	}
	return r
}

func tuneAnswer(r *report.Report, result tune.Result) {
	used, effective, idle := usedSettings(result)
	r.Summary = []string{settingsLine(result, used, effective, idle)}
	for _, f := range result.Fallback {
		r.Summary = append(r.Summary, "Fell back: "+f+".")
	}
	if c := result.Confirmed; c != nil {
		r.Summary = append(r.Summary, winnerText(result.Winner, c))
	} else if result.Skipped != "" {
		without := ""
		if result.Level >= setting.Measured && used > 0 {
			without = "; the settings are those of level 1"
		}
		r.Summary = append(r.Summary, "Nothing was measured: "+result.Skipped+without+".")
	}
	if result.Unfinished != "" {
		r.Summary = append(r.Summary, "Not finished: "+result.Unfinished+".")
	}
	if result.Ran {
		r.Summary = append(r.Summary, endLine(result))
	}
	switch {
	case len(result.Fallback) > 0 || result.Unfinished != "":
		r.Tone = report.Unsure
	case effective == used && used > 0 && len(result.Dead) == 0:
		r.Tone = report.Good
	}
}

// usedSettings counts the settings the program ran with, those in effect, and those that had nothing to act on.
func usedSettings(result tune.Result) (used, effective, idle int) {
	for _, l := range result.Lines {
		if !l.Used {
			continue
		}
		used++
		switch l.State {
		case tune.InEffect:
			effective++
		case tune.NotReached, tune.ByProgram:
			idle++
		}
	}
	return used, effective, idle
}

func settingsLine(result tune.Result, used, effective, idle int) string {
	where := fmt.Sprintf("level %d", result.Level)
	if result.Backend != "" {
		where = result.Backend + ", " + where
	}
	text := fmt.Sprintf("%s for %s", human.Plural(used, "setting"), where)
	switch {
	case !result.Ran:
		return text + "."
	case used == 0:
		return "The program ran without settings (" + where + ")."
	}
	text += fmt.Sprintf(": %d of %d in effect when the program ended, as read back", effective, used)
	if idle > 0 {
		text += fmt.Sprintf("; %d had nothing to act on", idle)
	}
	return text + "."
}

// endLine is how the program ended and how fast it was.
func endLine(result tune.Result) string {
	text := "The program ended with " + human.Exit(result.Exit)
	switch {
	case result.Steps == 0 && result.Exit == 0:
		text += "; no steps were detected, so its speed is unknown"
	case result.StepTime > 0:
		text += fmt.Sprintf(" after %s; a step takes %s (median of %s)", human.Plural(result.Steps, "step"),
			human.Seconds(result.StepTime),
			human.Plural(result.Steady, "steady step"))
	}
	return text + "."
}

// winnerText is what fresh runs say of the winner. Where that is several settings, these runs have all of them or none.
func winnerText(names []string, c *tune.Effect) string {
	winner, more := human.And(names), ""
	if len(names) > 1 {
		winner, more = winner+" together", "; their separate effects were not measured"
	}
	if c.Verdict != verify.Faster {
		return fmt.Sprintf("%s: not confirmed on fresh runs, so not used: %s; loss %s.", winner, effectText(c),
			lossWord(string(c.Guard)))
	}
	return fmt.Sprintf("%s: confirmed on fresh runs: %s; loss %s%s.", winner, effectText(c), lossWord(string(c.Guard)),
		more)
}

// measureWarnings are those of the proof; where there is none, of each measurement that has some.
func measureWarnings(result tune.Result) []string {
	if result.Confirmed != nil {
		return result.Confirmed.Warnings
	}
	var all []string
	for _, l := range result.Lines {
		if l.Effect != nil && !l.Together {
			for _, w := range l.Effect.Warnings {
				all = append(all, l.Name+": "+w)
			}
		}
	}
	return all
}

// effectText is an effect in a few words: −12.3% time (−14% to −10%).
func effectText(e *tune.Effect) string {
	if e == nil || e.Pairs == 0 {
		return "not measured"
	}
	text := human.Change(float64(e.Ratio)) + " time"
	if s := changeInterval(e.Interval); s != "" {
		text += " (" + s + ")"
	}
	return text
}

func tuneTable(result tune.Result) *report.Table {
	t := &report.Table{
		Columns: []report.Column{
			{Name: "setting"},
			{Name: "requested"},
			{Name: "in effect"},
			{Name: "measured effect"},
			{Name: "numerics"},
			{Name: "used"},
		},
		Foot: "In effect: read back after it was set, and again when the program ended.",
	}
	measured := false
	for _, l := range result.Lines {
		if !tried(l) {
			continue
		}
		numerics := string(l.Numerics)
		if l.Effect != nil && l.Numerics != setting.Same || l.Guard == verify.Failed {
			numerics += ", loss " + lossWord(string(l.Guard))
		}
		used := "yes"
		switch {
		case !l.Used && l.Dropped != "":
			used = "no: " + human.Clip(l.Dropped, longestReason)
		case !l.Used && l.Unmeasured != "":
			used = "no: " + l.Unmeasured
		case !l.Used:
			used = "no"
		case l.State == tune.NotReached || l.State == tune.ByProgram:
			used = "nothing to act on"
		}
		effect := effectText(l.Effect)
		if l.Together {
			effect, measured = "together "+effect, true
		}
		t.Rows = append(t.Rows, []string{
			l.Name, human.Clip(l.Requested, longestRequest), stateText(l), effect, numerics,
			used,
		})
	}
	if measured {
		t.Foot += " Together: the settings of levels 0 and 1 vs none."
	}
	return t
}

// longestRequest is how much of what is set a table shows; the JSON and --print have the rest.
const longestRequest = 72

func stateText(l tune.Line) string {
	text := string(l.State)
	switch l.State {
	case tune.InEffect:
		if l.AtEnd != "" {
			text += " (" + human.Clip(l.AtEnd, 40) + ")"
		}
	case tune.Overwritten:
		text = fmt.Sprintf("overwritten: %s became %s", l.Applied, l.AtEnd)
	case tune.NotInEffect, tune.Failed:
		if l.Applied != "" {
			text += " (" + human.Clip(l.Applied, 40) + ")"
		}
	}
	return text
}

// contestTable shows the figures of what was measured.
func contestTable(result tune.Result) *report.Table {
	t := &report.Table{
		Columns: []report.Column{
			{Name: "with"},
			{Name: "before", Right: true},
			{Name: "after", Right: true},
			{Name: "change"},
			{Name: "p", Right: true},
			{Name: "Holm", Right: true},
			{
				Name:  "pairs",
				Right: true,
			},
			{Name: "loss"},
			{Name: "verdict"},
		},
		Foot: "Each round runs every candidate once, in random order; a pair is within a round. Before and after are " +
			"medians of the runs; the change is compared pair by pair. Holm: p adjusted for the number of candidates. The " +
			"winner is measured again on fresh runs.",
	}
	row := func(name string, e *tune.Effect) {
		if e == nil {
			return
		}
		cells := []string{
			name, human.Missing, human.Missing, human.Missing, human.Missing, human.Missing,
			fmt.Sprint(e.Pairs), lossWord(string(e.Guard)), string(e.Verdict),
		}
		if e.Pairs > 0 {
			u := human.NewScale("s", float64(e.Before), float64(e.After))
			cells[1], cells[2], cells[3] = u.Value(float64(e.Before)), u.Value(float64(e.After)), effectText(e)
			cells[4], cells[5] = fmt.Sprintf("%.3f", e.P), fmt.Sprintf("%.3f", e.Adjusted)
		}
		t.Rows = append(t.Rows, cells)
	}
	row("levels 0 and 1", result.Base)
	for _, l := range result.Lines {
		if !l.Together {
			row(l.Name, l.Effect)
		}
	}
	if result.Confirmed != nil {
		row("winner: "+strings.Join(result.Winner, ", "), result.Confirmed)
	}
	return t
}

// changesTable is what the control file asked for.
func changesTable(result tune.Result) *report.Table {
	t := &report.Table{Columns: []report.Column{{Name: "setting"}, {Name: "requested"}, {Name: "in effect"}}}
	for _, c := range result.Changes {
		state := "not readable"
		switch {
		case c.Problem != "":
			state = "no: " + c.Problem
		case c.InEffect != nil && *c.InEffect:
			state = "yes (" + c.Read + ")"
		case c.InEffect != nil:
			state = "no (" + c.Read + ")"
		}
		t.Rows = append(t.Rows, []string{orNone(c.Setting), c.Requested, state})
	}
	return t
}

// leftTables are the settings that were not tried, by their reasons: those of this machine, and those of others.
func leftTables(result tune.Result) (near, far *report.Table) {
	columns := []report.Column{{Name: "because"}, {Name: "settings"}}
	near, far = &report.Table{Columns: columns}, &report.Table{Columns: columns}
	add := func(t *report.Table, reason, name string) {
		for i, row := range t.Rows {
			if row[0] == reason {
				t.Rows[i][1] += ", " + name
				return
			}
		}
		t.Rows = append(t.Rows, []string{reason, name})
	}
	for _, l := range result.Lines {
		if !tried(l) {
			add(near, l.Unmeasured, l.Name)
		}
	}
	for _, l := range result.Left {
		if l.Elsewhere {
			add(far, l.Reason, l.Name)
		} else {
			add(near, l.Reason, l.Name)
		}
	}
	return near, far
}

// tried reports whether a program ran with the setting.
func tried(l tune.Line) bool {
	return l.Used || l.State != tune.NotLooked || l.Effect != nil || l.Dropped != ""
}

// OfSettings lists the table of settings.
func OfSettings(all []setting.Setting) report.Report {
	t := &report.Table{Columns: []report.Column{
		{Name: "setting"},
		{Name: "what"},
		{Name: "backends"},
		{Name: "level", Right: true},
		{Name: "numerics"},
		{Name: "live"},
	}}
	for _, s := range all {
		live := ""
		if s.Live {
			live = "yes"
		}
		t.Rows = append(t.Rows, []string{
			s.Name, s.Title, strings.Join(s.Backends, ", "), fmt.Sprint(s.Level),
			string(s.Numerics), live,
		})
	}
	t.Foot = "Level 0 is safe, 1 by hardware, 2 measured. Live ones can be changed while the program runs (--control)."
	return report.Report{
		Command: "tune", Title: "Settings", Summary: []string{human.Plural(len(all), "setting") + "."},
		Blocks: []report.Block{{Table: t}}, Data: TuneData{Result: tune.Result{
			Lines: []tune.Line{}, Left: []setting.Left{},
			Dead: []tune.Dead{},
		}, Environment: []string{}, Table: all},
	}
}

// OfModule is a program text alone, or where it was written.
func OfModule(module []byte, file string) report.Report {
	empty := tune.Result{Lines: []tune.Line{}, Left: []setting.Left{}, Dead: []tune.Dead{}}
	r := report.Report{Command: "tune", Title: "Settings as a module", Data: TuneData{
		Result:      empty,
		Environment: []string{}, Module: string(module), Script: file,
	}}
	if file == "" {
		r.Diff = module
	} else {
		r.Summary = []string{fmt.Sprintf("Wrote %s: apply_platform_optimizations(\"auto\") "+
			"applies the settings that fit the machine, and undo() reverts them.", file)}
	}
	return r
}
