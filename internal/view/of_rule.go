package view

import (
	"fmt"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/rule"
)

// RuleData is the JSON of the rules' documentation.
type RuleData struct {
	Rules []RulePage `json:"rules"`
}

// RulePage is what a rule says of itself.
type RulePage struct {
	Code     string  `json:"code"`
	Name     string  `json:"name"`
	Severity string  `json:"severity"`
	Title    string  `json:"title"`
	What     string  `json:"what"`
	Why      string  `json:"why"`
	Fine     string  `json:"fine"`
	Advice   string  `json:"advice,omitempty"`
	GainLow  float64 `json:"gain_low,omitempty"`
	GainHigh float64 `json:"gain_high,omitempty"`
	Source   string  `json:"gain_source,omitempty"`
	Bad      string  `json:"bad,omitempty"`
	Good     string  `json:"good,omitempty"`
	Safety   string  `json:"fix_safety,omitempty"`
}

// OfRules lists rules, or explains one.
func OfRules(rules []*rule.Rule) report.Report {
	data := RuleData{Rules: []RulePage{}}
	for _, r := range rules {
		data.Rules = append(data.Rules, RulePage{
			r.Code, r.Name, string(r.Severity), r.Title, r.What, r.Why, r.Fine, r.Advice,
			r.Gain.Low, r.Gain.High, r.Gain.Source, r.Bad, r.Good, string(r.Safety),
		})
	}
	if len(rules) == 1 {
		r := explain(rules[0])
		r.Data = data
		return r
	}
	table := &report.Table{Columns: []report.Column{{Name: "Rule"}, {Name: "Name"}, {Name: "Severity"}, {Name: "Repair"}, {Name: "What is wrong"}}}
	for _, r := range rules {
		table.Rows = append(table.Rows, []string{r.Code, r.Name, string(r.Severity), string(r.Safety), r.Title})
	}
	return report.Report{
		Command: "rule", Title: "Rules", Summary: []string{human.Plural(len(rules), "rule") + " read source code and settings."},
		Blocks: []report.Block{{Table: table}}, Data: data,
	}
}

func explain(r *rule.Rule) report.Report {
	page := report.Report{Command: "rule", Title: r.Code + " " + r.Name, Summary: []string{r.Code + " " + r.Name + ": " + r.Title + "."}}
	add := func(heading, text string) {
		if text != "" {
			page.Blocks = append(page.Blocks, report.Block{Heading: heading, Text: text})
		}
	}
	add("What it looks for", r.What)
	add("Why it costs time", r.Why)
	add("When it is fine", r.Fine)
	if r.Gain.High > 0 {
		add("What it brings", fmt.Sprintf("Typically %s to %s as fast (%s).", human.Times(r.Gain.Low), human.Times(r.Gain.High), r.Gain.Source))
	}
	if r.Bad != "" {
		page.Blocks = append(page.Blocks, report.Block{Heading: "Instead of", Code: r.Bad}, report.Block{Heading: "Write", Code: r.Good})
	}
	add("What to do", r.Advice)
	if r.Safety != rule.NoFix {
		add("The repair", "It is "+string(r.Safety)+".")
	}
	return page
}
