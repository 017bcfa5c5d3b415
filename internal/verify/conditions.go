package verify

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"saturate/internal/device"
	"saturate/internal/run"
)

// Conditions are what the machine was like during one run.
type Conditions struct {
	GPUs       []GPUConditions `json:"gpus,omitempty"`
	OtherCores float64         `json:"other_cores,omitempty"` // that other programs kept busy, on average
	Contended  bool            `json:"contended,omitempty"`   // hardly a core was idle, and others had their share
	Stolen     float64         `json:"stolen,omitempty"`      // of the processors' time, by the host of a virtual machine, where it matters
	Problems   []string        `json:"problems,omitempty"`    // each makes the pair invalid
	Notes      []string        `json:"notes,omitempty"`       // what a reader has to know
}

// GPUConditions are those of one GPU.
type GPUConditions struct {
	Index       int      `json:"index"`                     // of the GPU
	ClockMHz    float64  `json:"sm_clock_mhz"`              // mean while it was busy: an idle GPU lowers its clock
	LowestMHz   float64  `json:"lowest_sm_clock_mhz"`       // lowest clock while it was busy
	Celsius     float64  `json:"temperature_c"`             // the highest
	Watts       float64  `json:"power_w"`                   // mean
	Busy        float64  `json:"busy"`                      // mean utilization during the run
	BusyBefore  float64  `json:"busy_before"`               // before it began
	Reasons     []string `json:"clock_reasons,omitempty"`   // why the clock was lowered
	OtherUsers  []string `json:"other_processes,omitempty"` // processes of others on the GPU
	Observed    int      `json:"observations"`              // how often the GPU was looked at
	uuid        string
	working     int // observations of a busy GPU
	newcomers   []string
	sinceBefore []int
}

// observeEvery is rare enough that asking costs nothing, and often enough for a run of some seconds.
const observeEvery = 2 * time.Second

// watchMachine looks at the machine while a run goes on, until stop is called with it. Where there is no nvidia-smi,
// only the CPU is watched; without a System, nothing is.
func watchMachine(ctx context.Context, sys device.System) (stop func(run.Run) Conditions) {
	var c Conditions
	if sys == nil {
		return func(run.Run) Conditions { return c }
	}
	gpus := gpusBefore(ctx, sys)
	cpu := device.ReadBusy(sys)
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	if len(gpus) > 0 {
		watching.Go(func() {
			ticker := time.NewTicker(observeEvery)
			defer ticker.Stop()
			for {
				select {
				case <-ticker.C:
					observe(ctx, sys, gpus)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return func(r run.Run) Conditions {
		cancel()
		watching.Wait()
		for i := range gpus {
			gpus[i].conclude(&c)
		}
		now := device.ReadBusy(sys).Plus(r.Leftover)
		c.OtherCores, c.Contended = now.Since(cpu)
		c.Stolen = now.Stolen(cpu)
		return c
	}
}

// Warnings about the machine begin like this.
const (
	fullCPU    = "all CPU cores were busy in "
	otherClock = "the GPU's clock was "
)

// AboutMachine reports whether a warning of a result is about the machine.
func AboutMachine(warning string) bool {
	return BusyCPU(warning) || strings.HasPrefix(warning, otherClock) ||
		strings.HasSuffix(warning, widens)
}

// BusyCPU reports whether a warning is about other programs on the CPU's cores.
func BusyCPU(warning string) bool { return strings.HasPrefix(warning, fullCPU) }

const widens = ", which widens the interval"

// weather says what the conditions of all blocks mean for the result.
func weather(blocks []Block) []string {
	var out []string
	contended, robbed, runs, others, stolen := 0, 0, 0, 0.0, 0.0
	var clocks [2][]float64
	for _, b := range blocks {
		for i, o := range b.Outcomes {
			runs++
			others += o.Conditions.OtherCores
			if o.Conditions.Contended {
				contended++
			}
			if o.Conditions.Stolen > 0 {
				robbed++
				stolen = max(stolen, o.Conditions.Stolen)
			}
			for _, g := range o.Conditions.GPUs {
				if !b.Calibration && g.ClockMHz > 0 {
					clocks[i] = append(clocks[i], g.ClockMHz)
				}
			}
		}
	}
	if contended > 0 {
		out = append(out, fmt.Sprintf(fullCPU+"%d of %d runs (other programs used %.1f cores on average)"+widens, contended,
			runs, others/float64(runs)))
	}
	if robbed > 0 {
		out = append(out, fmt.Sprintf("%s in the worst run, and some in %d of %d runs"+widens, device.StolenText(stolen),
			robbed, runs))
	}
	if len(clocks[0]) > 0 && len(clocks[1]) > 0 {
		if before, after := mean(clocks[0]), mean(clocks[1]); apartBy(before, after) > 0.03 {
			out = append(out, fmt.Sprintf(otherClock+
				"%.0f MHz before and %.0f MHz after on average while it was busy: part of the difference may be due to the clock", before, after))
		}
	}
	return out
}
