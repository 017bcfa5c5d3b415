package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/report"
	"saturate/internal/rule"
)

// ScanData is the JSON of a scan.
type ScanData struct {
	Findings     []ScanFinding      `json:"findings"`
	Observations []rule.Observation `json:"observations"`
	Statistics   []RuleCount        `json:"statistics"`
	Suppressed   int                `json:"suppressed"`     // by comments in the source
	Known        int                `json:"known"`          // by the baseline file
	Small        int                `json:"small"`          // left out because they cost little; --all lists them
	Files        int                `json:"files"`          // Python files and notebooks that were read
	Lines        int                `json:"lines"`          // of Python in them
	Settings     int                `json:"settings_files"` // YAML, JSON and TOML
	Warnings     []project.Warning  `json:"warnings"`
}

// ScanFinding is a finding with its place spread out.
type ScanFinding struct {
	Code       string             `json:"code"`              // of the rule: SAT203
	Name       string             `json:"name"`              // of the rule: no-pin-memory
	Severity   finding.Severity   `json:"severity"`          // error, warning or advice
	Confidence float64            `json:"confidence"`        // 0 to 1; falls where a value is not known
	Path       string             `json:"path"`              // of the file
	Cell       int                `json:"cell,omitempty"`    // of a notebook, from 1: line and column count within it
	Line       int                `json:"line"`              // of the start, from 1
	Column     int                `json:"column"`            // of the start, in characters from 1
	EndLine    int                `json:"end_line"`          // of the end
	EndColumn  int                `json:"end_column"`        // of the end
	InFile     *patch.Range       `json:"in_file,omitempty"` // the place in a notebook's JSON
	Message    string             `json:"message"`           // what is wrong
	Small      string             `json:"small,omitempty"`   // why it costs little here; empty when it is worth a change
	Why        string             `json:"why"`               // it costs time or memory
	Advice     string             `json:"advice,omitempty"`  // what to do
	Evidence   []finding.Evidence `json:"evidence,omitempty"`
	Estimate   *finding.Estimate  `json:"estimate,omitempty"`
	Fixes      []patch.Patch      `json:"fixes"`
}

// RuleCount is how often a rule spoke.
type RuleCount struct {
	Code  string `json:"code"`  // of the rule
	Name  string `json:"name"`  // of the rule
	Count int    `json:"count"` // findings
}

// OfScan lists what will starve the GPU, worst first. known is the number of findings that a baseline holds back.
func OfScan(p *project.Project, result rule.Result, known int, statistics bool) report.Report {
	data := ScanData{
		Findings: []ScanFinding{}, Observations: append([]rule.Observation{}, result.Observations...),
		Statistics: counts(result.Findings), Suppressed: result.Suppressed, Known: known, Small: result.Small,
		Files: len(p.Modules), Lines: p.Lines(), Settings: len(p.Settings), Warnings: append([]project.Warning{},
			p.Warnings...),
	}
	for _, f := range result.Findings {
		data.Findings = append(data.Findings, scanFinding(f))
	}
	r := report.Report{
		Command: "scan", Title: "Scan of " + p.Root, Listed: "Suspected bottlenecks", Data: data,
		Findings: result.Findings, Summary: []string{scanSummary(data)},
	}
	for _, w := range p.Warnings {
		at := w.Path
		if w.Line > 0 {
			at = finding.Location{Path: w.Path, Cell: w.Cell, Line: w.Line}.Short()
		}
		r.Warnings = append(r.Warnings, at+": "+w.Message)
	}
	if statistics {
		r.Findings, r.Blocks = nil, []report.Block{{Heading: "Findings by rule", Table: countTable(data.Statistics)}}
	}
	if len(result.Observations) > 0 {
		r.Blocks = append(r.Blocks, report.Block{
			Heading: "How this project trains",
			Table:   observationTable(result.Observations),
		})
	}
	if len(result.Findings) > 0 {
		r.Outcome = report.Found
		r.Next = []string{"saturate rule " + result.Findings[0].Code}
		// small ones come last, and are fixed when their rule is named
		if i := slices.IndexFunc(result.Findings, func(f finding.Finding) bool { return len(f.Fixes) > 0 }); i >= 0 {
			fix := "saturate fix " + human.Shell(p.Root)
			if f := result.Findings[i]; f.Small != "" {
				fix += " --only " + f.Code
			}
			r.Next = append(r.Next, fix+"  # shows the fixes as a diff")
		}
	} else {
		r.Tone = report.Good
	}
	return r
}

func scanFinding(f finding.Finding) ScanFinding {
	s := ScanFinding{
		Code: f.Code, Name: f.Name, Severity: f.Severity, Confidence: f.Confidence, Message: f.Message, Small: f.Small, Why: f.Why,
		Advice: f.Advice, Evidence: f.Evidence, Estimate: f.Estimate, Fixes: append([]patch.Patch{}, f.Fixes...),
	}
	if w := f.Where; w != nil {
		s.Path, s.Line, s.Column, s.EndLine, s.EndColumn = w.Path, w.Line, w.Column, w.EndLine, w.EndColumn
		s.Cell, s.InFile = w.Cell, w.InFile
	}
	return s
}

func scanSummary(d ScanData) string {
	read := fmt.Sprintf("%s, %s of Python", human.Plural(d.Files, "file"), human.Plural(d.Lines, "line"))
	if d.Files == 0 {
		read = human.Plural(d.Settings, "settings file")
	}
	var held []string
	if d.Suppressed > 0 {
		held = append(held, human.Count(d.Suppressed)+" ignored by comments")
	}
	if d.Known > 0 {
		held = append(held, human.Count(d.Known)+" in the baseline")
	}
	if d.Small > 0 {
		held = append(held, human.Count(d.Small)+" small "+human.Choose(d.Small, "one", "ones")+" left out, see --all")
	}
	behind := ""
	if len(held) > 0 {
		behind = " (" + strings.Join(held, ", ") + ")"
	}
	switch {
	case d.Files == 0 && d.Settings == 0 && len(d.Warnings) > 0:
		return "No Python file here could be read."
	case d.Files == 0 && d.Settings == 0:
		return "No Python files found."
	case len(d.Findings) == 0 && d.Known > 0:
		return "No new bottlenecks found" + behind + " in " + read + "."
	case len(d.Findings) == 0:
		return "No bottlenecks found" + behind + " in " + read + "."
	}
	repairs := 0
	for _, f := range d.Findings {
		if len(f.Fixes) > 0 {
			repairs++
		}
	}
	text := human.Plural(len(d.Findings), "suspected bottleneck") + behind + " in " + read
	if repairs > 0 {
		text += "; " + human.Count(repairs) + human.Choose(repairs, " has a fix", " have a fix")
	}
	return text + "."
}

func counts(findings []finding.Finding) []RuleCount {
	list := []RuleCount{}
	for _, f := range findings {
		i := slices.IndexFunc(list, func(c RuleCount) bool { return c.Code == f.Code })
		if i < 0 {
			i = len(list)
			list = append(list, RuleCount{Code: f.Code, Name: f.Name})
		}
		list[i].Count++
	}
	slices.SortFunc(list, func(a, b RuleCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return list
}

func countTable(list []RuleCount) *report.Table {
	t := &report.Table{Columns: []report.Column{{Name: "Rule"}, {Name: "Name"}, {Name: "Findings", Right: true}}}
	for _, c := range list {
		t.Rows = append(t.Rows, []string{c.Code, c.Name, human.Count(c.Count)})
	}
	return t
}

// mostObserved is how many answers about one topic are shown: a package that
// holds a hundred recipes has a hundred, and JSON has them all.
const mostObserved = 5

// observationTable shows each answer once, with the first place that gives it,
// and the topics one after the other.
func observationTable(list []rule.Observation) *report.Table {
	type answer struct{ topic, text string }
	places := map[answer][]string{}
	answers := map[string][]answer{}
	var topics []string
	for _, o := range list {
		a := answer{o.Topic, o.Text}
		if len(answers[o.Topic]) == 0 {
			topics = append(topics, o.Topic)
		}
		if _, again := places[a]; !again {
			answers[o.Topic] = append(answers[o.Topic], a)
		}
		at := ""
		if o.Where != nil {
			at = o.Where.Short()
		}
		places[a] = append(places[a], at)
	}
	t := &report.Table{Columns: []report.Column{{Name: "Topic"}, {Name: "Found"}, {Name: "Where"}}}
	for _, topic := range topics {
		all := answers[topic]
		slices.SortStableFunc(all, func(a, b answer) int { return cmp.Compare(len(places[b]), len(places[a])) })
		for _, a := range all[:min(len(all), mostObserved)] {
			at := places[a][0]
			if more := len(places[a]) - 1; more > 0 {
				at = fmt.Sprintf("%s and %s more", at, human.Count(more))
			}
			t.Rows = append(t.Rows, []string{topic, a.text, at})
		}
		if more := len(all) - mostObserved; more > 0 {
			t.Rows = append(t.Rows, []string{topic, fmt.Sprintf("%s more (--format json lists them)", human.Count(more)), ""})
		}
	}
	return t
}
