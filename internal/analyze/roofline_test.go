package analyze

import (
	"math"
	"strings"
	"testing"

	"saturate/internal/device"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

func TestEffort(t *testing.T) {
	tests := []struct {
		op   string
		dims [][]int64
		want effort
	}{
		{"aten::mm", [][]int64{{8, 4}, {4, 2}}, effort{2 * 8 * 4 * 2, 32 + 8 + 16}},
		{"aten::addmm", [][]int64{{2}, {8, 4}, {4, 2}, {}, {}}, effort{128, 56}},
		{"aten::bmm", [][]int64{{3, 8, 4}, {3, 4, 2}}, effort{3 * 128, 3 * 56}},
		{"aten::mm", [][]int64{{8, 4}, {5, 2}}, effort{}}, // shapes that do not fit
		{"aten::mm", [][]int64{{8, 4}}, effort{}},
		// batch 2, length 5 against 7, 3 heads of 4: two products, and query, key, value and output once each
		{"aten::_flash_attention_forward", [][]int64{{2, 5, 3, 4}, {2, 7, 3, 4}, {2, 7, 3, 4}}, effort{4 * 120 * 7, 2 * (120 + 168)}},
	}
	for _, tt := range tests {
		if got := effortOf[tt.op](&trace.Inputs{Dims: tt.dims}); got != tt.want {
			t.Errorf("%s%v: %+v, want %+v", tt.op, tt.dims, got, tt.want)
		}
	}
}

func TestRoofs(t *testing.T) {
	peak := &device.Peak{FP32: 67, TF32: 495, BF16: 989, FP16: 989, GBps: 4800}
	for _, tt := range []struct {
		types []string
		units TensorCores
		rate  float64
		bytes float64
	}{
		{[]string{"c10::BFloat16", "c10::BFloat16"}, OnTensorCores, 989, 2},
		{[]string{"", "float"}, OnTensorCores, 495, 4},
		{[]string{"float"}, NoTensorCores, 67, 4},
		{[]string{"double"}, NoTensorCores, 0, 0},
	} {
		if rate, bytes := rateOf(peak, tt.types, tt.units); rate != tt.rate || bytes != tt.bytes {
			t.Errorf("%v: %g TFLOP/s of %g bytes, want %g of %g", tt.types, rate, bytes, tt.rate, tt.bytes)
		}
	}
	// 8192³ in bf16: 1.1 TFLOP at 989 TFLOP/s is 1.11 ms, 403 MB at 4.8 TB/s is 0.08 ms
	e := product([][]int64{{8192, 8192}, {8192, 8192}}, 0, 1)
	r := roof{compute: e.flop / 989 / 1000, memory: e.elements * 2 / 4800}
	if r.bound() != ComputeBound || math.Abs(r.ns()-1.1117e6) > 1e3 {
		t.Errorf("%s, %g ns", r.bound(), r.ns())
	}
	if (roof{compute: 1, memory: 2}).bound() != MemoryBound {
		t.Error("the longer time is the bound")
	}
}

// The kernel that adds up a product computed in parts multiplies nothing: with the product's
// arithmetic it would be faster than the GPU can be.
func TestTensorCores(t *testing.T) {
	for name, want := range map[string]TensorCores{
		"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_ffma_execute_kernel__5x_cublas":         NoTensorCores,
		"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_ffma_execute_split_k_kernel__5x_cublas": NotMultiplying,
		"void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16>(cublasGemmSplitKParams)":       NotMultiplying,
		"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64":                                    OnTensorCores,
	} {
		if got := tensorCores(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A convolution of 10 samples, 64 to 64 channels, 3 × 3, on 56 × 56: 2.31 GFLOP, as TraceLens counts.
func TestConvolution(t *testing.T) {
	dims := [][]int64{{10, 64, 56, 56}, {64, 64, 3, 3}, {}, {}, {}, {}, {}, {}, {}}
	forward := func(settings ...string) float64 {
		return effortOf["aten::convolution"](&trace.Inputs{Dims: dims, Values: append([]string{"", "", ""}, settings...)}).flop
	}
	if got := forward("[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"); got != 2.31211008e9 {
		t.Error(got)
	}
	if got := forward("[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"); got != 2.31211008e9/4 {
		t.Error(got)
	}
	for _, settings := range [][]string{{}, {"", "", "", "", "", ""}, {"[0]", "[1]", "[1]", "False", "[0]", "1"}} {
		if got := forward(settings...); got != 0 {
			t.Error(settings, got)
		}
	}
	back := &trace.Inputs{Dims: append([][]int64{{10, 64, 56, 56}}, dims...), Values: []string{"", "", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"}}
	if got := effortOf["aten::convolution_backward"](back).flop; got != 2*2.31211008e9 {
		t.Error(got)
	}
	back.Values[10] = "[False, True, False]"
	if got := effortOf["aten::convolution_backward"](back).flop; got != 2.31211008e9 {
		t.Error(got)
	}
}

// A convolution in float32 may transform its input, multiply and transform back. In another precision all of that goes: each
// kernel takes its part of the time that the arithmetic needs.
func TestFasterParts(t *testing.T) {
	in := trace.Inputs{
		Dims:   [][]int64{{64, 256, 64, 64}, {256, 256, 3, 3}},
		Types:  []string{"float", "float"},
		Values: []string{"", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"},
	}
	m := newMaker().op("aten::convolution", 0, 100)
	m.batch.SetInputs(m.lexicon.Inputs(in))
	m.op("aten::cudnn_convolution", 5, 90)
	for i, name := range []string{"void fft2d_r2c_32x32<float>", "sm80_xmma_gemm_cf32cf32_f32f32_cf32_nt_n_ffma", "void fft2d_c2r_32x32<float>"} {
		m.kernel(name, 10+float64(10*i), 20+1000*float64(i), 1000)
	}
	m.op("aten::silu", 110, 20).kernel("void silu", 115, 3020, 500)
	v, err := newView(m.trace(), All)
	if err != nil {
		t.Fatal(err)
	}
	v.roofs = &device.Peak{FP32: 67, TF32: 494, BF16: 989, GBps: 4800}
	p := precisions{v, v.products()}
	for _, to := range []whatif.Precision{whatif.TF32, whatif.BF16} {
		var sum float64
		for id := range v.t.OfKind(trace.Kernel) {
			got, ok := p.faster(id, to)
			if ok == strings.Contains(v.t.Name(id), "silu") {
				t.Errorf("%s in %v: %v", v.t.Name(id), to, ok)
			}
			sum += got.Mid
		}
		rate := v.roofs.TF32
		if to == whatif.BF16 {
			rate = v.roofs.BF16
		}
		want := 2.0 * 64 * 64 * 64 * 256 * 256 * 9 / (rate * reached.Mid) / 1000
		if math.Abs(sum-want) > 0.01*want {
			t.Errorf("in %v all take %.0f ns, want %.0f", to, sum, want)
		}
	}
}
