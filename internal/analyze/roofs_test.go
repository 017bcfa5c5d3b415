package analyze

import (
	"math"
	"strings"
	"testing"

	"saturate/internal/whatif"
)

// Roofs that are measured as on the H200 change nothing; a slower GPU gains less from bfloat16, and roofs of another
// GPU are refused.
func TestMeasuredRoofs(t *testing.T) {
	step := func(r *Roofs) float64 {
		t.Helper()
		opt := All
		opt.Untraced, opt.Roofs = &whatif.Untraced{StepNS: 1.16e9, DataNS: -1}, r
		var err error
		if opt.Ask, err = whatif.Ask("loader=free,precision=bf16"); err != nil {
			t.Fatal(err)
		}
		return float64(analysed(t, "starved", opt).WhatIf[0].StepNS)
	}
	table := step(nil)
	same := step(&Roofs{GPU: "NVIDIA H200", FP32: 51.3, BF16: 788, GBps: 4207})
	slow := step(&Roofs{GPU: "NVIDIA H200", FP32: 51.3, BF16: 200, GBps: 4207})
	if math.Abs(same/table-1) > 0.01 || slow < 1.05*table {
		t.Errorf("%.0f by the table, %.0f measured, %.0f on a slower one", table, same, slow)
	}
	opt := All
	opt.Roofs = &Roofs{GPU: "NVIDIA A100", BF16: 250, From: "run 1234"}
	if _, err := newView(load(t, "starved"), opt); err == nil || !strings.Contains(err.Error(), "the roofs of run 1234 were measured on NVIDIA A100, and the trace is from NVIDIA H200") {
		t.Error(err)
	}
}
