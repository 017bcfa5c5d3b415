package view

import (
	"bytes"
	"strings"
	"testing"

	"saturate/internal/bench"
	"saturate/internal/device"
	"saturate/internal/report"
	"saturate/internal/report/reporttest"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// onMachine is an attention lab on a made-up machine: torch in two types and JAX in one, at two lengths.
func onMachine(name string, faster float64) bench.Measured {
	around := func(seconds float64) []float64 {
		var out []float64
		for _, share := range []float64{0.97, 0.98, 0.99, 1, 1.01, 1.02, 1.03} {
			out = append(out, seconds*share/faster)
		}
		return out
	}
	timings := func(seconds float64) bench.Timings {
		return bench.Timings{
			Cold: &bench.Timing{Device: around(seconds), Wall: around(seconds + 2e-5), CPU: around(1e-5)},
			Warm: &bench.Timing{Device: around(0.9 * seconds), Wall: around(seconds), CPU: around(1e-5)},
		}
	}
	m := bench.Measured{Plan: bench.Plan{Task: bench.Attention}, Skipped: []bench.Skip{{Framework: "go", Why: "not asked"}}}
	worst, occupied := stat.Number(0.0019), 0.87
	for _, framework := range []string{"torch", "jax"} {
		m.Machines = append(m.Machines, bench.Machine{
			Framework: framework, Version: "2.11", Name: name, Backend: "cuda", Units: 132, Threads: 16, MemoryBytes: 150e9, Peak: device.PeakOf(name, 132),
			Before: &bench.Health{Samples: 9, ClockMHz: []float64{1900, 1980, 1980}, Celsius: []float64{34, 50, 60}, Watts: []float64{100, 600, 700}, Reasons: []string{"sw_power_cap"}},
		})
		m.Ceilings = append(m.Ceilings,
			bench.MeasuredCeiling{Framework: framework, What: "gemm", DType: "bf16", Amount: 7e12, Size: "8192×8192×8192", Seconds: around(0.01)},
			bench.MeasuredCeiling{Framework: framework, What: "gemm", DType: "fp32", Amount: 5e11, Size: "8192×8192×8192", Seconds: around(0.01)},
			bench.MeasuredCeiling{Framework: framework, What: "copy", Amount: 4e9, Size: "2.00 GB", Seconds: around(0.001)})
		for _, dtype := range []string{"bf16", "fp32"} {
			if framework == "jax" && dtype == "fp32" {
				continue
			}
			for _, seq := range []int{1024, 2048} {
				n := float64(seq) / 1024
				c := bench.MeasuredCase{Case: bench.Case{Framework: framework, DType: dtype, Shape: bench.Shape{Batch: 8, Seq: seq, DModel: 512, Heads: 8}}}
				for i, part := range bench.Components {
					c.Components = append(c.Components, bench.MeasuredComponent{Name: part.Name, Timings: timings([]float64{4e-5, 1.2e-4, 1.5e-4, 1.3e-4, 2e-5}[i] * n * n), Occupancy: &occupied})
				}
				c.Levels = []bench.MeasuredLevel{
					{Level: 0, Name: "baseline", Backend: "eager", Timings: timings(4e-4 * n * n), Memory: &bench.Memory{Peak: int64(3e8 * n * n), Current: 3e7, Cached: 4e8, Extra: 2e8, Held: -1}, MaxError: &worst},
					{Level: 1, Name: "compiled", Backend: "compiled", Timings: timings(3e-4 * n * n), Memory: &bench.Memory{Peak: int64(2e8 * n * n), Current: 3e7, Cached: 4e8}, MaxError: &worst},
					{Level: 2, Name: "fused", Backend: "flash", Timings: timings(1e-4 * n * n), Memory: &bench.Memory{Peak: int64(4e7 * n), Current: 3e7, Cached: -1}, MaxError: &worst},
					{Level: 3, Name: "flash attention", Skipped: "no kernel for this."},
				}
				m.Cases = append(m.Cases, c)
			}
		}
	}
	return m
}

func TestOfBench(t *testing.T) {
	r := OfBench(bench.Judge(onMachine("NVIDIA H200", 1)))
	for _, format := range report.Formats() {
		var b bytes.Buffer
		if err := report.Render(&b, r, format, report.Options{Details: true, Width: 140}); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		switch format {
		case "text":
			reporttest.Golden(t, "bench.txt", b.Bytes())
		case "html":
			if n := strings.Count(b.String(), "<svg"); n < 8 { // time and memory, three roofs, each wide and narrow
				t.Errorf("%d pictures", n)
			}
			for _, want := range []string{"Roofline of torch in bf16", "measured roof", "vendor roof (dashed)", "Time against length"} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("no %q in the page", want)
				}
			}
		}
	}
	if r.Outcome == report.Undecided {
		t.Error("a valid result is undecided")
	}
}

func TestInvalidBench(t *testing.T) {
	m := onMachine("NVIDIA H200", 1)
	m.Machines[0].After = &bench.Health{Throttled: true, Reasons: []string{"hw_thermal_slowdown"}}
	r := OfBench(bench.Judge(m))
	if r.Outcome != report.Undecided || r.Tone != report.Bad || !strings.HasPrefix(r.Summary[0], "INVALID: NVIDIA H200 throttled during torch (hw_thermal_slowdown)") {
		t.Errorf("%v %q", r.Outcome, r.Summary)
	}
}

func benchRun(t *testing.T, id string, m bench.Measured) (run.Run, bench.Result) {
	t.Helper()
	return run.Run{ID: id, Name: "bench-attention", State: run.Complete, Series: m.Series()}, bench.Judge(m)
}

func TestOfBenches(t *testing.T) {
	a, slow := benchRun(t, "aaaaaaaa-1", onMachine("Tesla T4", 0.1))
	b, fast := benchRun(t, "bbbbbbbb-2", onMachine("NVIDIA H200", 1))
	c, again := benchRun(t, "cccccccc-3", onMachine("NVIDIA H200", 1.1))
	r := OfBenches([]run.Run{a, b, c}, []bench.Result{slow, fast, again})
	var text bytes.Buffer
	if err := report.Render(&text, r, "text", report.Options{Width: 140}); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "benches.txt", text.Bytes())
	if want := "`H200 cccccccc` is the fastest at jax bf16 8×2048×512, 8 heads"; !strings.HasPrefix(r.Summary[0], want) {
		t.Errorf("%q does not begin with %q", r.Summary[0], want)
	}
}

func TestCompareSeries(t *testing.T) {
	before, _ := benchRun(t, "aaaaaaaa-1", onMachine("NVIDIA H200", 1))
	after, _ := benchRun(t, "bbbbbbbb-2", onMachine("NVIDIA H200", 2))
	for _, test := range []struct {
		name    string
		a, b    run.Run
		outcome report.Outcome
		says    string
	}{
		{"faster", before, after, report.Done, "got better (most"},
		{"slower", after, before, report.Found, "got worse (most"},
		{"the same", before, before, report.Undecided, "No difference found in"},
	} {
		r, ok := CompareSeries(test.a, test.b)
		if !ok || r.Outcome != test.outcome || !strings.Contains(r.Summary[0], test.says) {
			t.Errorf("%s: %t, %v, %q", test.name, ok, r.Outcome, r.Summary)
		}
		if strings.Contains(r.Summary[0], "better") == strings.Contains(r.Summary[0], "worse") && test.outcome != report.Undecided {
			t.Errorf("%s: %q", test.name, r.Summary[0])
		}
	}
	if _, ok := CompareSeries(before, run.Run{Steps: []run.Step{{Index: 1, Seconds: 1}}}); ok {
		t.Error("a run with steps is compared by its series")
	}
	if _, ok := CompareSeries(run.Run{}, run.Run{}); ok {
		t.Error("nothing is compared with nothing")
	}
}

func TestLayersAndRates(t *testing.T) {
	seven := []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06}
	layer := bench.MeasuredLayer{
		Case: bench.Case{Framework: "torch", DType: "fp32", Shape: bench.Shape{Batch: 8, Seq: 448, DModel: 512, Heads: 8}}, Layer: "whisper-decoder", MemorySeq: 1500, FFN: 2048, Depth: 2,
		Pass: "forward_backward", Timings: bench.Timings{Warm: &bench.Timing{Wall: seven}}, Memory: &bench.Memory{Peak: 4e9, Held: 2e9},
	}
	again := layer
	again.Checkpoint, again.Memory = true, &bench.Memory{Peak: 3e9, Held: 2e7}
	m := bench.Measured{
		Plan: bench.Plan{Task: bench.Layer}, Layers: []bench.MeasuredLayer{layer, again},
		Rates: []bench.MeasuredRate{
			{Framework: "go", Name: "2 workers", Workers: 2, Seconds: seven, Items: []float64{320, 320, 320, 320, 320, 320, 320}},
			{Framework: "torch", Name: "2 workers", Workers: 2, Skipped: "not installed"},
		},
	}
	var text bytes.Buffer
	if err := report.Render(&text, OfBench(bench.Judge(m)), "text", report.Options{Width: 140}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"torch: a whisper-decoder layer takes 1.03 s forward and backward in fp32; with checkpointing 1.03 s.",
		"whisper-decoder, batch 8, sequence 448, width 512, 8 heads, MLP 2048, over 1500 encoder states, 2 layers",
		"forward and backward  torch      fp32       yes", "19.1 MiB", "skipped: not installed", "go with 2 workers is the fastest: 311 samples per second",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
