package bench

import (
	"context"
	"fmt"

	"saturate/internal/device"
)

// Need is how many bytes the parts of a case take, predicted before anything is tried.
type Need struct {
	Projections int64 // input, weights, queries, keys, values and both results
	Scores      int64 // of all pairs of positions besides
}

// NeedOf counts elements of so many bytes.
func NeedOf(s Shape, element int) Need {
	z := s.sizes(element)
	return Need{
		Projections: int64(z.e * (6*z.b*z.s*z.d + 4*z.d*z.d)),
		Scores:      int64(z.e * z.b * z.h * z.s * z.s),
	}
}

// mostOfMemory is how much of what is free may be filled: the rest is for the system and for what is not counted.
const mostOfMemory = 0.9

// tooLarge says that so many bytes do not fit, or nothing. Where it is not known how much is free, all fits.
func tooLarge(what string, need, free int64) string {
	if free <= 0 || float64(need) <= mostOfMemory*float64(free) {
		return ""
	}
	return fmt.Sprintf("%s %s of memory and %s are free: choose a smaller --batch or --seq", what, amount(float64(need), "B"), amount(float64(free), "B"))
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
