package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/report"
)

// RuleData is the JSON of the rules' documentation.
type RuleData struct {
	Rules []RulePage `json:"rules"`
}

// RulePage is what a rule says about itself.
type RulePage struct {
	Code     string   `json:"code"`                   // of the rule: SAT203
	Name     string   `json:"name"`                   // of the rule: no-pin-memory
	Reads    string   `json:"reads"`                  // source, trace or run
	Severity string   `json:"severity"`               // error, warning or advice
	Subject  string   `json:"subject"`                // what the rule is about
	Areas    []string `json:"areas"`                  // the parts of a step that its repair can shorten
	NeedsGPU bool     `json:"needs_gpu,omitempty"`    // it only matters where there is a GPU
	Title    string   `json:"title"`                  // the finding in a few words
	What     string   `json:"what"`                   // the rule looks for
	Why      string   `json:"why"`                    // it costs time or memory
	Fine     string   `json:"fine"`                   // when the code is fine as it is
	Advice   string   `json:"advice,omitempty"`       // what to do
	Cures    []string `json:"cures,omitempty"`        // the source rules that find the place
	GainLow  float64  `json:"gain_low,omitempty"`     // lower end of the typical speedup
	GainHigh float64  `json:"gain_high,omitempty"`    // upper end of the typical speedup
	Source   string   `json:"gain_source,omitempty"`  // where that range comes from
	Bad      string   `json:"bad,omitempty"`          // code that has the fault
	Good     string   `json:"good,omitempty"`         // the same code repaired
	Safety   string   `json:"fix_safety,omitempty"`   // how far the repair can be trusted
	AtWorst  string   `json:"fix_at_worst,omitempty"` // how far it can be trusted at some places, if less
}

// OfRules lists all rules.
func OfRules(rules []finding.Rule) report.Report {
	page := report.Report{Command: "rule", Title: "Rules", Data: ruleData(rules)}
	for _, kind := range ruleKinds {
		table := &report.Table{Columns: kind.columns()}
		for _, r := range rules {
			if r.Kind == kind.kind {
				table.Rows = append(table.Rows, kind.row(r))
			}
		}
		if len(table.Rows) == 0 {
			continue
		}
		page.Summary = append(page.Summary, fmt.Sprintf("%s for %s (%s).", human.Plural(len(table.Rows), "rule"), kind.reads,
			kind.command))
		page.Blocks = append(page.Blocks, report.Block{Heading: "Rules for " + kind.reads, Table: table})
	}
	return page
}

// OfRule explains a rule, or all rules of one name. Rules that share their text are explained once.
func OfRule(rules []finding.Rule) report.Report {
	page := report.Report{Command: "rule", Data: ruleData(rules)}
	var titles []string
	for i, r := range rules {
		titles = append(titles, r.Code+" "+r.Name)
		page.Summary = append(page.Summary, r.Code+" "+r.Name+": "+r.Title+".")
		same := func(other finding.Rule) bool {
			return other.Title == r.Title && other.Why == r.Why && other.Advice == r.Advice
		}
		if slices.ContainsFunc(rules[:i], same) {
			continue
		}
		alike := slices.DeleteFunc(slices.Clone(rules), func(other finding.Rule) bool { return !same(other) })
		for _, b := range explain(alike) {
			if len(alike) < len(rules) {
				b.Heading = r.Code + ": " + b.Heading
			}
			page.Blocks = append(page.Blocks, b)
		}
	}
	page.Title = strings.Join(titles, ", ")
	return page
}

// ruleKind is how the rules of a kind are listed.
type ruleKind struct {
	kind           finding.Kind
	reads, command string
}

var ruleKinds = []ruleKind{
	{finding.Source, "source code and settings", "saturate scan"},
	{finding.Trace, "traces", "saturate analyze"},
	{finding.Run, "measured runs", "saturate profile"},
}

func (k ruleKind) columns() []report.Column {
	if k.kind == finding.Source {
		return []report.Column{{Name: "Rule"}, {Name: "Name"}, {Name: "Severity"}, {Name: "Fix"}, {Name: "What is wrong"}}
	}
	return []report.Column{
		{Name: "Rule"},
		{Name: "Name"},
		{Name: "Severity"},
		{Name: "What is wrong"},
		{Name: "Related rules"},
	}
}

func (k ruleKind) row(r finding.Rule) []string {
	if k.kind == finding.Source {
		return []string{r.Code, r.Name, string(r.Severity), safetyWord(r), r.Title}
	}
	return []string{r.Code, r.Name, string(r.Severity), r.Title, strings.Join(curesOf(r), ", ")}
}

// explain says what rules that share their text have to say.
func explain(alike []finding.Rule) (blocks []report.Block) {
	r := alike[0]
	add := func(heading, text string) {
		if text != "" {
			blocks = append(blocks, report.Block{Heading: heading, Text: text})
		}
	}
	var by []string
	for _, one := range alike {
		kind := ruleKinds[slices.IndexFunc(ruleKinds, func(k ruleKind) bool { return k.kind == one.Kind })]
		by = append(by, fmt.Sprintf("`%s`, which reads %s", kind.command, kind.reads))
	}
	add("Reported by", strings.Join(by, "; and ")+".")
	add("What it looks for", r.What)
	add("Why it costs time", r.Why)
	add("When it is fine", r.Fine)
	if r.Gain.High > 0 {
		gain := human.Faster(r.Gain.Low, r.Gain.High) + " (" + r.Gain.Source + ")."
		add("Typical gain", strings.ToUpper(gain[:1])+gain[1:])
	}
	if r.Bad != "" {
		blocks = append(blocks, report.Block{Heading: "Instead of", Code: r.Bad}, report.Block{
			Heading: "Write",
			Code:    r.Good,
		})
	}
	add("What to do", r.Advice)
	add("Related rules of scan", rulesText(r.CureRules()))
	add("Related rules of traces and runs", rulesText(measuring(r)))
	add("Fix", safetyText[r.Safety])
	if r.AtWorst != "" {
		add("At some places", safetyText[r.AtWorst]+" Each finding says how safe its own fix is.")
	}
	return blocks
}

// safetyWord is how safe the fix of a rule is, for a table.
func safetyWord(r finding.Rule) string {
	if r.AtWorst != "" {
		return string(r.Safety) + " or " + string(r.AtWorst)
	}
	return string(r.Safety)
}

// safetyText says what the safety of a fix means.
var safetyText = map[patch.Safety]string{
	patch.Safe:        "Safe: the results stay the same. `saturate fix --apply` applies it.",
	patch.Unsafe:      "Unsafe: results may differ, for example by rounding or random draws. `saturate fix --apply --unsafe` applies it.",
	patch.DisplayOnly: "Display-only: it can make training slower. `saturate fix` shows it, and `saturate optimize` measures it.",
}

// measuring lists the rules over traces and runs that point to a source rule.
func measuring(r finding.Rule) (found []finding.Rule) {
	for _, other := range finding.Rules() {
		if r.Kind == finding.Source && slices.Contains(other.Cures, r.Name) {
			found = append(found, other)
		}
	}
	return found
}

func rulesText(rules []finding.Rule) string {
	var list []string
	for _, r := range rules {
		list = append(list, r.Code+" "+r.Name)
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, ", ") + "."
}

func curesOf(r finding.Rule) (codes []string) {
	for _, cure := range r.CureRules() {
		codes = append(codes, cure.Code)
	}
	return codes
}

func ruleData(rules []finding.Rule) RuleData {
	data := RuleData{Rules: []RulePage{}}
	for _, r := range rules {
		page := RulePage{
			Code: r.Code, Name: r.Name, Reads: string(r.Kind), Severity: string(r.Severity), Subject: string(r.Subject),
			Areas: []string{}, NeedsGPU: r.NeedsGPU,
			Title: r.Title, What: r.What, Why: r.Why, Fine: r.Fine, Advice: r.Advice, Cures: curesOf(r),
			GainLow: r.Gain.Low, GainHigh: r.Gain.High, Source: r.Gain.Source, Bad: r.Bad, Good: r.Good,
			Safety: string(r.Safety), AtWorst: string(r.AtWorst),
		}
		for _, a := range r.Areas {
			page.Areas = append(page.Areas, string(a))
		}
		data.Rules = append(data.Rules, page)
	}
	return data
}
