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
			Fixes: []patch.Patch{{
				Title: "pin", Safety: patch.Safe,
				Edits:  []patch.Edit{{Path: "my project/a,b:c.py", Start: 18, End: 18, Text: ", pin_memory=True"}},
				Ranges: []patch.Range{{Line: 3, Column: 13, EndLine: 3, EndColumn: 13}},
			}},
		},
		{Code: "SAT203", Name: "no-pin-memory", Severity: finding.Advice, Confidence: 0.5, Message: "another", Why: "the same", Fixes: []patch.Patch{{Title: "by hand", Safety: patch.DisplayOnly}}},
		{
			Code: "SAT101", Name: "tts-in-data-path", Severity: finding.Error, Confidence: 1, Message: "speech", Why: "slow",
			Where: &finding.Location{
				Path: "book.ipynb", Line: 2, Column: 1, EndLine: 2, EndColumn: 9, Cell: 3,
				InFile: &patch.Range{Line: 40, Column: 6, EndLine: 40, EndColumn: 14}, LineHash: "271789c17abda88f:1",
			},
		},
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
		fix := doc.Runs[0].Results[0].Fixes[0].ArtifactChanges[0].Replacements[0]
		if *fix.DeletedRegion.StartLine != 3 || *fix.DeletedRegion.StartColumn != 13 || *fix.InsertedContent.Text != ", pin_memory=True" {
			t.Errorf("repair %+v", fix)
		}
		cell := doc.Runs[0].Results[2]
		if *cell.Message.Text != "Cell 3, line 2: speech." || *cell.Locations[0].PhysicalLocation.Region.StartLine != 40 ||
			*cell.Locations[0].LogicalLocations[0].Name != "cell 3" || cell.PartialFingerprints["primaryLocationLineHash"] != "271789c17abda88f:1" {
			t.Errorf("in a notebook: %+v", cell)
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
	if want := "::error title=SAT101 tts-in-data-path,file=book.ipynb,line=40,endLine=40,col=6,endColumn=14::Cell 3, line 2: speech. slow"; lines[2] != want {
		t.Errorf("got  %s\nwant %s", lines[2], want)
	}
	if !strings.HasPrefix(lines[1], "::notice ") || !strings.HasPrefix(lines[2], "::error ") {
		t.Errorf("levels: %q %q", lines[1], lines[2])
	}
}

// A run with more results than GitHub accepts has the worst of them, and says how many it leaves out.
func TestSARIFLimits(t *testing.T) {
	var r Report
	for range mostResults + 7 {
		r.Findings = append(r.Findings, finding.Finding{Code: "SAT203", Name: "no-pin-memory", Severity: finding.Warning, Message: "pageable"})
	}
	var b bytes.Buffer
	if err := Render(&b, r, "sarif", Options{Version: "1.2.3"}); err != nil {
		t.Fatal(err)
	}
	doc, err := sarif.FromBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	if len(run.Results) != mostResults || *run.Invocations[0].ToolExecutionNotifications[0].Message.Text != "7 findings left out: GitHub accepts 25,000 results." {
		t.Errorf("%d results, %+v", len(run.Results), run.Invocations)
	}
}

func TestSARIFAddresses(t *testing.T) {
	for path, want := range map[string]string{
		"train.py": "train.py", "my project/a#b.py": "my%20project/a%23b.py", "/srv/train.py": "file:///srv/train.py",
	} {
		if got := uri(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
