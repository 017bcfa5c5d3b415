package rule

import (
	"context"
	"strings"
	"testing"

	"saturate/internal/project"
)

func init() { rescue = false } // here a rule that fails shall be seen

// A rule that fails in one file says nothing of that file, and takes nothing else along.
func TestRescue(t *testing.T) {
	rescue = true
	defer func() { rescue = false }()
	p, err := project.FromSources(context.Background(), map[string][]byte{"a.py": []byte("x = 1\n"), "b.py": []byte("y = x = [1]\n")})
	if err != nil {
		t.Fatal(err)
	}
	failing := &Rule{Code: "SAT999", Name: "failing", Severity: Advice, Source: func(p *SourcePass) {
		p.Report(p.Module.File.Module.Body[0], 1).Saying("seen")
		if p.Module.Path == "b.py" {
			panic("lost")
		}
	}}
	next := &Rule{Code: "SAT998", Name: "next", Severity: Advice, Source: func(p *SourcePass) {
		p.Report(p.Module.File.Module.Body[0], 1).Saying("seen, too")
	}}
	known := rules
	rules = []*Rule{failing, next}
	defer func() { rules = known }()
	var places []string
	for range 2 { // once more, as an editor does
		result, err := OnSource(context.Background(), p, Selection{})
		if err != nil {
			t.Fatal(err)
		}
		places = nil
		for _, f := range result.Findings {
			places = append(places, f.Code+" "+f.Where.Path)
		}
	}
	if got, want := strings.Join(places, ", "), "SAT998 a.py, SAT999 a.py, SAT998 b.py"; got != want {
		t.Errorf("findings: %s, want %s", got, want)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Path != "b.py" || !strings.Contains(p.Warnings[0].Message, "SAT999") {
		t.Errorf("warnings: %v", p.Warnings)
	}
}
