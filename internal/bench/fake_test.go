package bench

import (
	"context"

	"saturate/internal/device"
)

// fake is an executor whose times are made up, exactly.
type fake struct {
	framework string
	measured  Measured
	err       error
}

func (f fake) Framework() string { return f.framework }

func (f fake) Measure(context.Context, Plan, func(Event)) (Measured, error) { return f.measured, f.err }

// same is a series of equal times, wide enough for an interval.
func same(seconds float64) []float64 {
	return []float64{seconds, seconds, seconds, seconds, seconds, seconds}
}

func onGPU(device, cpu float64) Timings {
	return Timings{
		Cold: &Timing{Device: same(device), Wall: same(device + cpu), CPU: same(cpu)},
		Warm: &Timing{Device: same(device), Wall: same(device + cpu/2), CPU: same(cpu)},
	}
}

func onCPU(seconds float64) Timings {
	return Timings{Cold: &Timing{Wall: same(seconds), CPU: same(2 * seconds)}}
}

// h200 is a GPU that reaches 700 TFLOP/s in bf16, 50 in fp32, and copies 4 TB/s.
func h200(cases ...MeasuredCase) Measured {
	return Measured{
		Plan: Plan{Task: Attention},
		Machines: []Machine{{
			Framework: "torch", Name: "NVIDIA H200", Backend: "cuda", Units: 132, MemoryBytes: 150e9, Peak: device.PeakOf("NVIDIA H200", 132),
			Before: &Health{Samples: 3, Reasons: []string{"sw_power_cap"}},
		}},
		Ceilings: []MeasuredCeiling{
			{Framework: "torch", What: "gemm", DType: "bf16", Amount: 1.4e12, Size: "small", Seconds: same(4e-3)},
			{Framework: "torch", What: "gemm", DType: "bf16", Amount: 7e12, Size: "large", Seconds: []float64{0.0101, 0.01, 0.0102}},
			{Framework: "torch", What: "gemm", DType: "fp32", Amount: 5e11, Size: "large", Seconds: same(0.01)},
			{Framework: "torch", What: "copy", Amount: 4e9, Size: "2 GB", Seconds: same(0.001)},
		},
		Cases: cases,
	}
}

// attention is a case whose parts take so many times as long as their roofs say.
func attention(c Case, roof Roof, slower float64) MeasuredCase {
	m := MeasuredCase{Case: c}
	for _, part := range Components {
		least, _ := roof.seconds(part.Work(c.Shape, dtypeOf(c.DType).Bytes))
		m.Components = append(m.Components, MeasuredComponent{Name: part.Name, Timings: onGPU(slower*least, 5e-6)})
	}
	return m
}
