package report

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"

	"saturate/internal/finding"
)

// renderSARIF writes the findings as SARIF 2.1.0, for code scanning services and editors.
//
// The few types below are the part of the format that says something here. The library for
// SARIF writes every optional field, empty, and carries a schema validator into the binary; so it
// is used where it helps, in the test that validates this output.
func renderSARIF(r Report, opt Options) ([]byte, error) {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "saturate", Version: opt.Version, Rules: []sarifRule{}}
	for _, f := range r.Findings {
		index := slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == f.Code })
		if index < 0 {
			index = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: f.Code, Name: f.Name, Full: sarifText{f.Why}})
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

type (
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID   string    `json:"id"`
		Name string    `json:"name"`
		Full sarifText `json:"fullDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Rank      float64         `json:"rank"` // our confidence in percent
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   sarifRegion   `json:"region"`
		} `json:"physicalLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int  `json:"startLine,omitempty"`
		StartColumn int  `json:"startColumn,omitempty"`
		EndLine     int  `json:"endLine,omitempty"`
		EndColumn   int  `json:"endColumn,omitempty"`
		ByteOffset  *int `json:"byteOffset,omitempty"`
		ByteLength  *int `json:"byteLength,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
)

func sarifResultOf(f finding.Finding, rule int) sarifResult {
	level := map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning", finding.Advice: "note"}[f.Severity]
	result := sarifResult{RuleID: f.Code, RuleIndex: rule, Level: level, Rank: 100 * f.Confidence, Message: sarifText{f.Message + "."}}
	if w := f.Where; w != nil {
		var at sarifLocation
		at.Physical.Artifact.URI = uri(w.Path)
		at.Physical.Region = sarifRegion{StartLine: w.Line, StartColumn: w.Column, EndLine: w.EndLine, EndColumn: w.EndColumn}
		result.Locations = []sarifLocation{at}
	}
	for _, p := range f.Fixes {
		fix := sarifFix{Description: sarifText{p.Title + " (" + string(p.Safety) + ")"}}
		for _, e := range p.Edits {
			start, length := e.Start, e.End-e.Start
			fix.Changes = append(fix.Changes, sarifChange{
				Artifact: sarifArtifact{uri(e.Path)},
				Replacements: []sarifReplacement{{
					Deleted: sarifRegion{ByteOffset: &start, ByteLength: &length}, Inserted: sarifText{e.Text},
				}},
			})
		}
		if len(fix.Changes) > 0 {
			result.Fixes = append(result.Fixes, fix)
		}
	}
	return result
}

// uri is a path as SARIF wants it: slashes, and nothing that means something else in an address.
func uri(path string) string {
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}
