package run

import (
	"io"

	"saturate/internal/stat"
)

// WriteBenchmark writes the Run's samples in the Go benchmark format, so that benchstat can check
// what is said about them: the steady steps, their speed, and the series that are not steps.
// Only the hardware is added, because benchstat puts samples with different settings into different tables.
func (r Run) WriteBenchmark(w io.Writer) error {
	settings := map[string]string{"cpu": r.Environment.Machine.CPU}
	if gpus := r.Environment.GPUs; len(gpus) > 0 {
		settings["gpu"] = gpus[0].Name
	}
	steady := Steady(r.Steps)
	return stat.WriteBenchmark(w, settings, append([]stat.Series{steady.StepTimes(), steady.SamplesPerSecond()},
		r.Series...)...)
}
