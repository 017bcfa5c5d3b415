package analyze

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// predictedFor asks one question about a real trace.
func predictedFor(t *testing.T, name, question string, untraced float64) whatif.Prediction {
	t.Helper()
	opt := All
	var err error
	if opt.Ask, err = whatif.Ask(question); err != nil {
		t.Fatal(err)
	}
	if untraced > 0 {
		opt.Untraced = &whatif.Untraced{StepNS: untraced, DataNS: -1}
	}
	a := analysed(t, name, opt)
	if len(a.WhatIf) == 0 || !a.WhatIf[0].Asked {
		t.Fatalf("%s: %+v", question, a.WhatIf)
	}
	return a.WhatIf[0]
}

// What was measured without a profiler after the repair stands in testdata/traces/README.md.
func TestPredictionsOfRealTraces(t *testing.T) {
	for _, tt := range []struct {
		trace, question string
		untraced, truth float64 // ms
		within          float64
	}{
		{"starved", "loader=free", 0, 152, 0.10},
		{"starved", "loader=free", 1160, 152, 0.06},
		{"starved", "loader=8", 1160, 154, 0.06},
		{"starved", "loader=free,precision=bf16,optimizer=fused,sync=none,copies=pinned", 1160, 45, 0.10},
	} {
		p := predictedFor(t, tt.trace, tt.question, tt.untraced*1e6)
		if off := float64(p.StepNS)/1e6/tt.truth - 1; !p.Known() || math.Abs(off) > tt.within {
			t.Errorf("%s, %s: predicted %.1f ms, measured %g ms", tt.trace, tt.question, float64(p.StepNS)/1e6, tt.truth)
		}
		if truth := int64(tt.truth * 1e6); p.Calibrated && (p.IntervalNS[0] > truth || p.IntervalNS[1] < truth) {
			t.Errorf("%s, %s: measured %g ms is not in %v", tt.trace, tt.question, tt.truth, p.IntervalNS)
		}
	}
}

// A figure that depends on how fast the host is without the profiler is not given unless that is known.
func TestBoundsWhereTheHostDecides(t *testing.T) {
	p := predictedFor(t, "fixed", "loader=free", 0)
	if p.Known() || p.SavesNS != 0 || p.Note == "" || p.Calibrated {
		t.Errorf("%+v", p)
	}
	if low, high := p.IntervalNS[0], p.IntervalNS[1]; low > 45e6 || high < 45e6 {
		t.Errorf("the unrecorded step of 45 ms is not between %d and %d", low, high)
	}
	if p := predictedFor(t, "fixed", "loader=free", 45e6); !p.Known() || !p.Calibrated || math.Abs(float64(p.StepNS)/45e6-1) > 0.03 {
		t.Errorf("calibrated: %+v", p)
	}
}

// Repairs together are as good as each alone, and the best set comes first.
func TestBestSetComesFirst(t *testing.T) {
	opt := All
	opt.Untraced = &whatif.Untraced{StepNS: 1.16e9, DataNS: -1}
	list := analysed(t, "starved", opt).WhatIf
	if len(list) < 3 || len(list[0].Repairs) < 2 {
		t.Fatalf("%+v", list)
	}
	for i, p := range list[1:] {
		if p.StepNS < list[0].StepNS {
			t.Errorf("%v alone (%d ns) is better than the set (%d ns)", p.Repairs, p.StepNS, list[0].StepNS)
		}
		if i > 0 && p.StepNS < list[i].StepNS {
			t.Errorf("%v (%d ns) comes after %v (%d ns)", p.Repairs, p.StepNS, list[i].Repairs, list[i].StepNS)
		}
	}
}

// waitingRank makes three steps like rank, in which the host waits for the all-reduce.
func waitingRank(number int, compute float64) *trace.Trace {
	m := newMaker()
	m.meta.Rank, m.meta.World, m.meta.Path = number, 3, fmt.Sprintf("rank%d.json", number)
	for i := range 3 {
		at := float64(i) * 1000
		m.step(fmt.Sprint(i), at, 1000).op("aten::mm", at+10, 60).kernel("gemm", at+20, at+30, compute)
		m.op("nccl:all_reduce", at+80, 40).call("cudaLaunchKernel", at+90, 5).work(trace.Kernel, "ncclDevKernel_AllReduce_Sum_f32", at+31+compute, 869-compute)
		m.call("cudaDeviceSynchronize", at+130, 775)
	}
	return m.trace()
}

// Without the slow rank, the others set the pace: 400 µs earlier on rank 2, which computes 300 µs instead of 700.
func TestWithoutStraggler(t *testing.T) {
	a, err := Everything(context.Background(), []*trace.Trace{waitingRank(0, 200), waitingRank(1, 700), waitingRank(2, 300)}, All)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(a.WhatIf, func(p whatif.Prediction) bool { return slices.Equal(p.Repairs, []string{"straggler=none"}) })
	if i < 0 {
		t.Fatalf("%+v", a.WhatIf)
	}
	if p := a.WhatIf[i]; !slices.Equal(p.Rules, []string{"TRC125"}) || p.IntervalNS[1] < 590_000 || p.IntervalNS[1] > 610_000 {
		t.Errorf("%+v", p)
	}
}

// Every question of the catalogue can be asked.
func TestQuestionsOfTheCatalogue(t *testing.T) {
	asked := 0
	for _, r := range finding.Rules() {
		for _, q := range r.WhatIf {
			asked++
			if _, err := whatif.Ask(q); err != nil {
				t.Errorf("%s: %v", r.Code, err)
			}
		}
	}
	if asked == 0 {
		t.Error("no rule asks anything")
	}
}
