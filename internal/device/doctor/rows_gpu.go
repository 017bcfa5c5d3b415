package doctor

import (
	"fmt"
	"strings"

	"saturate/internal/device"
	"saturate/internal/human"
)

func (d Diagnosis) gpuRows() []Row {
	var rows []Row
	for _, gpu := range d.Hardware.GPUs {
		rows = append(rows, Row{Thing: fmt.Sprintf("GPU %d", gpu.Index), Value: gpuText(gpu), State: OK})
	}
	if len(rows) == 0 {
		value := "none found"
		if d.Problem != "" {
			value = d.Problem
		}
		rows = append(rows, Row{
			Thing: "GPU", Value: value, State: Missing,
			Without: "training, measuring and computing features on a GPU. The rest works on the CPU",
			Get:     d.gpuAdvice(),
		})
	}
	for _, note := range d.Hardware.Notes {
		if !strings.Contains(d.Problem, note) {
			rows = append(rows, Row{Thing: "GPU note", Value: note, State: Limited})
		}
	}
	return rows
}

func gpuText(gpu device.GPU) string {
	var can []string
	for _, feature := range []struct {
		has  bool
		name string
	}{{gpu.TensorCores, "tensor cores"}, {gpu.TF32, "TF32"}, {gpu.BF16, "bf16"}, {gpu.FP8, "FP8"}} {
		if feature.has {
			can = append(can, feature.name)
		}
	}
	units, memory, peak := "", human.Memory(gpu.MemoryBytes), "peak unknown"
	if gpu.Units > 0 {
		units = fmt.Sprintf("%d %s", gpu.Units, map[device.Backend]string{
			device.CUDA: "SMs", device.ROCm: "CUs",
			device.MPS: "GPU cores",
		}[gpu.Backend])
	}
	if gpu.FreeBytes > 0 {
		memory += " (" + human.Memory(gpu.FreeBytes) + " free)"
	}
	if p := gpu.Peak; p != nil {
		var rates []string
		for _, rate := range []struct {
			name   string
			tflops float64
		}{{"bf16", p.BF16}, {"fp16", p.FP16}, {"fp32", p.FP32}} {
			if rate.tflops > 0 {
				rates = append(rates, fmt.Sprintf("%g TFLOP/s %s", rate.tflops, rate.name))
				break // the rate that training wants most
			}
		}
		peak = "at most " + strings.Join(append(rates, fmt.Sprintf("%g GB/s", p.GBps)), " and ")
	}
	return joined(gpu.Name, gpu.Arch, units, memory, strings.Join(can, " "), peak)
}

func (d Diagnosis) gpuAdvice() string {
	if d.OS == "darwin" {
		return "use a Mac with Apple silicon, or a Linux machine with an NVIDIA or AMD GPU"
	}
	return "NVIDIA: install the driver; start containers with --gpus all\nAMD: install amdgpu and ROCm; start " +
		"containers with --device /dev/kfd --device /dev/dri"
}

// driverRows tell of the driver and of what it permits.
func (d Diagnosis) driverRows() []Row {
	gpu, here := d.Hardware.Best()
	if !here {
		return nil
	}
	var rows []Row
	if text := joined(gpu.Driver, gpu.API); text != "" {
		rows = append(rows, Row{Thing: "driver", Value: text + ", from " + gpu.Source, State: OK})
	}
	if gpu.Backend != device.CUDA {
		return rows
	}
	if gpu.Source == device.NVIDIASMI {
		rows = append(rows, Row{
			Thing: "driver library", Value: "libcuda.so.1 is not usable", State: Limited,
			Without: "mel features on the GPU, copy speed, SM count",
			Get:     "use the Linux build with the CUDA loader; the note above has the library's error",
		})
	}
	counters := Row{Thing: "profiling counters", Value: d.Counters.Reason, State: OK}
	switch {
	case d.Counters.Permitted == nil:
		counters.State = Unknown
	case !*d.Counters.Permitted:
		counters.State = Limited
		counters.Without = "Nsight Compute and other tools that read hardware counters; timelines (torch.profiler) work"
		counters.Get = "run as root or with CAP_SYS_ADMIN (docker --cap-add SYS_ADMIN), or load the driver with " +
			"NVreg_RestrictProfilingToAdminUsers=0"
	}
	return append(rows, counters)
}

func (d Diagnosis) copyRows() []Row {
	var rows []Row
	for _, c := range d.Copies {
		row := Row{Thing: fmt.Sprintf("copies, GPU %d", c.GPU), State: OK}
		if c.Problem != "" {
			row.State, row.Value = Limited, c.Problem
			row.Without = "knowing whether the bus is fast enough for the GPU"
			row.Get = "stop the programs that fill the GPU, and try again"
			rows = append(rows, row)
			continue
		}
		if len(c.Speeds) == 0 {
			row.Value, row.State = "not measured", Unknown
			rows = append(rows, row)
			continue
		}
		speed := map[string]float64{}
		for _, s := range c.Speeds {
			speed[s.Memory+s.Direction] = s.Median()
		}
		row.Value = fmt.Sprintf("pinned: %.1f GB/s to the GPU, %.1f GB/s back; pageable: %.1f and %.1f GB/s",
			speed["pinnedh2d"], speed["pinnedd2h"], speed["pageableh2d"], speed["pageabled2h"])
		rows = append(rows, row)
	}
	if gpu, here := d.Hardware.Best(); here && d.Quick && gpu.Source == device.DriverLibrary {
		rows = append(rows, Row{Thing: "copies", Value: "skipped (--quick)", State: Unknown})
	}
	return rows
}
