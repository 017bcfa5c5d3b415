package device

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// findCUDA asks the driver library, and nvidia-smi where that does not answer.
func findCUDA(ctx context.Context, sys System) ([]GPU, []string, error) {
	if visible, set := sys.Getenv("CUDA_VISIBLE_DEVICES"); set && (visible == "" || strings.HasPrefix(visible, "-1")) {
		return nil, nil, fmt.Errorf("CUDA_VISIBLE_DEVICES=%q hides all NVIDIA GPUs", visible)
	}
	driver, err := sys.CUDA(ctx, false)
	if err != nil {
		return findNVIDIASMI(ctx, sys, err)
	}
	version := kernelDriver(sys)
	if version == "" {
		if gpus, err := querySMI(ctx, sys); err == nil && len(gpus) > 0 {
			version = gpus[0].Driver
		}
	}
	gpus := make([]GPU, 0, len(driver.Devices))
	for i, d := range driver.Devices {
		gpu := GPU{
			Backend: CUDA, Index: i, Name: d.Name, Units: d.SMs,
			MemoryBytes: d.TotalBytes, FreeBytes: d.FreeBytes, L2Bytes: d.L2Bytes,
			ClockMHz: d.ClockKHz / 1000, MemoryClockMHz: d.MemoryClockKHz / 1000, BusBits: d.BusBits,
			UUID: d.UUID, PCI: d.PCIBusID,
			Driver: version, API: "CUDA " + driver.Version, Source: DriverLibrary,
		}
		gpu.setCapability(d.Major, d.Minor)
		gpus = append(gpus, gpu)
	}
	if len(gpus) == 0 {
		return nil, nil, errors.New("the NVIDIA driver works but reports no GPU; check CUDA_VISIBLE_DEVICES")
	}
	return gpus, nil, nil
}

// findNVIDIASMI is the second choice, after the library failed with cause.
func findNVIDIASMI(ctx context.Context, sys System, cause error) ([]GPU, []string, error) {
	gpus, err := querySMI(ctx, sys)
	switch {
	case errors.Is(err, exec.ErrNotFound) && kernelDriver(sys) == "":
		return nil, nil, absentError{cause}
	case errors.Is(err, exec.ErrNotFound), err == nil && len(gpus) == 0:
		return nil, nil, cause
	case err != nil:
		return nil, nil, fmt.Errorf("%w; %w", cause, err)
	}
	notes := visibility(sys, "CUDA_VISIBLE_DEVICES")
	return gpus, append(notes, fmt.Sprintf("GPUs listed by nvidia-smi: %v", cause)), nil
}

// smiFields in the order in which smiGPU takes them. compute_cap is not known to drivers before 510.
var smiFields = []string{
	"index", "name", "memory.total", "memory.free", "driver_version", "uuid", "pci.bus_id",
	"clocks.max.sm", "clocks.max.memory", "compute_cap",
}

func querySMI(ctx context.Context, sys System) ([]GPU, error) {
	ask := func(fields []string) ([]byte, error) {
		return sys.Run(ctx, "nvidia-smi", "--query-gpu="+strings.Join(fields, ","), "--format=csv,noheader,nounits")
	}
	out, err := ask(smiFields)
	if err != nil && strings.Contains(err.Error(), "compute_cap") {
		out, err = ask(smiFields[:len(smiFields)-1])
	}
	if err != nil {
		return nil, err
	}
	return parseSMI(out)
}

// parseSMI reads nvidia-smi's CSV; figures that it puts in brackets ([N/A]) stay zero.
func parseSMI(out []byte) ([]GPU, error) {
	reader := csv.NewReader(strings.NewReader(string(out)))
	reader.TrimLeadingSpace, reader.FieldsPerRecord, reader.LazyQuotes = true, -1, true
	records, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("nvidia-smi printed something that is not CSV: %w", err)
	}
	var gpus []GPU
	for _, record := range records {
		if len(record) < len(smiFields)-1 {
			return nil, fmt.Errorf("nvidia-smi printed %q; expected %d fields", strings.Join(record, ", "), len(smiFields)-1)
		}
		for i := range record {
			record[i] = strings.TrimSpace(record[i])
		}
		index, err := strconv.Atoi(record[0])
		if err != nil || record[1] == "" {
			return nil, fmt.Errorf("nvidia-smi printed %q; expected a GPU's index and name first", strings.Join(record, ", "))
		}
		gpu := GPU{
			Backend: CUDA, Index: index, Name: record[1],
			MemoryBytes: mebibytes(record[2]), FreeBytes: mebibytes(record[3]),
			Driver: told(record[4]), UUID: told(record[5]), PCI: shortBusID(told(record[6])),
			ClockMHz: number(record[7]), MemoryClockMHz: number(record[8]), Source: NVIDIASMI,
		}
		if len(record) == len(smiFields) {
			var major, minor int
			if n, _ := fmt.Sscanf(record[9], "%d.%d", &major, &minor); n == 2 {
				gpu.setCapability(major, minor)
			}
		} else if row := rowOf(gpu.Name, 0); row != nil {
			gpu.setCapability(row.capability/10, row.capability%10)
		}
		gpus = append(gpus, gpu)
	}
	return gpus, nil
}

// told is a field's text, or nothing for [N/A], [Not Supported] and their like.
func told(field string) string {
	if strings.HasPrefix(field, "[") {
		return ""
	}
	return field
}

func number(field string) int {
	n, err := strconv.Atoi(field)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func mebibytes(field string) uint64 {
	n, err := strconv.ParseUint(field, 10, 43) // times 2^20 still fits
	if err != nil {
		return 0
	}
	return n << 20
}

// shortBusID turns nvidia-smi's 00000000:1A:00.0 into the kernel's 0000:1a:00.0.
func shortBusID(id string) string {
	id = strings.ToLower(id)
	if len(id) == len("00000000:1a:00.0") {
		return id[4:]
	}
	return id
}

// without tensor cores although of capability 7.5: the small Turing chips TU116 and TU117.
var smallTuring = regexp.MustCompile(`\bGTX 16\d\d|\bMX(450|550)\b|\bT(400|500|600|1000|1200)\b|\bQuadro T\d+`)

// setCapability notes the compute capability and what comes with it.
func (g *GPU) setCapability(major, minor int) {
	version := 10*major + minor
	g.ComputeCapability = fmt.Sprintf("%d.%d", major, minor)
	g.Arch = fmt.Sprintf("sm_%d%d", major, minor)
	g.TensorCores = version >= 70 && !(version == 75 && smallTuring.MatchString(g.Name))
	g.TF32 = version >= 80
	g.BF16 = version >= 80
	g.FP8 = version >= 89
}

// kernelDriver is the version of NVIDIA's kernel module, if it tells.
func kernelDriver(sys System) string {
	if version := readLine(sys, "/sys/module/nvidia/version"); version != "" {
		return version
	}
	// NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023
	return driverVersion.FindString(readLine(sys, "/proc/driver/nvidia/version"))
}

var driverVersion = regexp.MustCompile(`\b\d{3}\.\d+(\.\d+)?\b`)
