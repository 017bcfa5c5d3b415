package finding

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	area := []Area{HostArea}
	compile := Rule{Kind: Source, Code: "SAT411", Name: "no-torch-compile", Subject: Kernels, Areas: area}
	layout := Rule{Kind: Source, Code: "SAT415", Name: "channels-last", Subject: Layout, Areas: area}
	launch := Rule{Kind: Trace, Code: "TRC112", Name: "launch-bound", Subject: Kernels, Areas: area}
	with := func(r Rule, cures ...string) Rule {
		r.Cures = cures
		return r
	}
	for _, tt := range []struct {
		name  string
		rules []Rule
		wrong string
	}{
		{"right", []Rule{compile, layout, with(launch, "no-torch-compile")}, ""},
		{"registered in any order", []Rule{with(launch, "no-torch-compile"), compile}, ""},
		{"another subject", []Rule{compile, layout, with(launch, "no-torch-compile", "channels-last")}, "TRC112 launch-bound is about kernels and points to channels-last, which is about layout"},
		{"missing", []Rule{compile, with(launch, "torch-compile")}, "points to torch-compile, which is not a rule over source code"},
		{"not a source rule", []Rule{compile, with(launch, "launch-bound")}, "points to launch-bound, which is not a rule over source code"},
		{"a code", []Rule{compile, with(launch, "SAT411")}, "points to SAT411"},
		{"a code twice", []Rule{compile, {Kind: Trace, Code: "SAT411", Name: "other", Subject: Kernels, Areas: area}}, "SAT411 other is in the catalogue twice"},
		{"a name twice in a kind", []Rule{compile, {Kind: Source, Code: "SAT412", Name: "no-torch-compile", Subject: Kernels, Areas: area}}, "twice"},
		{"a name in two kinds", []Rule{compile, {Kind: Trace, Code: "TRC101", Name: "no-torch-compile", Subject: Kernels, Areas: area}}, ""},
		{"no subject", []Rule{{Kind: Source, Code: "SAT101", Name: "x", Areas: area}}, "needs a subject"},
	} {
		err := check(tt.rules)
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.wrong)
		}
	}
}

// A finding says what its rule says.
func TestFindingOfRule(t *testing.T) {
	r := Rule{Code: "PRF103"}.Like(PageableCopies)
	f := r.Finding()
	if f.Code != "PRF103" || f.Name != PageableCopies.Name || f.Severity != Warning || f.Message != PageableCopies.Title || f.Why != PageableCopies.Why || f.Advice != PageableCopies.Advice {
		t.Errorf("%+v", f)
	}
}
