package analyze

import (
	"fmt"
	"strings"

	"saturate/internal/device"
)

// Roofs are what a GPU was measured to reach at most, by large matrix products and copies. 0 is not measured.
type Roofs struct {
	GPU              string  // its name
	FP32, TF32, BF16 float64 // TFLOP/s
	GBps             float64
	From             string // the Run that measured them
}

// What large products and copies reached of the table's peaks on the H200 that `reached` was found on
// (peers/bench/results). A measured roof divided by this stands in the place of the peak, so that there both give the
// same.
var usualPart = device.Peak{FP32: 0.766, TF32: 0.797, BF16: 0.797, GBps: 0.876}

// useRoofs lets predictions count with measured roofs where there are some, else with the table of peaks.
func (v *view) useRoofs(gpu string) error {
	v.roofs = v.peak
	r := v.opt.Roofs
	if r == nil {
		return nil
	}
	if !strings.EqualFold(r.GPU, gpu) {
		if gpu == "" {
			gpu = "an unknown GPU"
		}
		return fmt.Errorf("the roofs of %s were measured on %s, and the trace is from %s", r.From, r.GPU, gpu)
	}
	roofs := device.Peak{}
	if v.peak != nil {
		roofs = *v.peak
	}
	for _, one := range []struct {
		peak     *float64
		measured float64
		part     float64
	}{
		{&roofs.FP32, r.FP32, usualPart.FP32},
		{&roofs.TF32, r.TF32, usualPart.TF32},
		{&roofs.BF16, r.BF16, usualPart.BF16},
		{&roofs.GBps, r.GBps, usualPart.GBps},
	} {
		if one.measured > 0 {
			*one.peak = one.measured / one.part
		}
	}
	v.roofs = &roofs
	return nil
}
