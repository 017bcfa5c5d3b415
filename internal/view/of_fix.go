package view

import (
	"fmt"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/report"
	"saturate/internal/rule"
	"saturate/internal/rule/repair"
)

// FixData is the JSON of a fix.
type FixData struct {
	Applied bool      `json:"applied"` // the files are changed
	Repairs []FixMade `json:"repairs"`
	Left    []FixLeft `json:"left"`             // findings that stay
	Files   []FixFile `json:"files"`            // in the order of their paths
	Undone  []string  `json:"undone,omitempty"` // files that --undo restored
	Diff    string    `json:"diff"`             // unified diff of all repairs
}

// FixMade is a repair in the diff.
type FixMade struct {
	FixPlace
	Title  string       `json:"title"`  // what the repair does
	Safety patch.Safety `json:"safety"` // how far the repair can be trusted
}

// FixLeft is a finding without a repair in the diff.
type FixLeft struct {
	FixPlace
	Reason repair.Reason `json:"reason"`           // why there is no repair: no-repair, needs-unsafe, display-only, clash, protected, withheld or not-chosen
	Detail string        `json:"detail,omitempty"` // the reason in a sentence
	Advice string        `json:"advice,omitempty"` // what to do by hand
	Title  string        `json:"title,omitempty"`  // of the repair that was not made
	Safety patch.Safety  `json:"safety,omitempty"` // and its safety
	Diff   string        `json:"diff,omitempty"`   // and what it would do, where it is only shown
}

// FixPlace is what a finding says and where.
type FixPlace struct {
	Code    string `json:"code"`           // of the rule: SAT203
	Name    string `json:"name"`           // of the rule: no-pin-memory
	Path    string `json:"path"`           // of the file
	Cell    int    `json:"cell,omitempty"` // of a notebook, from 1: the line counts within it
	Line    int    `json:"line"`           // of the finding
	Message string `json:"message"`        // what is wrong
}

// FixFile is a file that changes.
type FixFile struct {
	Path    string `json:"path"`          // of the file
	Added   int    `json:"lines_added"`   // lines added
	Removed int    `json:"lines_removed"` // lines removed
}

// OfFix shows a plan: the diff, what each fix does, then what stays and why.
func OfFix(plan *repair.Plan, applied bool) report.Report {
	data := FixData{Applied: applied, Repairs: []FixMade{}, Left: []FixLeft{}, Files: []FixFile{}}
	made := &report.Table{Columns: []report.Column{{Name: "Place"}, {Name: "Fix"}}}
	for _, m := range plan.Made {
		data.Repairs = append(data.Repairs, FixMade{fixPlace(m.Finding), m.Patch.Title, m.Patch.Safety})
		made.Rows = append(made.Rows, []string{m.Finding.Where.Short(), m.Finding.Code + " " + m.Patch.Title})
	}
	diff := patch.Diff(plan.Changes)
	data.Diff = string(diff)
	for _, c := range plan.Changes {
		added, removed := countLines(patch.Diff([]patch.Change{c}))
		data.Files = append(data.Files, FixFile{c.Path, added, removed})
	}
	r := report.Report{Command: "fix", Title: "Fixes for " + plan.Project.Root, Diff: diff}
	if applied {
		r.Diff = nil
	}
	var shown []report.Block
	left := &report.Table{Columns: []report.Column{{Name: "Place"}, {Name: "Finding and reason"}}}
	for _, l := range plan.Left {
		f := l.Finding
		d := FixLeft{FixPlace: fixPlace(f), Reason: l.Reason, Detail: l.Detail, Advice: f.Advice}
		if l.Patch != nil {
			d.Title, d.Safety = l.Patch.Title, l.Patch.Safety
		}
		if l.Reason == repair.ShownOnly {
			if changes, err := plan.Try(*l.Patch); err == nil {
				d.Diff = string(patch.Diff(changes))
				shown = append(shown, report.Block{
					Heading: fmt.Sprintf("Display-only: %s %s", f.Code, l.Patch.Title),
					Code:    d.Diff,
				})
			}
		}
		data.Left = append(data.Left, d)
		left.Rows = append(left.Rows, []string{f.Where.Short(), f.Code + " " + f.Message + ". " + whyLeft(l)})
	}
	r.Data = data
	r.Summary = []string{fixSummary(data)}
	for _, w := range plan.Project.Warnings {
		r.Warnings = append(r.Warnings, w.Path+": "+w.Message)
	}
	if len(made.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Fixes", Table: made})
	}
	if len(left.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Not fixed", Table: left})
	}
	r.Blocks = append(r.Blocks, shown...)
	switch {
	case applied:
		r.Tone = report.Good
		r.Next = []string{"saturate fix --undo"}
	case len(data.Repairs) > 0:
		r.Outcome = report.Found
	}
	return r
}

func fixPlace(f finding.Finding) FixPlace {
	return FixPlace{
		Code: f.Code, Name: f.Name, Path: f.Where.Path, Cell: f.Where.Cell, Line: f.Where.Line,
		Message: f.Message,
	}
}

func fixSummary(d FixData) string {
	made := human.Plural(len(d.Repairs), "fix", "fixes") + " in " + human.Plural(len(d.Files), "file")
	stays := ""
	if n := len(d.Left); n > 0 {
		stays = "; " + human.Plural(n, "finding left", "findings left")
	}
	switch {
	case len(d.Repairs) == 0 && len(d.Left) == 0:
		return "Nothing to fix."
	case len(d.Repairs) == 0:
		return "No fixes" + stays + "."
	case d.Applied:
		return "Applied " + made + stays + "."
	}
	return made + stays + "."
}

func whyLeft(l repair.Left) string {
	switch l.Reason {
	case repair.NeedsUnsafe:
		return "With --unsafe: " + l.Patch.Title
	case repair.ShownOnly:
		return "Display-only, measure it first: " + l.Patch.Title
	case repair.Withheld:
		return "Fix withheld: " + l.Detail
	case repair.NotChosen:
		return "Appears after these fixes; --only excludes it."
	case repair.Clash, repair.Protected:
		return strings.ToUpper(l.Detail[:1]) + l.Detail[1:]
	}
	if r := rule.Find(l.Finding.Code); r != nil && r.Makes != "" {
		return "`saturate optimize` makes this fix: your own code makes the " + string(r.Makes) + " once, before training. By hand: " + l.Finding.Advice
	}
	if l.Finding.Advice != "" {
		return "No automatic fix: " + l.Finding.Advice
	}
	return "No automatic fix."
}

func countLines(diff []byte) (added, removed int) {
	for l := range strings.SplitSeq(string(diff), "\n") {
		switch {
		case strings.HasPrefix(l, "+") && !strings.HasPrefix(l, "+++ "):
			added++
		case strings.HasPrefix(l, "-") && !strings.HasPrefix(l, "--- "):
			removed++
		}
	}
	return added, removed
}

// OfUndo says which files were restored.
func OfUndo(paths []string) report.Report {
	return report.Report{
		Command: "fix", Title: "Fixes undone", Tone: report.Good,
		Summary: []string{"Restored " + human.Plural(len(paths), "file") + ": " + strings.Join(paths, ", ") + "."},
		Data:    FixData{Repairs: []FixMade{}, Left: []FixLeft{}, Files: []FixFile{}, Undone: paths},
	}
}
