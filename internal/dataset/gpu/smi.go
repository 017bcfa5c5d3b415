package gpu

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"saturate/internal/process"
)

// watchSMI has nvidia-smi look at the first GPU several times a second; the function that is
// returned ends that and gives the mean of what it saw, from 0 to 1, or -1.
func watchSMI(ctx context.Context) (stop func() float64) {
	ctx, cancel := context.WithCancel(ctx)
	command := process.Command(ctx, "nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "--id=0",
		"--loop-ms=100")
	var out bytes.Buffer
	command.Stdout = &out
	if command.Start() != nil {
		cancel()
		return func() float64 { return -1 }
	}
	return func() float64 {
		cancel()
		_ = command.Wait() // it was stopped
		return meanPercent(out.String())
	}
}

// meanPercent is the mean of the samples that are not zero: before and after the work there are some.
func meanPercent(text string) float64 {
	sum, n := 0.0, 0
	for _, line := range strings.Fields(text) {
		if v, err := strconv.ParseFloat(line, 64); err == nil && v > 0 {
			sum += v / 100
			n++
		}
	}
	if n == 0 {
		return -1
	}
	return sum / float64(n)
}
