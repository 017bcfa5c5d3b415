package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestSetCapability(t *testing.T) {
	tests := []struct {
		name                    string
		major, minor            int
		arch                    string
		tensor, tf32, bf16, fp8 bool
	}{
		{"Tesla P100-PCIE-16GB", 6, 0, "sm_60", false, false, false, false},
		{"Tesla V100-SXM2-16GB", 7, 0, "sm_70", true, false, false, false},
		{"Tesla T4", 7, 5, "sm_75", true, false, false, false},
		{"NVIDIA GeForce RTX 2080 Ti", 7, 5, "sm_75", true, false, false, false},
		{"NVIDIA GeForce GTX 1650", 7, 5, "sm_75", false, false, false, false},
		{"NVIDIA T1000 8GB", 7, 5, "sm_75", false, false, false, false},
		{"Quadro T2000", 7, 5, "sm_75", false, false, false, false},
		{"NVIDIA A100-SXM4-40GB", 8, 0, "sm_80", true, true, true, false},
		{"NVIDIA GeForce RTX 3090", 8, 6, "sm_86", true, true, true, false},
		{"NVIDIA L4", 8, 9, "sm_89", true, true, true, true},
		{"NVIDIA H100 80GB HBM3", 9, 0, "sm_90", true, true, true, true},
		{"NVIDIA GeForce RTX 5090", 12, 0, "sm_120", true, true, true, true},
	}
	for _, test := range tests {
		gpu := GPU{Name: test.name}
		gpu.setCapability(test.major, test.minor)
		if gpu.Arch != test.arch || gpu.TensorCores != test.tensor || gpu.TF32 != test.tf32 || gpu.BF16 != test.bf16 || gpu.FP8 != test.fp8 {
			t.Errorf("%s: %+v", test.name, gpu)
		}
	}
}

func TestGFX(t *testing.T) {
	for version, want := range map[uint64]string{90006: "gfx906", 90010: "gfx90a", 90402: "gfx942", 90500: "gfx950", 100300: "gfx1030", 110501: "gfx1151", 120001: "gfx1201"} {
		if got := gfxName(version); got != want {
			t.Errorf("gfxName(%d) = %s, want %s", version, got, want)
		}
	}
	for arch, want := range map[string]string{
		"gfx906":  "false false false false",
		"gfx90a":  "true false true false",
		"gfx942":  "true true true true",
		"gfx950":  "true false true true",
		"gfx1100": "true false true false",
		"gfx1201": "true false true true",
	} {
		gpu := GPU{Arch: arch}
		gpu.setGFX()
		if got := fmt.Sprint(gpu.TensorCores, gpu.TF32, gpu.BF16, gpu.FP8); got != want {
			t.Errorf("%s: tensor cores, tf32, bf16, fp8 are %s, want %s", arch, got, want)
		}
	}
	if got := busID(1, 0x050b); got != "0001:05:01.3" {
		t.Errorf("bus id %s", got)
	}
}

func TestListLength(t *testing.T) {
	for list, want := range map[string]int{"": 0, "0": 1, "0-3": 4, "0-3,8,10-11": 7, "3-1": 0, "x,2": 1, "0-99999999999": 0, "-": 0} {
		if got := listLength(list); got != want {
			t.Errorf("listLength(%q) = %d, want %d", list, got, want)
		}
	}
}

func TestPeaks(t *testing.T) {
	tests := []struct {
		name  string
		units int
		bf16  float64 // 0: must not be in the table, or has none
		gbps  float64
	}{
		{"NVIDIA H200", 132, 989.4, 4800},
		{"H200", 0, 989.4, 4800},
		{"NVIDIA H200 NVL", 132, 840, 4800},
		{"NVIDIA H100 80GB HBM3", 132, 989.4, 3350},
		{"NVIDIA H100 PCIe", 114, 756, 2000},
		{"NVIDIA A100 80GB PCIe", 108, 312, 1935},
		{"A100-SXM4-40GB", 108, 312, 1555},
		{"NVIDIA GeForce RTX 4090", 128, 165.2, 1008},
		{"AMD Instinct MI250X/MI250", 104, 181, 1638.5},
		{"AMD Instinct MI250X/MI250", 110, 191.5, 1638.5},
		{"Apple M4 Max", 40, 0, 546},
		// Look-alikes are not guessed.
		{"NVIDIA H100", 132, 0, 0},
		{"NVIDIA H800", 132, 0, 0},
		{"NVIDIA GeForce RTX 4090 Laptop GPU", 76, 0, 0},
		{"NVIDIA GeForce RTX 4090 D", 114, 0, 0},
		{"NVIDIA GeForce RTX 3090 Ti", 84, 0, 0},
		{"NVIDIA A100-SXM4-40GB MIG 3g.20gb", 42, 0, 0},
		{"Tesla V100S-PCIE-32GB", 80, 0, 0},
		{"AMD Instinct MI210", 104, 181, 1638.5},
		{"AMD Instinct MI350X", 256, 2306.9, 8000},
		{"AMD Instinct MI300X", 38, 0, 0},
		{"AMD Instinct MI300X", 0, 0, 0},
		{"Apple M4 Max", 32, 0, 0},
		{"", 0, 0, 0},
	}
	for _, test := range tests {
		peak := PeakOf(test.name, test.units)
		if peak == nil {
			peak = &Peak{}
		}
		if peak.BF16 != test.bf16 || peak.GBps != test.gbps {
			t.Errorf("%s with %d units: bf16 %v, %v GB/s; want %v, %v", test.name, test.units, peak.BF16, peak.GBps, test.bf16, test.gbps)
		}
	}
}

// Every row names its source, has a bandwidth, and is ordered as physics and marketing agree: fp32 ≤ tf32 ≤ bf16
// ≤ fp8.
func TestPeakTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range peaks {
		p := row.peak
		if p.Source == "" || p.GBps <= 0 {
			t.Errorf("%s: no source or bandwidth", row.names[0])
		}
		last := 0.0
		for _, rate := range []float64{p.FP32, p.TF32, p.BF16, p.FP8} {
			if rate != 0 && rate < last {
				t.Errorf("%s: rates are not ascending: %+v", row.names[0], p)
			}
			last = max(last, rate)
		}
		for _, name := range row.names {
			key := fmt.Sprint(name, row.units)
			if seen[key] {
				t.Errorf("%s is in the table twice", name)
			}
			seen[key] = true
		}
	}
}

func FuzzParseSMI(f *testing.F) {
	seeds(f, "nvidia-smi")
	f.Fuzz(func(t *testing.T, text []byte) {
		gpus, err := parseSMI(text)
		if err == nil && len(gpus) > strings.Count(string(text), "\n")+strings.Count(string(text), "\r")+1 {
			t.Errorf("%d GPUs in %q", len(gpus), text)
		}
		for _, gpu := range gpus {
			if gpu.Name == "" || gpu.Backend != CUDA {
				t.Errorf("%+v", gpu)
			}
		}
	})
}

func FuzzParseROCmInfo(f *testing.F) {
	seeds(f, "rocminfo")
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, gpu := range parseROCmInfo(text) {
			if gpu.Units < 0 || gpu.ClockMHz < 0 {
				t.Errorf("%+v", gpu)
			}
		}
	})
}

func FuzzParseProperties(f *testing.F) {
	seeds(f, "topology/nodes")
	f.Fuzz(func(t *testing.T, text []byte) {
		for name := range parseProperties(text) {
			if strings.ContainsAny(name, " \n") {
				t.Errorf("name %q", name)
			}
		}
	})
}

func FuzzParseCPUInfo(f *testing.F) {
	seeds(f, "/proc/cpuinfo")
	f.Fuzz(func(t *testing.T, text []byte) {
		p := parseCPUInfo(text)
		if p.Threads < 0 || p.Threads == 0 && p.Cores > strings.Count(string(text), "core id") {
			t.Errorf("%+v", p)
		}
		if utf8.Valid(text) && !utf8.ValidString(p.Model) {
			t.Errorf("model %q", p.Model)
		}
		listLength(string(text))
		kilobytes(string(text))
		if q := quota2(string(text)); q < 0 || q != q {
			t.Errorf("quota %v", q)
		}
	})
}

// seeds adds those entries of the recorded machines whose name holds the word.
func seeds(f *testing.F, word string) {
	machines, _ := filepath.Glob("testdata/machines/*.txtar")
	found := false
	for _, name := range machines {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(text).Files {
			if strings.Contains(file.Name, word) {
				f.Add(file.Data)
				found = true
			}
		}
	}
	if !found {
		f.Fatalf("no recorded machine has %s", word)
	}
}
