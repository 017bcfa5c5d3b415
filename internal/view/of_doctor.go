package view

import (
	"strings"

	"saturate/internal/device/doctor"
	"saturate/internal/report"
)

// OfDoctor shows what a machine has, a line a thing, and under it what to do about what it lacks.
func OfDoctor(d doctor.Diagnosis) report.Report {
	r := report.Report{Command: "doctor", Title: "What this machine has", Summary: d.Summary(), Data: d}
	table := &report.Table{Columns: []report.Column{{Name: ""}, {Name: "Component"}, {Name: "State"}, {Name: "Value"}}}
	var missing []report.Block
	group := ""
	for _, row := range d.Rows() {
		name := row.Group
		if name == group {
			name = ""
		}
		group = row.Group
		table.Rows = append(table.Rows, []string{name, row.Thing, string(row.State), row.Value})
		if row.Without != "" || row.Get != "" {
			missing = append(missing, report.Block{Text: advice(row)})
		}
	}
	r.Blocks = []report.Block{{Table: table}}
	if len(missing) > 0 {
		missing[0].Heading = "Missing"
		r.Blocks = append(r.Blocks, missing...)
	}
	return r
}

// advice says what a missing thing is needed for and how to get it.
func advice(row doctor.Row) string {
	var parts []string
	if row.Without != "" {
		parts = append(parts, "needed for "+row.Without+".")
	}
	ways := strings.Split(row.Get, "\n") // one for each kind of hardware
	if len(ways) == 1 && row.Get != "" {
		parts = append(parts, "Get it: "+row.Get)
	}
	text := row.Thing + ": " + strings.Join(parts, " ")
	if len(ways) > 1 {
		text += "\n  " + strings.Join(ways, "\n  ")
	}
	return text
}
