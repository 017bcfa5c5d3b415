package report

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
)

// What GitHub accepts of a run; it refuses a file with more.
const (
	mostResults     = 25_000
	mostDescription = 1024 // characters of a description
)

// renderSARIF writes the findings as SARIF 2.1.0, for code scanning services and editors.
//
// The types below are the part of the format that says something here. The library for
// SARIF writes every optional field, empty, and carries a schema validator into the binary; so it
// is used where it helps, in the test that validates this output.
func renderSARIF(r Report, opt Options) ([]byte, error) {
	run := sarifRun{Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}
	run.Tool.Driver = sarifDriver{Name: "saturate", Version: opt.Version, Rules: []sarifRule{}}
	kept := r.Findings[:min(len(r.Findings), mostResults)] // worst first
	if left := len(r.Findings) - len(kept); left > 0 {
		run.Invocations = []sarifInvocation{{Successful: true, Notes: []sarifNote{{
			Level: "warning", Message: sarifText{fmt.Sprintf("%s left out: GitHub accepts %s results.",
				human.Plural(left, "finding"), human.Count(mostResults))},
		}}}}
	}
	at := map[string]int{}
	for _, f := range kept {
		index, known := at[f.Code]
		if !known {
			index = len(run.Tool.Driver.Rules)
			at[f.Code] = index
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f))
		}
		run.Results = append(run.Results, sarifResultOf(f, index))
	}
	doc := struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
	out, err := json.MarshalIndent(doc, "", "  ")
	return append(out, '\n'), err
}

var sarifLevel = map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning", finding.Advice: "note"}

// sarifRuleOf describes the rule of a finding, as the catalogue does; a rule that is not in it, as the finding does.
func sarifRuleOf(f finding.Finding) sarifRule {
	rule := finding.Rule{Code: f.Code, Name: f.Name, Severity: f.Severity, Title: f.Message, Why: f.Why, Advice: f.Advice}
	if known := finding.Lookup(f.Code); len(known) > 0 {
		rule = known[0]
	}
	help := rule.Help()
	d := sarifRule{
		ID: rule.Code, Name: rule.Name,
		Short: sarifText{human.Clip(sentence(rule.Title), mostDescription)},
		Full:  sarifText{human.Clip(strings.TrimSpace(rule.What+" "+rule.Why), mostDescription)},
		Help:  sarifHelp{Text: help.Text, Markdown: help.Markdown}, HelpURI: rule.HelpURI(),
	}
	d.Default.Level = sarifLevel[rule.Severity]
	d.Properties.Tags = rule.Tags()
	d.Properties.Severity = map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning"}[rule.Severity]
	if d.Properties.Severity == "" {
		d.Properties.Severity = "recommendation"
	}
	return d
}

// sentence makes a sentence of a clause.
func sentence(clause string) string {
	if clause == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + clause[size:] + "."
}

func sarifResultOf(f finding.Finding, rule int) sarifResult {
	result := sarifResult{
		RuleID: f.Code, RuleIndex: rule, Level: sarifLevel[f.Severity], Rank: 100 * f.Confidence,
		Message: sarifText{f.Message + "."},
	}
	if w := f.Where; w != nil {
		var at sarifLocation
		at.Physical.Artifact.URI = uri(w.Path)
		if place := w.Range(); place.Line > 0 {
			region := sarifRegionOf(place)
			at.Physical.Region = &region
		}
		if w.Cell > 0 {
			result.Message.Text = sentence(w.InWords() + ": " + f.Message)
			at.Logical = []sarifLogical{{Name: fmt.Sprintf("cell %d", w.Cell), Kind: "notebook cell"}}
		}
		result.Locations = []sarifLocation{at}
		if w.LineHash != "" {
			result.Fingerprints = map[string]string{"primaryLocationLineHash": w.LineHash}
		}
	}
	for _, p := range f.Fixes {
		if len(p.Ranges) != len(p.Edits) || len(p.Edits) == 0 {
			continue // SARIF replaces text by lines and columns
		}
		fix := sarifFix{Description: sarifText{p.Title + " (" + string(p.Safety) + ")"}}
		for i, e := range p.Edits {
			change := sarifReplacement{Deleted: sarifRegionOf(p.Ranges[i]), Inserted: sarifText{e.Text}}
			path := uri(e.Path)
			j := slices.IndexFunc(fix.Changes, func(c sarifChange) bool { return c.Artifact.URI == path })
			if j < 0 {
				j = len(fix.Changes)
				fix.Changes = append(fix.Changes, sarifChange{Artifact: sarifArtifact{path}})
			}
			fix.Changes[j].Replacements = append(fix.Changes[j].Replacements, change)
		}
		result.Fixes = append(result.Fixes, fix)
	}
	return result
}

func sarifRegionOf(r patch.Range) sarifRegion {
	return sarifRegion{StartLine: r.Line, StartColumn: r.Column, EndLine: r.EndLine, EndColumn: r.EndColumn}
}

// uri is a path as SARIF wants it: slashes, nothing that means something else in an address, and a scheme where it does
// not start at the folder of the run.
func uri(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}
