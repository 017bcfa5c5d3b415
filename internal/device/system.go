package device

import (
	"context"
	"strings"

	"saturate/internal/cuda"
	"saturate/internal/process"
)

// System is everything of a machine that this package touches.
type System interface {
	// OS is linux, darwin or windows, as runtime.GOOS has it.
	OS() string
	ReadFile(name string) ([]byte, error)
	Glob(pattern string) []string
	Getenv(name string) (string, bool)
	// Run gives a command's standard output. A program that is not there is exec.ErrNotFound.
	Run(ctx context.Context, name string, args ...string) ([]byte, error)
	// Interpreters are the Pythons that the user has chosen.
	Interpreters() []process.Interpreter
	// CUDA asks the NVIDIA driver library. With measure it also makes the GPUs ready and times copies.
	CUDA(ctx context.Context, measure bool) (CUDADriver, error)
}

// CUDADriver is what the NVIDIA driver library said.
type CUDADriver struct {
	Version string       `json:"version"` // of CUDA, at most: 13.0
	Devices []CUDADevice `json:"devices"`
}

// CUDADevice is one GPU; what follows its properties is there when measured.
type CUDADevice struct {
	cuda.Properties
	FreeBytes uint64      `json:"free_bytes,omitempty"`
	Copies    []CopySpeed `json:"copies,omitempty"`
	Problem   string      `json:"problem,omitempty"` // why it could not be measured
}

// readLine is a file's first line, or nothing.
func readLine(sys System, name string) string {
	text, err := sys.ReadFile(name)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}
