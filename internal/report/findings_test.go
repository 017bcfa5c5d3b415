package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"saturate/internal/finding"
	"saturate/internal/patch"
)

func findingsReport() Report {
	return Report{Command: "scan", Findings: []finding.Finding{
		{
			Code: "SAT203", Name: "no-pin-memory", Severity: finding.Warning, Confidence: 0.9,
			Where:   &finding.Location{Path: "my project/a,b:c.py", Start: 10, End: 20, Line: 3, Column: 5, EndLine: 3, EndColumn: 15},
			Message: "100% pageable\nmemory", Why: "a pinned copy is a DMA",
			Fixes: []patch.Patch{{Title: "pin", Safety: patch.Safe, Edits: []patch.Edit{{Path: "my project/a,b:c.py", Start: 18, End: 18, Text: ", pin_memory=True"}}}},
		},
		{Code: "SAT203", Name: "no-pin-memory", Severity: finding.Advice, Confidence: 0.5, Message: "another", Why: "the same", Fixes: []patch.Patch{{Title: "by hand", Safety: patch.DisplayOnly}}},
		{Code: "SAT101", Name: "tts-in-data-path", Severity: finding.Error, Confidence: 1, Message: "speech", Why: "slow"},
	}}
}

// The SARIF that we write is what the standard's own schema accepts, and reads back as it was.
func TestSARIFIsValid(t *testing.T) {
	for name, r := range map[string]Report{"findings": findingsReport(), "none": {Command: "scan"}} {
		var b bytes.Buffer
		if err := Render(&b, r, "sarif", Options{Version: "1.2.3"}); err != nil {
			t.Fatal(err)
		}
		doc, err := sarif.FromBytes(b.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// Reading leaves these optional fields empty instead of absent, which the schema would refuse.
		run := doc.Runs[0]
		run.Language, run.NewlineSequences, run.Tool.Driver.Language = "en-US", []string{"\n"}, "en-US"
		if err := doc.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := len(doc.Runs[0].Results); got != len(r.Findings) {
			t.Errorf("%s: %d results, want %d", name, got, len(r.Findings))
		}
		if name != "findings" {
			continue
		}
		if got := len(doc.Runs[0].Tool.Driver.Rules); got != 2 {
			t.Errorf("%d rules, want each once", got)
		}
		if got := *doc.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; got != "my%20project/a,b:c.py" {
			t.Errorf("address %q", got)
		}
	}
}

func TestGitHubCommandsStayOnTheirLine(t *testing.T) {
	var b bytes.Buffer
	if err := Render(&b, findingsReport(), "github", Options{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	want := "::warning title=SAT203 no-pin-memory,file=my project/a%2Cb%3Ac.py,line=3,endLine=3,col=5,endColumn=15::100%25 pageable%0Amemory. a pinned copy is a DMA"
	if lines[0] != want {
		t.Errorf("got  %s\nwant %s", lines[0], want)
	}
	if !strings.HasPrefix(lines[1], "::notice ") || !strings.HasPrefix(lines[2], "::error ") {
		t.Errorf("levels: %q %q", lines[1], lines[2])
	}
}
