package report

import (
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
	r := Report{Command: "scan", Listed: "Suspected Bottlenecks", Findings: []finding.Finding{
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
		if said := strings.Contains(got, "also: at lines 12 and 20 of Trainer.step; 1 of these comes with a repair"); said != (format == "text") {
			t.Errorf("%s: says where the others are: %v\n%s", format, said, got)
		}
	}
}
