package bench

import (
	"math"
	"strings"
	"testing"

	"saturate/internal/stat"
)

var large = Case{"torch", "bf16", Shape{Batch: 8, Seq: 4096, DModel: 2048, Heads: 16}}

func TestRoofs(t *testing.T) {
	m := h200()
	roof := m.roofOf("torch", "bf16")
	near(t, "compute", roof.FLOPS, 7e14, 1e-9) // the best call of the best size
	near(t, "bandwidth", roof.Bandwidth, 4e12, 1e-9)
	near(t, "ridge", roof.Ridge(), 175, 1e-9)
	near(t, "the maker's compute", roof.TableFLOPS, 989.4e12, 1e-9)
	near(t, "the maker's bandwidth", roof.TableBandwidth, 4.8e12, 1e-9)
	if roof.FLOPSBy != "large" || roof.FromTable {
		t.Errorf("%+v", roof)
	}
	m.Ceilings = nil
	if roof := m.roofOf("torch", "bf16"); !roof.FromTable || roof.FLOPS != roof.TableFLOPS {
		t.Errorf("nothing measured: %+v", roof)
	}
	m.Machines[0].Peak = nil
	if roof := m.roofOf("torch", "bf16"); roof.known() || roof.Ridge() != 0 {
		t.Errorf("nothing known: %+v", roof)
	}
}

// While the large product ran, other programs had the processor; a part that was faster shows what it can do.
func TestDisturbedCeilings(t *testing.T) {
	c := MeasuredCase{Case: Case{"go", "fp32", Shape{1, 1024, 512, 8}}, Components: []MeasuredComponent{
		{Name: "qkv_projection", Timings: onCPU(0.01)}, {Name: "softmax", Timings: onCPU(1e-9)},
	}}
	m := Measured{
		Machines: []Machine{{Framework: "go", Name: "CPU", Backend: "cpu"}}, Cases: []MeasuredCase{c},
		Ceilings: []MeasuredCeiling{{Framework: "go", What: "gemm", DType: "fp32", Amount: 1e9, Seconds: same(0.1)}, {Framework: "go", What: "copy", Amount: 1e9, Seconds: same(0.1)}},
	}
	roof := m.roofOf("go", "fp32")
	near(t, "the roof", roof.FLOPS, 6*1024*512*512/0.01, 1e-9)
	if roof.FLOPSBy != "QKV projection at batch 1, sequence 1024, width 512" || !roof.Raised {
		t.Error(roof.FLOPSBy)
	}
	m.Machines[0].Backend = "cuda"
	near(t, "the roof of a GPU", m.roofOf("go", "fp32").FLOPS, 1e10, 1e-9)
}

func TestPartsAgainstTheirRoofs(t *testing.T) {
	roof := h200().roofOf("torch", "bf16")
	r := Judge(h200(attention(large, roof, 1.25)))
	if !r.Valid || len(r.Results) != 1 || r.Device != "NVIDIA H200" {
		t.Fatalf("%+v", r)
	}
	c := r.Results[0]
	share := 0.0
	bounds := map[string]Bound{"qkv_projection": computeBound, "scores": memoryBound, "softmax": memoryBound, "weighted_sum": memoryBound, "output_projection": computeBound}
	for _, p := range c.Components {
		share += p.Share
		if p.Bound != bounds[p.Name] {
			t.Errorf("%s is %s-bound, want %s", p.Name, p.Bound, bounds[p.Name])
		}
		near(t, p.Name+": of its roof", p.RoofRatio, 0.8, 1e-9)
		near(t, p.Name+": the larger of both ratios", max(p.BandwidthRatio, p.ComputeRatio), p.RoofRatio, 1e-9)
		if p.TableRatio <= 0 || p.TableRatio >= p.RoofRatio || p.HostBound || p.AboveRoof || p.GPUMS == nil || p.WarmMS == nil || p.N != 6 {
			t.Errorf("%+v", p)
		}
	}
	near(t, "all shares", share, 1, 1e-9)
	if c.Bottleneck != "softmax" && c.Bottleneck != "scores" {
		t.Errorf("the bottleneck is %s: %s", c.Bottleneck, c.Finding)
	}
}

func TestImpossibleAndMissingParts(t *testing.T) {
	roof := h200().roofOf("torch", "bf16")
	m := attention(large, roof, 0.5)
	m.Components[2] = MeasuredComponent{Name: "softmax", Skipped: "no room"}
	m.Components[3] = MeasuredComponent{Name: "weighted_sum"}
	m.Components[4].Timings = onGPU(0, 0)
	c := Judge(h200(m)).Results[0]
	if p := c.Components[0]; !p.AboveRoof || math.Abs(p.RoofRatio-2) > 1e-9 {
		t.Errorf("twice its roof: %+v", p)
	}
	if p := c.Components[2]; p.N != 0 || p.Skipped != "no room" || p.Share != 0 || p.TimeMS.Finite() {
		t.Errorf("skipped: %+v", p)
	}
	if p := c.Components[3]; p.Skipped != "not measured" {
		t.Errorf("missing: %+v", p)
	}
	if p := c.Components[4]; p.RoofRatio != 0 {
		t.Errorf("no time at all: %+v", p)
	}
}

func TestLevels(t *testing.T) {
	roof := h200().roofOf("torch", "bf16")
	m := attention(large, roof, 1.25)
	worst := stat.Number(0.002)
	m.Levels = []MeasuredLevel{
		{Level: 0, Name: "baseline", Backend: "eager", Timings: onGPU(0.02, 1e-5), Memory: &Memory{Peak: 9e9, Current: 1e9, Cached: 10e9}},
		{Level: 1, Name: "torch.compile", Skipped: "no compiler"},
		{Level: 3, Name: "flash attention", Backend: "flash", Timings: onGPU(0.004, 1e-5), Memory: &Memory{Peak: 1e9}, MaxError: &worst},
	}
	c := Judge(h200(m)).Results[0]
	near(t, "speed-up", float64(c.Levels[2].Speedup), 5, 1e-9)
	if c.Levels[1].N != 0 || c.Levels[1].Skipped != "no compiler" || c.Levels[0].PeakBytes != 9e9 || c.Memory == nil {
		t.Errorf("%+v", c.Levels)
	}
	m.Levels = m.Levels[2:]
	if alone := Judge(h200(m)).Results[0]; alone.Levels[0].Speedup.Finite() || alone.Memory != nil {
		t.Errorf("without level 0 there is nothing to be faster than: %+v", alone.Levels)
	}
	for _, word := range []string{"flash backend", "level 3, flash", "4.00 ms instead of 20.0 ms", "5.00× faster", "954 MiB of memory instead of 8.38 GiB", "2.0e-03"} {
		if !strings.Contains(c.Recommendation, word) {
			t.Errorf("no %q in %q", word, c.Recommendation)
		}
	}
}

func TestTroubledGPUsMakeResultsInvalid(t *testing.T) {
	for _, test := range []struct {
		health Health
		says   string
	}{
		{Health{Reasons: []string{"sw_power_cap"}}, ""}, // how large GPUs run under full load
		{Health{Throttled: true, Reasons: []string{"hw_thermal_slowdown"}}, "NVIDIA H200 throttled during torch (hw_thermal_slowdown)"},
		{Health{Others: []string{"python, process 4711"}}, "NVIDIA H200 was shared during torch (python, process 4711)"},
	} {
		m := h200()
		m.Machines[0].After = &test.health
		r := Judge(m)
		if said := strings.Join(r.Problems, ";"); said != test.says || r.Valid != (test.says == "") {
			t.Errorf("%+v: valid %t, %q", test.health, r.Valid, said)
		}
	}
}

// A Result has to be encodable whatever was measured.
func TestJudgeOfNothing(t *testing.T) {
	for _, m := range []Measured{
		{},
		{Cases: []MeasuredCase{{}}},
		{Cases: []MeasuredCase{{Case: Case{"torch", "int4", Shape{}}, Components: []MeasuredComponent{{Name: "unknown", Timings: onCPU(1)}}, Levels: []MeasuredLevel{{}}}}},
		{Layers: []MeasuredLayer{{}}, Rates: []MeasuredRate{{Items: []float64{1, 2}, Seconds: []float64{0}}}},
	} {
		if r := Judge(m); r.Results == nil || r.Skipped == nil {
			t.Errorf("%+v", r)
		}
	}
}
