package report

import (
	"fmt"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
)

// TestFindingsOfOneFunctionAreGrouped holds the text to one entry for many findings of one kind in
// one function, and every other format to all of them.
func TestFindingsOfOneFunctionAreGrouped(t *testing.T) {
	at := func(code, within string, line int, fixes ...patch.Patch) finding.Finding {
		return finding.Finding{
			Code: code, Name: "item-in-hot-loop", Severity: finding.Warning, Message: "a value is read", Within: within, Fixes: fixes,
			Where: &finding.Location{Path: "train.py", Line: line, Column: 1, EndLine: line, EndColumn: 2},
		}
	}
	repair := patch.Patch{Title: "read it later", Safety: patch.Unsafe}
	r := Report{Command: "scan", Listed: "Suspected bottlenecks", Findings: []finding.Finding{
		at("SAT301", "Trainer.step", 30), at("SAT302", "Trainer.step", 31), at("SAT301", "Trainer.step", 12, repair), at("SAT301", "Trainer.step", 20),
		at("SAT301", "Trainer.loss", 50), at("SAT301", "Trainer.loss", 51),
		at("SAT301", "", 60), at("SAT301", "", 61), at("SAT301", "", 62),
	}}
	for format, entries := range map[string]int{"text": 7, "sarif": 9, "github": 9} {
		var page strings.Builder
		if err := Render(&page, r, format, Options{}); err != nil {
			t.Fatal(err)
		}
		got := page.String()
		mark := map[string]string{"text": "• SAT30", "sarif": `"ruleId"`, "github": "::warning "}[format]
		if n := strings.Count(got, mark); n != entries {
			t.Errorf("%s: %d entries, not %d:\n%s", format, n, entries, got)
		}
		if said := strings.Contains(got, "also: at lines 12 and 20 of Trainer.step; 1 of these has a fix"); said != (format == "text") {
			t.Errorf("%s: says where the others are: %v\n%s", format, said, got)
		}
	}
}

// TestManyFindingsAreFolded: a page of very many findings has one entry for each rule, and -v all of them.
func TestManyFindingsAreFolded(t *testing.T) {
	r := Report{Command: "scan"}
	for i := range 41 {
		f := finding.Finding{
			Code: "SAT201", Severity: finding.Warning, Message: "no workers", Within: "main",
			Where: &finding.Location{Path: fmt.Sprintf("recipe%02d.py", i), Line: 7, Column: 5, EndLine: 7, EndColumn: 9},
		}
		if i == 40 {
			f.Code, f.Fixes = "SAT203", []patch.Patch{{Title: "pin", Safety: patch.Safe}}
		}
		r.Findings = append(r.Findings, f)
	}
	r.Findings = append(r.Findings, r.Findings[40])
	for _, tt := range []struct {
		findings, entries int
		details           bool
		says              string
	}{
		{42, 2, false, "also: in 39 more places: recipe01.py:7:5, recipe02.py:7:5, recipe03.py:7:5, recipe04.py:7:5, recipe05.py:7:5, recipe06.py:7:5, recipe07.py:7:5, recipe08.py:7:5 and 31 more (-v lists them)\n"},
		{42, 2, false, "also: at recipe40.py:7:5; 1 of these has a fix"},
		{42, 42, true, "recipe39.py:7:5"},
		{40, 40, false, "recipe39.py:7:5"},
	} {
		few := r
		few.Findings = r.Findings[:tt.findings]
		var page strings.Builder
		if err := Render(&page, few, "text", Options{Details: tt.details}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(page.String(), "--> "); n != tt.entries || !strings.Contains(page.String(), tt.says) {
			t.Errorf("%d findings, details %v: %d entries, want %d and %q in\n%s", tt.findings, tt.details, n, tt.entries, tt.says, page.String())
		}
	}
}
