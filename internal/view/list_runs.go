package view

import (
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/run"
)

// ListData is what the JSON of a list of Runs holds.
type ListData struct {
	Runs []run.Run `json:"runs"`
}

// ListRuns shows which Runs there are, the newest first; damaged ones are last, with the reason.
func ListRuns(root string, runs []run.Run) report.Report {
	r := report.Report{Command: "report", Title: "Runs", Data: ListData{append([]run.Run{}, runs...)}}
	if len(runs) == 0 {
		r.Summary = []string{"No runs in `" + root + "` yet."}
		return r
	}
	r.Summary = []string{human.Plural(len(runs), "run") + " in `" + root + "`."}
	table := &report.Table{Columns: []report.Column{
		{Name: "Run"},
		{Name: "Id"},
		{Name: "Started"},
		{Name: "State"},
		{Name: "Took", Right: true},
		{Name: "Remarks"},
	}}
	for _, v := range runs {
		started := ""
		if !v.Started.IsZero() {
			started = v.Started.Format("2006-01-02 15:04")
		}
		took := ""
		if v.WallSeconds > 0 {
			took = human.Value(v.WallSeconds, "s")
		}
		id := v.ID
		if len(id) == 36 { // a uuid: its beginning is enough to name it
			id = id[:8]
		}
		table.Rows = append(table.Rows, []string{v.Name, id, started, string(v.State), took, strings.Join(remarks(v), "; ")})
	}
	r.Blocks = []report.Block{{Table: table}}
	r.Next = []string{"saturate report latest -o report.html"}
	return r
}

// remarks are a person's tags and note, and what went wrong.
func remarks(r run.Run) (list []string) {
	if len(r.Tags) > 0 {
		list = append(list, "#"+strings.Join(r.Tags, " #"))
	}
	if r.Note != "" {
		list = append(list, r.Note)
	}
	return append(list, r.Notes...)
}

// Labels says what a person has written about a Run; "" when that is nothing.
func Labels(r run.Run) string {
	var parts []string
	if len(r.Tags) > 0 {
		parts = append(parts, "Tags: "+strings.Join(r.Tags, ", ")+".")
	}
	if r.Note != "" {
		parts = append(parts, "Note: "+r.Note)
	}
	return strings.Join(parts, " ")
}
