package optimize

import (
	"slices"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
)

// A step is recorded together with the fixes of what it reaches and a graph cannot hold, and not at all where one has none.
func TestRecordable(t *testing.T) {
	step := &patch.Part{Path: "train.py", Start: 100, End: 200}
	at := func(path string, start int) *finding.Location {
		return &finding.Location{Path: path, Start: start, End: start + 10}
	}
	found := func(code string, where *finding.Location, called int, fixes ...patch.Safety) finding.Finding {
		f := finding.Finding{Code: code, Where: where, Evidence: []finding.Evidence{{Text: "the training loop", Location: at("train.py", 50)}, {Text: "calls", Location: at("train.py", called)}}}
		for _, s := range fixes {
			f.Fixes = append(f.Fixes, patch.Patch{Safety: s})
		}
		return f
	}
	for _, tt := range []struct {
		name string
		list []finding.Finding
		want []string
		ok   bool
	}{
		{"nothing", nil, nil, true},
		{"fixed with it", []finding.Finding{found("SAT312", at("net.py", 10), 110, patch.Unsafe)}, []string{"SAT312"}, true},
		{"no fix", []finding.Finding{found("SAT312", at("net.py", 10), 110)}, nil, false},
		{"after the step", []finding.Finding{found("SAT301", at("train.py", 300), 300)}, nil, true},
		{"called after the step", []finding.Finding{found("SAT304", at("net.py", 10), 210)}, nil, true},
		{"another subject", []finding.Finding{found("SAT409", at("net.py", 10), 110)}, nil, true},
		{"a mask that the recording passes itself", []finding.Finding{found("SAT316", at("train.py", 110), 110)}, nil, true},
	} {
		d := draft{protocol: &protocol{}, byCode: map[string][]finding.Finding{}}
		for _, f := range tt.list {
			d.byCode[f.Code] = append(d.byCode[f.Code], f)
		}
		also, ok := d.recordable("SAT411", step)
		var codes []string
		for _, f := range also {
			codes = append(codes, f.Code)
		}
		if ok != tt.ok || !slices.Equal(codes, tt.want) {
			t.Errorf("%s: %v %v, want %v %v", tt.name, codes, ok, tt.want, tt.ok)
		}
	}
}
