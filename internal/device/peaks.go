package device

import "strings"

// Peak is the most a GPU can do by its maker's word: dense TFLOP/s, no 2:4 sparsity, tensor
// rates with fp32 accumulation, which is what torch and jax use. A zero means that the device has
// no such unit or that the sources give no single figure. It belongs to one device as programs see it:
// a half of an MI250X.
//
// No program reaches these figures. Compare with what was measured on the device where there is such a figure.
type Peak struct {
	FP32       float64 `json:"fp32_tflops,omitempty"`        // vector units
	FP32Matrix float64 `json:"fp32_matrix_tflops,omitempty"` // AMD's matrix cores in full fp32, where faster
	TF32       float64 `json:"tf32_tflops,omitempty"`        // TFLOP/s in TF32
	BF16       float64 `json:"bf16_tflops,omitempty"`        // TFLOP/s in bfloat16
	FP16       float64 `json:"fp16_tflops,omitempty"`        // TFLOP/s in FP16
	FP8        float64 `json:"fp8_tflops,omitempty"`         // TFLOP/s in FP8
	GBps       float64 `json:"memory_gb_per_s,omitempty"`    // memory bandwidth, GB/s
	Source     string  `json:"source"`                       // where the figures come from
}

type peakRow struct {
	names      []string // as drivers write them, without a leading "NVIDIA "
	units      int      // 0: any; otherwise only with this number of compute units or cores
	capability int      // NVIDIA's compute capability times ten
	peak       Peak
}

const (
	amdSpec    = "AMD specification, one of the two dies"
	appleTable = "published tables, not Apple's; fp16 is disputed: measure it"
)

// peaks. A name that is not here, a MIG slice, a laptop part or a partitioned AMD device has no row, on purpose.
var peaks = []peakRow{
	{[]string{"Tesla V100-SXM2-16GB", "Tesla V100-SXM2-32GB"}, 0, 70, Peak{
		FP32: 15.7, FP16: 125, GBps: 900,
		Source: "NVIDIA V100 datasheet, not re-read; no bf16 tensor cores",
	}},
	{[]string{"Tesla V100-PCIE-16GB", "Tesla V100-PCIE-32GB"}, 0, 70, Peak{
		FP32: 14, FP16: 112, GBps: 900,
		Source: "press reports of the V100 PCIe launch; no bf16 tensor cores",
	}},
	{[]string{"Tesla T4", "T4"}, 0, 75, Peak{
		FP32: 8.1, FP16: 65, GBps: 320,
		Source: "Lightning's table, NVIDIA T4 datasheet, not re-read; no bf16 tensor cores",
	}},
	{[]string{"A100-SXM4-40GB", "A100-SXM-40GB"}, 0, 80, Peak{
		FP32: 19.5, TF32: 156, BF16: 312, FP16: 312, GBps: 1555,
		Source: "NVIDIA A100 datasheet",
	}},
	{[]string{"A100-PCIE-40GB"}, 0, 80, Peak{
		FP32: 19.5, TF32: 156, BF16: 312, FP16: 312, GBps: 1555,
		Source: "secondary pages",
	}},
	{[]string{"A100-SXM4-80GB", "A100-SXM-80GB"}, 0, 80, Peak{
		FP32: 19.5, TF32: 156, BF16: 312, FP16: 312, GBps: 2039,
		Source: "NVIDIA A100 datasheet",
	}},
	{[]string{"A100 80GB PCIe", "A100-PCIE-80GB"}, 0, 80, Peak{
		FP32: 19.5, TF32: 156, BF16: 312, FP16: 312, GBps: 1935,
		Source: "NVIDIA A100 datasheet",
	}},
	{[]string{"H100 80GB HBM3"}, 0, 90, Peak{
		FP32: 67, TF32: 494.7, BF16: 989.4, FP16: 989.4, FP8: 1979, GBps: 3350,
		Source: "NVIDIA H100 datasheet, SXM",
	}},
	{[]string{"H100 PCIe"}, 0, 90, Peak{
		FP32: 51.2, TF32: 378, BF16: 756, FP16: 756, FP8: 1513, GBps: 2000,
		Source: "NVIDIA H100 datasheet, PCIe",
	}},
	{[]string{"H100 NVL"}, 0, 90, Peak{
		FP32: 60, TF32: 417.5, BF16: 835.5, FP16: 835.5, FP8: 1670, GBps: 3900,
		Source: "NVIDIA H100 datasheet, NVL, partly not re-read",
	}},
	{[]string{"H200"}, 0, 90, Peak{
		FP32: 67, TF32: 494.7, BF16: 989.4, FP16: 989.4, FP8: 1979, GBps: 4800,
		Source: "NVIDIA H200 datasheet, SXM",
	}},
	{[]string{"H200 NVL"}, 0, 90, Peak{
		FP32: 60, TF32: 420, BF16: 840, FP16: 840, FP8: 1680, GBps: 4800,
		Source: "NVIDIA H200 datasheet, NVL",
	}},
	{[]string{"L4"}, 0, 89, Peak{
		FP32: 30.3, TF32: 60, BF16: 121, FP16: 121, FP8: 242, GBps: 300,
		Source: "NVIDIA L4 datasheet, Lightning's table",
	}},
	{[]string{"L40S"}, 0, 89, Peak{
		FP32: 91.6, TF32: 183, BF16: 362, FP16: 362, FP8: 733, GBps: 864,
		Source: "NVIDIA L40S datasheet",
	}},
	{[]string{"GeForce RTX 3090"}, 0, 86, Peak{
		FP32: 35.6, TF32: 35.6, BF16: 71, FP16: 71, GBps: 936,
		Source: "derived: twice the fp32 rate as on the 3090 Ti; fp16 accumulation gives 142",
	}},
	{[]string{"GeForce RTX 4090"}, 0, 89, Peak{
		FP32: 82.6, TF32: 82.6, BF16: 165.2, FP16: 165.2, FP8: 330.3, GBps: 1008,
		Source: "specification databases; fp16 accumulation gives twice that",
	}},
	{[]string{"GeForce RTX 5090"}, 0, 120, Peak{
		FP32: 104.8, TF32: 104.8, BF16: 209.5, FP16: 209.5, FP8: 419, GBps: 1792,
		Source: "specification databases; tensor rates derived from the chip's ratio",
	}},
	{[]string{"B200"}, 0, 100, Peak{
		BF16: 2250, FP16: 2250, FP8: 4500, GBps: 8000,
		Source: "secondary, HGX at 1000 W; sources disagree on fp32 (75 to 80) and tf32 (1100 to 1125)",
	}},
	{[]string{"GB200"}, 0, 100, Peak{
		TF32: 1250, BF16: 2500, FP16: 2500, FP8: 5000, GBps: 8000,
		Source: "secondary, at 1200 W; sources disagree on fp32 (80 to 90)",
	}},

	{
		[]string{"AMD Instinct MI250X", "AMD Instinct MI250X / MI250", "AMD Instinct MI250X/MI250"},
		110, 0,
		Peak{FP32: 23.95, FP32Matrix: 47.85, BF16: 191.5, FP16: 191.5, GBps: 1638.5, Source: amdSpec},
	},
	{
		[]string{"AMD Instinct MI250", "AMD Instinct MI250X / MI250", "AMD Instinct MI250X/MI250"},
		104, 0,
		Peak{FP32: 22.65, FP32Matrix: 45.25, BF16: 181, FP16: 181, GBps: 1638.5, Source: amdSpec},
	},
	{[]string{"AMD Instinct MI210"}, 104, 0, Peak{
		FP32: 22.65, FP32Matrix: 45.25, BF16: 181, FP16: 181, GBps: 1638.5,
		Source: amdSpec + "; the die and clock of half an MI250",
	}},
	{
		[]string{"AMD Instinct MI300X", "AMD Instinct MI300X OAM", "AMD Instinct MI300X VF"},
		304, 0,
		Peak{
			FP32: 163.4, TF32: 653.7, BF16: 1307.4, FP16: 1307.4, FP8: 2614.9, GBps: 5300,
			Source: "AMD MI300X datasheet; AMD itself measured at most 708 in bf16, 654 in fp16, 1273 in fp8",
		},
	},
	{[]string{"AMD Instinct MI325X", "AMD Instinct MI325X OAM"}, 304, 0, Peak{
		FP32: 163.4, TF32: 653.7, BF16: 1307,
		FP16: 1307, FP8: 2615, GBps: 6000, Source: "AMD MI325X datasheet; AMD itself measured at most 843 in bf16",
	}},
	{[]string{"AMD Instinct MI350X", "AMD Instinct MI350X OAM"}, 256, 0, Peak{
		FP32: 144.2, BF16: 2306.9, FP16: 2306.9,
		FP8: 4613.7, GBps: 8000, Source: "not checked against a datasheet: computed from 2.2 GHz and 1,024 " +
			"matrix cores; no tf32 in hardware",
	}},
	{[]string{"AMD Instinct MI355X", "AMD Instinct MI355X OAM"}, 256, 0, Peak{
		FP32: 157.3, BF16: 2516.6, FP16: 2516.6,
		FP8: 5033.2, GBps: 8000, Source: "AMD states 2.5 PFLOP/s in bf16, 5 in fp8, 157.3 TFLOP/s in fp32; the digits " +
			"follow from its 2.4 GHz and 1,024 matrix cores; no tf32 in hardware",
	}},

	{[]string{"Apple M1"}, 8, 0, Peak{FP32: 2.6, GBps: 68, Source: appleTable}},
	{[]string{"Apple M1 Pro"}, 16, 0, Peak{FP32: 5.2, GBps: 200, Source: appleTable}},
	{[]string{"Apple M1 Max"}, 32, 0, Peak{FP32: 10.4, GBps: 400, Source: appleTable}},
	{[]string{"Apple M1 Ultra"}, 64, 0, Peak{FP32: 20.8, GBps: 800, Source: appleTable}},
	{[]string{"Apple M2"}, 10, 0, Peak{FP32: 3.6, GBps: 100, Source: appleTable}},
	{[]string{"Apple M2 Pro"}, 19, 0, Peak{FP32: 6.8, GBps: 200, Source: appleTable}},
	{[]string{"Apple M2 Max"}, 38, 0, Peak{FP32: 13.5, GBps: 400, Source: appleTable}},
	{[]string{"Apple M2 Ultra"}, 76, 0, Peak{FP32: 27, GBps: 800, Source: appleTable}},
	{[]string{"Apple M3"}, 10, 0, Peak{FP32: 4.1, GBps: 100, Source: appleTable}},
	{[]string{"Apple M3 Pro"}, 18, 0, Peak{GBps: 150, Source: appleTable + "; they disagree on fp32 (6.4 to 7.4)"}},
	{[]string{"Apple M3 Max"}, 40, 0, Peak{FP32: 14.2, GBps: 400, Source: appleTable}},
	{[]string{"Apple M4"}, 10, 0, Peak{
		FP32: 4.6, GBps: 120,
		Source: appleTable + "; one study measured 2.9 in fp32 (arXiv 2502.05317)",
	}},
	{[]string{"Apple M4 Pro"}, 20, 0, Peak{FP32: 9.2, GBps: 273, Source: appleTable}},
	{[]string{"Apple M4 Max"}, 40, 0, Peak{FP32: 18.4, GBps: 546, Source: appleTable}},
}

// PeakOf looks a device up by the name its driver gives and its number of compute units
// (0 when not known). It is nil for what the table does not hold: nothing is guessed from a likeness.
func PeakOf(name string, units int) *Peak {
	row := rowOf(name, units)
	if row == nil {
		return nil
	}
	peak := row.peak
	return &peak
}

func rowOf(name string, units int) *peakRow {
	name = strings.TrimPrefix(strings.Join(strings.Fields(name), " "), "NVIDIA ")
	for i, row := range peaks {
		if row.units != 0 && row.units != units {
			continue
		}
		for _, known := range row.names {
			if strings.EqualFold(known, name) {
				return &peaks[i]
			}
		}
	}
	return nil
}
