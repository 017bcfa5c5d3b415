package view

import (
	"fmt"

	"saturate/internal/batch"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/probe"
	"saturate/internal/report"
)

// BatchData is what `saturate batch --format json` holds.
type BatchData struct {
	batch.Result
	Command   []string        `json:"command"`         // that was run
	Program   probe.BatchTold `json:"program"`         // what it told in its last trial
	Advice    []batch.Advice  `json:"advice"`          // for the knee
	Setting   batch.Setting   `json:"setting"`         // how to use the knee
	Patch     string          `json:"patch,omitempty"` // file that sets the batch size
	Confirmed bool            `json:"confirmed"`       // a batch size near the target was run and fitted
	Run       string          `json:"run,omitempty"`   // the folder of the Run
}

// OfBatch shows the largest batch that fits and the smallest that is fast.
func OfBatch(d BatchData) report.Report {
	d.Trials, d.Advice = orEmpty(d.Trials), orEmpty(d.Advice)
	d.Confirmed = d.Largest != nil && d.Unknown == ""
	r := report.Report{Command: "batch", Title: "Batch size of `" + commandLine(d.Command) + "`", Columns: 120, Data: d}
	r.Summary = append(batchSpeed(d), batchMemory(d)...)
	if d.Setting.Text != "" {
		r.Summary = append(r.Summary, fmt.Sprintf("To use batch %d, %s.", d.Knee.Batch, d.Setting.Text))
	}
	r.Tone = report.Good
	if !d.Confirmed {
		r.Tone, r.Outcome = report.Unsure, report.Undecided
	}
	r.Warnings = batchWarnings(d)
	r.Figures = batchFigures(d)
	r.Blocks = append(r.Blocks, report.Block{Heading: "Trials", Table: trialTable(d)})
	if t := phaseTable(d); len(t.Rows) > 1 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Peak memory", Table: t})
	}
	if len(d.Advice) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Change these too", Table: adviceTable(d)})
	}
	if diff := patch.Diff(d.Setting.Changes); len(diff) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Patch", Code: string(diff)})
	}
	if d.Patch != "" {
		r.Next = append(r.Next, "git apply "+human.Shell(d.Patch))
	}
	r.Blocks = append(r.Blocks, report.Block{Plot: memoryPlot(d)}, report.Block{Plot: speedPlot(d)})
	return r
}

// batchSpeed is which batch to use.
func batchSpeed(d BatchData) []string {
	k := d.Knee
	if k == nil {
		return []string{"No batch size was measured."}
	}
	own, found := trialOf(d, d.Own)
	switch {
	case k.Batch == d.Own:
		return []string{fmt.Sprintf("Batch %d is already fast: %s samples/s, within 3%% of the best.", k.Batch,
			human.Value(k.Rate, ""))}
	case found && own.Fault == batch.Fits && own.Rate > 0:
		return []string{fmt.Sprintf("Use batch %d: %s samples/s, %s the %s samples/s of batch %d.", k.Batch,
			human.Value(k.Rate, ""), human.Times(k.Rate/own.Rate), human.Value(own.Rate, ""), d.Own)}
	}
	return []string{fmt.Sprintf("Use batch %d: %s samples/s, within 3%% of the best.", k.Batch, human.Value(k.Rate, ""))}
}

func trialOf(d BatchData, size int) (batch.Measured, bool) {
	for _, m := range d.Trials {
		if m.Batch == size {
			return m, true
		}
	}
	return batch.Measured{}, false
}

// batchMemory is what fits.
func batchMemory(d BatchData) []string {
	l := d.Largest
	if l == nil {
		return []string{"No batch was confirmed: " + d.Unknown + "."}
	}
	if d.Unknown != "" {
		return []string{"Not confirmed: " + d.Unknown + "."}
	}
	text := fmt.Sprintf("Largest that fits: %d, with %s of %s used, confirmed by %s.", l.Batch, human.Percent(l.Use()),
		human.Memory(l.Total), human.Plural(l.Steps, "step"))
	if d.Bound != batch.ByMemory {
		text = fmt.Sprintf("Batch %d fits, with %s of %s used; the limit is the %s.", l.Batch, human.Percent(l.Use()),
			human.Memory(l.Total), bound(d.Bound))
	}
	lines := []string{text}
	if p := d.Predicted; p != nil {
		lines = append(lines, fmt.Sprintf("Predicted from smaller batches: %s allocated "+
			"(measured %s), %s reserved (measured %s).",
			human.Memory(int64(p.Allocated)), human.Change(1+p.AllocatedOff), human.Memory(int64(p.Reserved)), human.Change(1+p.ReservedOff)))
	}
	if d.CutOff {
		lines = append(lines, "Memory is the limit: a larger batch would be faster still.")
	}
	for _, s := range d.Savings {
		lines = append(lines, fmt.Sprintf("%s: %s.", s.Name, s.Text))
	}
	return lines
}

func bound(b batch.Bound) string {
	if b == batch.ByData {
		return "number of samples in the dataset"
	}
	return string(b)
}

func batchWarnings(d BatchData) []string {
	var all []string
	if d.Largest != nil {
		switch l := d.Largest.Lengths; {
		case l.Varies && l.Seen < l.Samples:
			all = append(all, fmt.Sprintf("samples differ in length, and %s of %s were checked: the longest of them covers "+
				"about %s; room is left for samples up to %s longer",
				human.Count(l.Seen), human.Count(l.Samples), human.Percent(l.Quantile()), human.Percent(l.Stretch()-1)))
		case l.Varies:
			all = append(all, fmt.Sprintf("samples differ in length; trials use the longest of "+
				"all %s, and leave room for fragmentation", human.Count(l.Samples)))
		case l.Seen == 0:
			all = append(all, "sample lengths are unknown; a longer sample than those seen needs more memory")
		}
	}
	if k := d.Knee; k != nil && k.DataWait > 0.3 {
		all = append(all, fmt.Sprintf("steps wait for data %s of the time, so a larger batch cannot be much faster; see `saturate profile`", human.Percent(k.DataWait)))
	}
	if d.Knee != nil && d.Knee.Batch != d.Own {
		all = append(all, "speed is per sample; these trials do not show whether a larger batch trains as well")
	}
	return all
}

func batchFigures(d BatchData) []report.Figure {
	var all []report.Figure
	if k := d.Knee; k != nil {
		all = append(all, report.Figure{Name: "batch", Value: fmt.Sprint(k.Batch), Note: fmt.Sprintf("was %d", d.Own)},
			report.Figure{Name: "samples/s", Value: human.Value(k.Rate, ""), Note: fmt.Sprintf("best %s",
				human.Value(d.Best, ""))})
	}
	if l := d.Largest; l != nil {
		all = append(all, report.Figure{Name: "largest batch", Value: fmt.Sprint(l.Batch), Note: human.Percent(l.Use()) +
			" of memory"})
	}
	return append(all, report.Figure{Name: "trials", Value: fmt.Sprint(len(d.Trials))})
}

func trialTable(d BatchData) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "batch", Right: true},
		{Name: "purpose"},
		{Name: "steps", Right: true},
		{Name: "s/it", Right: true},
		{Name: "samples/s", Right: true},
		{Name: "allocated", Right: true},
		{Name: "reserved", Right: true},
		{Name: "memory used", Right: true},
	}}
	for _, m := range d.Trials {
		row := []string{fmt.Sprint(m.Batch), string(m.Purpose), fmt.Sprint(m.Steps), "", "", "", "", string(m.Fault)}
		if m.Fault == batch.Fits {
			row[3], row[4] = human.Seconds(m.Seconds), human.Value(m.Rate, "")
			row[5], row[6], row[7] = human.Memory(m.Allocated), human.Memory(m.Reserved), human.Percent(m.Use())
		}
		t.Rows = append(t.Rows, row)
	}
	if len(d.Trials) > 0 && d.Trials[0].Others > 0 {
		t.Foot = fmt.Sprintf("Memory used: reserved, plus %s outside the program's allocator, of %s.",
			human.Memory(d.Trials[0].Others), human.Memory(d.Trials[0].Total))
	}
	return t
}

func phaseTable(d BatchData) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "phase"},
		{Name: "allocated", Right: true},
		{Name: "reserved", Right: true},
	}}
	if d.Largest != nil {
		for _, p := range d.Largest.Phases {
			t.Rows = append(t.Rows, []string{p.Name, human.Memory(p.Allocated), human.Memory(p.Reserved)})
		}
	}
	return t
}

func adviceTable(d BatchData) *report.Table {
	t := &report.Table{
		Columns: []report.Column{{Name: "setting"}, {Name: "advice"}, {Name: "rule"}},
		Foot:    "These are not applied.",
	}
	for _, a := range d.Advice {
		t.Rows = append(t.Rows, []string{a.Topic, a.Text, a.Rule})
	}
	return t
}
