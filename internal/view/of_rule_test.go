package view

import (
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
)

// All three kinds of rules are in one catalogue, and each points to rules of its own subject.
func TestCatalogue(t *testing.T) {
	if err := finding.Check(); err != nil {
		t.Error(err)
	}
	kinds := map[finding.Kind]int{}
	for _, r := range finding.Rules() {
		kinds[r.Kind]++
		if r.Code == "" || r.Name == "" || r.Severity == "" || r.Title == "" || r.Why == "" || strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s %s is not complete", r.Code, r.Name)
		}
		prefix := map[finding.Kind]string{finding.Source: "SAT", finding.Trace: "TRC", finding.Run: "PRF"}[r.Kind]
		if !strings.HasPrefix(r.Code, prefix) || r.Kind != finding.Source && r.Advice == "" {
			t.Errorf("%s %s reads %s", r.Code, r.Name, r.Kind)
		}
	}
	if kinds[finding.Source] < 100 || kinds[finding.Trace] < 28 || kinds[finding.Run] < 6 {
		t.Errorf("%v", kinds)
	}
}

// What was pointed to by an older numbering.
func TestCuresOfTraceRules(t *testing.T) {
	for name, want := range map[string]string{
		"launch-bound":        "no-torch-compile",
		"small-copies":        "cpu-create-then-move",
		"compiling-in-steps":  "compile-in-loop",
		"checkpoint-in-steps": "checkpoint-too-often",
		"unfused-attention":   "manual-attention",
		"layout-changes":      "channels-last",
	} {
		if rules := finding.Lookup(name); len(rules) != 1 || len(rules[0].Cures) == 0 || rules[0].Cures[0] != want {
			t.Errorf("%s does not point to %s first: %+v", name, want, rules)
		}
	}
}

// A trace and a run that show the same fault speak of it in the same words.
func TestSharedRules(t *testing.T) {
	shared := 0
	for _, r := range finding.Rules() {
		for _, other := range finding.Rules() {
			if r.Kind != finding.Trace || other.Kind != finding.Run || r.Name != other.Name {
				continue
			}
			shared++
			if r.Title != other.Title || r.Why != other.Why || r.Advice != other.Advice || r.Severity != other.Severity || !slices.Equal(r.Cures, other.Cures) {
				t.Errorf("%s and %s differ", r.Code, other.Code)
			}
		}
	}
	if shared != 3 {
		t.Errorf("%d shared rules", shared)
	}
}

func TestOfRule(t *testing.T) {
	for _, tt := range []struct {
		asked, title string
		headings     []string
	}{
		{"TRC127", "TRC127 memory-fragmented", []string{"Reported by", "Why it costs time", "What to do"}},
		{"loader-in-main-process", "TRC101 loader-in-main-process, PRF101 loader-in-main-process", []string{
			"Reported by", "Why it costs time", "What to do", "Related rules of scan",
		}},
		{"unfused-optimizer", "SAT406 unfused-optimizer, TRC113 unfused-optimizer", []string{
			"SAT406: Reported by", "SAT406: What it looks for", "SAT406: Why it costs time", "SAT406: When it is fine", "SAT406: Typical gain",
			"SAT406: Instead of", "SAT406: Write", "SAT406: Related rules of traces and runs", "SAT406: Fix",
			"TRC113: Reported by", "TRC113: Why it costs time", "TRC113: What to do", "TRC113: Related rules of scan",
		}},
	} {
		page := OfRule(finding.Lookup(tt.asked))
		var headings []string
		for _, b := range page.Blocks {
			headings = append(headings, b.Heading)
		}
		if page.Title != tt.title || !slices.Equal(headings, tt.headings) {
			t.Errorf("%s: %s, %q", tt.asked, page.Title, headings)
		}
	}
}
