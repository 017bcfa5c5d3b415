package report

import (
	"fmt"
	"math"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
)

// span is a stretch of prose or of `code`.
type span struct {
	text string
	code bool
}

// spans splits at backticks. Where they do not come in pairs they are plain characters.
func spans(s string) []span {
	pieces := strings.Split(s, "`")
	if len(pieces)%2 == 0 {
		return []span{{text: s}}
	}
	var out []span
	for i, p := range pieces {
		if p != "" {
			out = append(out, span{p, i%2 == 1})
		}
	}
	return out
}

// place says where a finding is: in a file, or in a trace.
func place(f finding.Finding) string {
	switch {
	case f.Where != nil && f.Where.Line > 0:
		return fmt.Sprintf("%s:%d", human.Line(f.Where.Short()), max(f.Where.Column, 1))
	case f.Where != nil:
		return human.Line(f.Where.Path)
	case f.When != nil:
		return interval(*f.When)
	}
	return ""
}

func interval(i finding.Interval) string {
	from, to := float64(i.StartNS)/1e9, float64(i.EndNS)/1e9
	u := human.NewScale("s", from, to)
	if length := (to - from) / u.Factor(); length > 0 && u.Number(from) == u.Number(to) {
		u = u.WithDecimals(1 - int(math.Floor(math.Log10(length)))) // a short stretch, far from the start
	}
	if i.StartNS == i.EndNS {
		return u.Value(from) + " into the trace"
	}
	return fmt.Sprintf("%s–%s into the trace", u.Number(from), u.Value(to))
}

// notes are the facts behind a finding; the last one says why it costs little, if it does.
func notes(f finding.Finding) (list []string) {
	for _, e := range f.Evidence {
		text := evidence(e)
		if e.Code != "" && e.Code != f.Code {
			text = e.Code + " " + text
		}
		list = append(list, text)
	}
	if f.Small != "" {
		list = append(list, "little is lost: "+human.Line(f.Small))
	}
	return list
}

// gain says what is won without a finding, and how that is known.
func gain(e *finding.Estimate) string {
	if e == nil {
		return ""
	}
	var parts []string
	if e.SecondsPerStep > 0 {
		unit := " per step"
		if strings.HasSuffix(e.Basis, finding.OverAll) {
			unit = ""
		}
		parts = append(parts, human.Seconds(e.SecondsPerStep)+unit)
	}
	if high := e.SpeedupHigh; high > 0 {
		low := e.SpeedupLow
		if low <= 0 {
			low = high
		}
		parts = append(parts, human.Faster(low, high))
	}
	switch {
	case len(parts) == 0 && e.Basis != "":
		return human.Line(e.Basis)
	case len(parts) == 0:
		return "unknown"
	}
	text := strings.Join(parts, ", ")
	if e.Basis != "" {
		text += " (" + human.Line(e.Basis) + ")"
	}
	return text
}

// evidence is one fact with its place.
func evidence(e finding.Evidence) string {
	text := human.Line(e.Text)
	switch {
	case e.Location != nil && e.Location.Line > 0:
		text += " (" + human.Line(e.Location.Short()) + ")"
	case e.Interval != nil:
		text += " (" + interval(*e.Interval) + ")"
	}
	return text
}

// safety says in words how much a repair may change.
func safety(p patch.Patch) string {
	switch p.Safety {
	case patch.Safe:
		return "safe fix"
	case patch.Unsafe:
		return "unsafe fix: may change results"
	}
	return "display-only: measure it first"
}

// apart splits the details at the end of the blocks off: they are an appendix, shown after the findings.
func apart(blocks []Block) (evidence, appendix []Block) {
	at := len(blocks)
	for at > 0 && blocks[at-1].Detail {
		at--
	}
	return blocks[:at], blocks[at:]
}

// kind says which of its fields a block has set.
func (b Block) kind() string {
	switch {
	case b.Table != nil:
		return "table"
	case b.Plot != nil:
		return "plot"
	case b.Code != "":
		return "code"
	}
	return "text"
}

// cells are the table's rows, each as long as the longest, and the columns to match.
func (t Table) cells() ([]Column, [][]string) {
	columns := t.Columns
	for _, row := range t.Rows {
		for len(columns) < len(row) {
			columns = append(columns[:len(columns):len(columns)], Column{})
		}
	}
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make([]string, len(columns))
		for j, cell := range row {
			rows[i][j] = human.Line(cell)
		}
	}
	return columns, rows
}

// findingsHeading is what stands above the findings.
func (r Report) findingsHeading() string {
	if r.Listed != "" {
		return r.Listed
	}
	return human.Plural(len(r.Findings), "finding")
}
