package bench

import (
	"strings"
	"testing"
)

func TestAdvice(t *testing.T) {
	bf16, fp32 := h200().roofOf("torch", "bf16"), h200().roofOf("torch", "fp32")
	short := Case{"torch", "bf16", Shape{Batch: 8, Seq: 512, DModel: 4096, Heads: 32}}
	full := Case{"torch", "fp32", Shape{Batch: 8, Seq: 1024, DModel: 2048, Heads: 16}}
	for _, test := range []struct {
		name          string
		of            MeasuredCase
		change        func(*MeasuredCase)
		bottleneck    string
		finds, advise []string
		never         string
	}{
		{
			"scores in memory, no level measured", attention(large, bf16, 1.3), nil, "softmax",
			[]string{"Softmax", "memory-bound: 1.25 FLOP/byte where compute needs 175", "77% of the copy bandwidth"},
			[]string{"Fused attention would keep the scores in fast memory"},
			"autocast",
		},
		{
			"projections near their roof", attention(short, bf16, 1.2), nil, "qkv_projection",
			[]string{"compute-bound", "83% of a large matrix product in bf16"},
			nil, "more rows",
		},
		{
			"projections far from their roof", attention(short, bf16, 1), func(m *MeasuredCase) { m.Components[0].Timings = onGPU(0.01, 1e-6) }, "qkv_projection",
			[]string{"compute-bound by its size, but at", "too small or too narrow"},
			[]string{"more rows (a larger batch)"},
			"",
		},
		{
			"a width that fits no tile", attention(Case{"torch", "bf16", Shape{8, 512, 4000, 40}}, bf16, 1), func(m *MeasuredCase) { m.Components[0].Timings = onGPU(0.01, 1e-6) }, "qkv_projection",
			nil,
			[]string{"A width of 4000 does not fit the tiles of matrix products"},
			"more rows",
		},
		{
			"few rows", attention(Case{"torch", "bf16", Shape{1, 16, 4096, 32}}, bf16, 3), func(m *MeasuredCase) {
				for i := range m.Components {
					m.Components[i].Cold.CPU, m.Components[i].Warm.CPU, m.Components[i].Warm.Wall = same(1e-9), same(1e-9), m.Components[i].Warm.Device
				}
			}, "qkv_projection",
			[]string{"memory-bound by its size"},
			[]string{"reads its weights for only 16 rows: a larger batch"},
			"",
		},
		{
			"full precision", attention(full, fp32, 1.1), nil, "qkv_projection",
			[]string{"compute-bound"},
			[]string{"In bf16 the compute roof is 14", "half the bytes move"},
			"",
		},
		{
			"launches", attention(Case{"torch", "bf16", Shape{1, 32, 64, 2}}, bf16, 10), nil, "host",
			[]string{"the CPU: it needs 25.0 µs to launch what NVIDIA H200 computes in"},
			[]string{`torch.compile(mode="reduce-overhead")`},
			"",
		},
		{
			"a compiler that finds the fused call", attention(large, bf16, 1.3), func(m *MeasuredCase) {
				m.Levels = []MeasuredLevel{
					{Level: 0, Timings: onGPU(0.01, 1e-6)}, {Level: 1, Timings: onGPU(0.00099, 1e-6)}, {Level: 2, Timings: onGPU(0.001, 1e-6)},
				}
			}, "softmax", nil,
			[]string{"Use `torch.nn.functional.scaled_dot_product_attention` (level 2): 1.00 ms instead of 10.0 ms"},
			"torch.compile",
		},
		{
			"a fused way that is no faster", attention(short, bf16, 1.2), func(m *MeasuredCase) {
				m.Levels = []MeasuredLevel{
					{Level: 0, Timings: onGPU(0.001, 1e-6), Memory: &Memory{Peak: 2e9}},
					{Level: 2, Timings: onGPU(0.00105, 1e-6), Memory: &Memory{Peak: 1e9}},
				}
			}, "qkv_projection",
			nil,
			[]string{"Fusing saves little at this size: level 2 takes 1.05 ms, level 0 1.00 ms", "memory: 954 MiB instead of 1.86 GiB"},
			"Use `torch",
		},
		{
			"faster than can be", attention(short, bf16, 0.4), nil, "qkv_projection",
			[]string{"compute-bound, at 250% of the largest matrix product: that one was disturbed"},
			[]string{"cannot be faster than its roof"},
			"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.change != nil {
				test.change(&test.of)
			}
			m := h200(test.of)
			m.Contended = true // which says nothing about what a GPU did
			if test.of.DType == "fp32" {
				m.Cases = append(m.Cases, attention(large, bf16, 1.2)) // whose roof is known then
			}
			c := Judge(m).Results[0]
			if c.Bottleneck != test.bottleneck {
				t.Errorf("the bottleneck is %s, want %s", c.Bottleneck, test.bottleneck)
			}
			for _, word := range test.finds {
				if !strings.Contains(c.Finding, word) {
					t.Errorf("no %q in %q", word, c.Finding)
				}
			}
			for _, word := range test.advise {
				if !strings.Contains(c.Recommendation, word) {
					t.Errorf("no %q in %q", word, c.Recommendation)
				}
			}
			if test.never != "" && strings.Contains(c.Recommendation, test.never) {
				t.Errorf("%q in %q", test.never, c.Recommendation)
			}
			if c.Recommendation == "" || strings.Contains(c.Finding+c.Recommendation, "NaN") {
				t.Errorf("%q, %q", c.Finding, c.Recommendation)
			}
		})
	}
}

func TestAdviceOnABusyProcessor(t *testing.T) {
	c := MeasuredCase{Case: Case{"go", "fp32", Shape{1, 1024, 512, 8}}}
	for _, part := range Components {
		c.Components = append(c.Components, MeasuredComponent{Name: part.Name, Timings: onCPU(0.1)})
	}
	quiet := Measured{
		Machines: []Machine{{Framework: "go", Name: "CPU", Backend: "cpu"}}, Cases: []MeasuredCase{c},
		Ceilings: []MeasuredCeiling{{Framework: "go", What: "gemm", DType: "fp32", Amount: 1e9, Seconds: same(0.01)}, {Framework: "go", What: "copy", Amount: 1e9, Seconds: same(0.1)}},
	}
	full, taken := quiet, quiet
	full.Contended, full.OtherCores = true, 1.4
	taken.Stolen = 0.25
	for note, m := range map[string]Measured{"other programs kept 1.4 cores busy": full, "the host took 25% of this virtual machine": taken} {
		r := Judge(m)
		if !strings.Contains(r.Results[0].Finding, "other programs used the CPU") || strings.Contains(r.Results[0].Recommendation, "more rows") {
			t.Errorf("%q, %q", r.Results[0].Finding, r.Results[0].Recommendation)
		}
		if !r.Valid || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], note) {
			t.Errorf("%+v", r)
		}
	}
	if r := Judge(quiet); len(r.Notes) != 0 {
		t.Errorf("%q", r.Notes)
	}
}
