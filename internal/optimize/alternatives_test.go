package optimize

import (
	"slices"
	"testing"

	"saturate/internal/rule"
)

// An alternative to a kept fix says so. If the kept fix includes it, it is not among what is left.
func TestAlternativesToKept(t *testing.T) {
	compile, graphs := -1, -1 // of the ways to compile, one without graphs and one with them
	ways := rule.Find("SAT411")
	for fix := range len(ways.Asks) {
		switch c := (Candidate{ID: "SAT411", Codes: []string{"SAT411"}, Fix: fix}); {
		case asksFor(c, askCompile) && compile < 0:
			compile = fix
		case records(c) && graphs < 0:
			graphs = fix
		}
	}
	if compile < 0 || graphs < 0 {
		t.Fatalf("SAT411 asks %v", ways.Asks)
	}
	candidate := func(id string, fix int, saves float64) Candidate {
		return Candidate{ID: id, Title: id, Codes: []string{"SAT411"}, Fix: fix, Choice: "compile", Saves: saves}
	}
	kept := Rung{Candidate: candidate("SAT411/4", graphs, 0.5), Decision: Kept, Tree: "01", From: baseTree}
	alone, other := candidate("SAT411", compile, 0.24), candidate("SAT411/2", graphs, 0.1)
	alone.Instead, other.Instead = kept.Tree, kept.Tree
	p := &protocol{state: state{Best: "01", Rungs: []Rung{kept}}, result: Result{Candidates: []Candidate{alone, other}}}
	here, list := &Baseline{GPU: true}, []Candidate{alone, other}
	for _, r := range p.notTried(here, list) {
		if want := "an alternative to SAT411/4, which was kept"; r.Because != want {
			t.Errorf("%s: %q, want %q", r.ID, r.Because, want)
		}
	}
	p.result.End.Text = "the budget is used up"
	left := p.left(here, list)
	if at := slices.IndexFunc(left, func(l Left) bool { return l.ID == "SAT411" }); at >= 0 {
		t.Errorf("what the kept fix includes is left with %v: %s", left[at].Saves, left[at].Why)
	}
	at := slices.IndexFunc(left, func(l Left) bool { return l.ID == "SAT411/2" })
	if want := "not tried in place of SAT411/4: the budget is used up"; at < 0 || left[at].Why != want {
		t.Errorf("%+v, want one with %q", left, want)
	}
}
