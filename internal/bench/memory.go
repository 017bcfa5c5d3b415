package bench

import (
	"context"
	"fmt"
	"runtime"

	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/version"
)

// Need is how many bytes the parts of a case take, predicted before anything is tried. No product of sizes is too
// large for a float64.
type Need struct {
	Projections float64 // input, weights, queries, keys, values and both results
	Scores      float64 // of all pairs of positions besides
	OneHead     float64 // those of a single head
}

// needOf counts elements of so many bytes.
func needOf(s Shape, element int) Need {
	z := s.sizes(element)
	return Need{
		Projections: z.e * (6*z.b*z.s*z.d + 4*z.d*z.d),
		Scores:      z.e * z.b * z.h * z.s * z.s,
		OneHead:     z.e * z.s * z.s,
	}
}

// mostOfMemory is how much of what is free may be filled: the rest is for the system and for what is not counted.
// mostAnywhere is refused where it is not known how much is free.
const (
	mostOfMemory = 0.9
	mostAnywhere = 1 << 40
)

// tooLarge says that so many bytes do not fit, or nothing.
func tooLarge(what string, need float64, free int64) string {
	switch {
	case free <= 0 && need > mostAnywhere:
		return fmt.Sprintf("%s %s of memory; choose a smaller --batch or --seq", what, human.Value(need, "iB"))
	case free <= 0 || need <= mostOfMemory*float64(free):
		return ""
	}
	return fmt.Sprintf("%s %s of memory, but %s is free; choose a smaller --batch or --seq", what, human.Value(need, "iB"),
		human.Memory(free))
}

// onProcessor is the machine of what this program does itself, with all processors it may use.
func onProcessor(ctx context.Context, sys device.System) Machine {
	cpu, free := processor(ctx, sys)
	return Machine{
		Framework: "go", Version: version.Version, Name: cpu.Model, Backend: "cpu", Threads: runtime.GOMAXPROCS(0),
		MemoryBytes: int64(cpu.MemoryBytes), FreeBytes: free,
	}
}

// processor is this machine's CPU, and how much memory is free on it.
func processor(ctx context.Context, sys device.System) (device.Processor, int64) {
	inventory, err := device.Detect(ctx, sys, device.CPU)
	if err != nil {
		return device.Processor{}, 0
	}
	p := inventory.Processor
	free := p.MemoryAvailableBytes
	if limit := p.UsableMemory(); free == 0 || limit > 0 && limit < free {
		free = limit
	}
	return p, int64(free)
}
