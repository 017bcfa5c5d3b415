// Package device detects the hardware of this machine, without Python.
//
//	Detect    asks each backend (cuda.go, rocm.go, mps.go) and the CPU (cpu.go, cgroup.go)
//	System    is all that they touch: files, commands, variables, the NVIDIA driver
//	peaks.go  tells what a GPU of that name can do at most; an unknown name is not guessed
//	ReadBusy  tells how many cores other programs use (busy.go)
//	Copies    measures how fast memory moves between host and GPU (copies.go)
//
// Host is the System of this machine; recorded outputs of other machines stand in for it in tests.
// Folder doctor puts it all together for a person to read.
package device

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Backend is a way to compute.
type Backend string

const (
	Auto Backend = "auto" // the first of the following that is here
	CUDA Backend = "cuda"
	ROCm Backend = "rocm"
	MPS  Backend = "mps"
	CPU  Backend = "cpu"
)

// Who told of a GPU.
const (
	DriverLibrary = "driver library"
	NVIDIASMI     = "nvidia-smi"
)

// Inventory is the hardware of a machine. Notes say what should work and does not.
type Inventory struct {
	Backend   Backend   `json:"backend"` // the one to use: as asked for, or the best that is here
	GPUs      []GPU     `json:"gpus"`    // of every backend that was asked
	Processor Processor `json:"cpu"`
	Notes     []string  `json:"notes,omitempty"` // what should work and does not
}

// GPU is one device as a program sees it. A zero or empty field was not told.
type GPU struct {
	Backend           Backend `json:"backend"`
	Index             int     `json:"index"`                        // as the backend counts, from 0
	Name              string  `json:"name"`                         // of the GPU
	Arch              string  `json:"arch"`                         // sm_90, gfx942, apple-m3
	ComputeCapability string  `json:"compute_capability,omitempty"` // 9.0; CUDA only
	Units             int     `json:"units,omitempty"`              // SMs, compute units, GPU cores
	MemoryBytes       uint64  `json:"memory_bytes"`                 // memory of the GPU
	FreeBytes         uint64  `json:"free_bytes,omitempty"`         // of it, free
	L2Bytes           int     `json:"l2_bytes,omitempty"`           // size of the L2 cache
	ClockMHz          int     `json:"clock_mhz,omitempty"`          // the highest
	MemoryClockMHz    int     `json:"memory_clock_mhz,omitempty"`   // highest clock of the memory
	BusBits           int     `json:"bus_bits,omitempty"`           // width of the memory bus
	UUID              string  `json:"uuid,omitempty"`               // identity of the GPU
	PCI               string  `json:"pci,omitempty"`                // address on the PCI bus
	Driver            string  `json:"driver,omitempty"`             // of the kernel: 580.95.05
	API               string  `json:"api,omitempty"`                // CUDA 13.0, ROCm 6.4.2, macOS 15.1
	Source            string  `json:"source"`                       // who said so: driver library, nvidia-smi, kfd, rocminfo, sysctl

	TensorCores bool `json:"tensor_cores"` // or AMD's matrix cores
	TF32        bool `json:"tf32"`         // the GPU computes in TF32
	BF16        bool `json:"bf16"`         // the GPU computes in bfloat16
	FP8         bool `json:"fp8"`          // the GPU computes in FP8

	Peak *Peak `json:"peak,omitempty"` // nil: not in the table
}

// finder asks one backend for its GPUs. An error says, in a sentence, why there are none: an
// absentError where nothing hints at such hardware, any other where it should be working.
// Notes say what the reader must know of the GPUs that were found.
type finder struct {
	backend Backend
	find    func(context.Context, System) (gpus []GPU, notes []string, err error)
}

// absentError is the plain case of hardware that this machine does not have.
type absentError struct{ error }

// finders are in the order in which Auto prefers them.
var finders = []finder{
	{CUDA, findCUDA},
	{ROCm, findROCm},
	{MPS, findMPS},
}

// Detect looks for the GPUs of one backend, or of all of them for Auto, and for the CPU always.
// It fails when the backend that was asked for is not here or not known; the inventory still holds the rest.
func Detect(ctx context.Context, sys System, backend Backend) (Inventory, error) {
	inv := Inventory{Backend: CPU, GPUs: []GPU{}, Processor: FindProcessor(ctx, sys)}
	known := backend == Auto || backend == CPU
	var missing error
	for _, f := range finders {
		known = known || backend == f.backend
		if backend != Auto && backend != f.backend {
			continue
		}
		gpus, notes, err := f.find(ctx, sys)
		inv.Notes = append(inv.Notes, notes...)
		if absent := (absentError{}); err != nil && !errors.As(err, &absent) {
			inv.Notes = append(inv.Notes, err.Error())
		}
		if len(gpus) == 0 && backend == f.backend {
			missing = fmt.Errorf("no %s GPU found: %w", backend, err)
		}
		if len(gpus) > 0 && inv.Backend == CPU {
			inv.Backend = f.backend
		}
		for _, gpu := range gpus {
			gpu.Peak = PeakOf(gpu.Name, gpu.Units)
			inv.GPUs = append(inv.GPUs, gpu)
		}
	}
	if !known {
		return inv, fmt.Errorf("unknown backend %q; use auto, cuda, rocm, mps or cpu", backend)
	}
	return inv, missing
}

// Best is the first GPU of the chosen backend; false when that is the CPU.
func (inv Inventory) Best() (GPU, bool) {
	for _, gpu := range inv.GPUs {
		if gpu.Backend == inv.Backend {
			return gpu, true
		}
	}
	return GPU{}, false
}

// visibility says that a variable hides devices from programs which the backend itself does not honour here.
func visibility(sys System, variables ...string) []string {
	var notes []string
	for _, name := range variables {
		if value, set := sys.Getenv(name); set {
			notes = append(notes, fmt.Sprintf("%s=%s is set: programs see only these GPUs", name, value))
		}
	}
	return notes
}

// lines are the lines of a text without the space around them; empty ones are left out.
func lines(text []byte) []string {
	var kept []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return kept
}
