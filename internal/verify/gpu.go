package verify

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"saturate/internal/device"
	"saturate/internal/human"
)

const (
	// idleLimit is how busy a GPU may be before a run, as nvidia-smi tells it.
	idleLimit = 0.10
	// idlePatience is how long the figure may still show the run before.
	idlePatience = 4 * time.Second
)

// reading is what nvidia-smi says about a GPU at one moment.
type reading struct {
	index                       int
	uuid                        string
	clock, celsius, watts, busy float64
	reasons                     uint64
}

var readingFields = []string{
	"index", "uuid", "clocks.sm", "temperature.gpu", "power.draw", "utilization.gpu",
	"clocks_throttle_reasons.active",
}

// readGPUs asks nvidia-smi about the GPUs that programs can see.
func readGPUs(ctx context.Context, sys device.System) []reading {
	ask := func(fields []string) ([]byte, error) {
		return sys.Run(ctx, "nvidia-smi", "--query-gpu="+strings.Join(fields, ","), "--format=csv,noheader,nounits")
	}
	out, err := ask(readingFields)
	if err != nil && strings.Contains(err.Error(), "throttle") { // newer drivers know it by its other name
		renamed := slices.Clone(readingFields)
		renamed[len(renamed)-1] = "clocks_event_reasons.active"
		out, err = ask(renamed)
	}
	if err != nil {
		return nil
	}
	visible, limited := sys.Getenv("CUDA_VISIBLE_DEVICES")
	var list []reading
	for line := range strings.Lines(string(out)) {
		f := strings.Split(line, ",")
		if len(f) != len(readingFields) {
			continue
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		index, err := strconv.Atoi(f[0])
		if err != nil || limited && !sees(visible, f[0], f[1]) {
			continue
		}
		r := reading{
			index: index, uuid: f[1], clock: figure(f[2]), celsius: figure(f[3]), watts: figure(f[4]),
			busy: figure(f[5]) / 100,
		}
		r.reasons, _ = strconv.ParseUint(strings.TrimPrefix(f[6], "0x"), 16, 64)
		list = append(list, r)
	}
	return list
}

func sees(visible, index, uuid string) bool {
	return slices.ContainsFunc(strings.Split(visible, ","), func(v string) bool {
		v = strings.TrimSpace(v)
		return v == index || v != "" && strings.HasPrefix(uuid, v)
	})
}

// figure reads a number; [N/A] and its like are NaN.
func figure(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// gpusBefore looks before a run begins, and waits a little where the figures still show the run before.
func gpusBefore(ctx context.Context, sys device.System) []GPUConditions {
	var gpus []GPUConditions
	for deadline := time.Now().Add(idlePatience); ; {
		gpus = nil
		idle := true
		for _, r := range readGPUs(ctx, sys) {
			gpus = append(gpus, GPUConditions{Index: r.index, uuid: r.uuid, BusyBefore: known(r.busy), LowestMHz: math.Inf(1)})
			idle = idle && !(r.busy > idleLimit)
		}
		if idle || time.Now().After(deadline) || ctx.Err() != nil {
			break
		}
		time.Sleep(idlePatience / 8)
	}
	for _, app := range computeApps(ctx, sys) {
		if i := slices.IndexFunc(gpus, func(g GPUConditions) bool { return g.uuid == app.uuid }); i >= 0 {
			gpus[i].sinceBefore = append(gpus[i].sinceBefore, app.pid)
			gpus[i].OtherUsers = append(gpus[i].OtherUsers, app.String())
		}
	}
	return gpus
}

// observe adds what the GPUs do now.
func observe(ctx context.Context, sys device.System, gpus []GPUConditions) {
	find := func(uuid string) *GPUConditions {
		for i := range gpus {
			if gpus[i].uuid == uuid {
				return &gpus[i]
			}
		}
		return nil
	}
	for _, r := range readGPUs(ctx, sys) {
		if g := find(r.uuid); g != nil {
			g.add(r)
		}
	}
	apps := computeApps(ctx, sys)
	own := func(a app) bool { return descends(sys, a.pid, os.Getpid()) }
	if !slices.ContainsFunc(apps, own) {
		return // inside a container the driver's process numbers mean nothing here
	}
	for _, a := range apps {
		if g := find(a.uuid); g != nil && !own(a) && !slices.Contains(g.sinceBefore, a.pid) &&
			!slices.Contains(g.newcomers, a.String()) {
			g.newcomers = append(g.newcomers, a.String())
		}
	}
}

func (g *GPUConditions) add(r reading) {
	mean := func(old, value float64, n int) float64 { return (old*float64(n) + value) / float64(n+1) }
	g.Watts, g.Busy = mean(g.Watts, known(r.watts), g.Observed), mean(g.Busy, known(r.busy), g.Observed)
	if r.busy > idleLimit && !math.IsNaN(r.clock) {
		g.ClockMHz, g.LowestMHz = mean(g.ClockMHz, r.clock, g.working), min(g.LowestMHz, r.clock)
		g.working++
	}
	g.Celsius = max(g.Celsius, known(r.celsius))
	for _, reason := range clockReasons {
		if r.reasons&reason.bit != 0 && !slices.Contains(g.Reasons, reason.name) {
			g.Reasons = append(g.Reasons, reason.name)
		}
	}
	g.Observed++
}

func known(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// clockReasons are NVML's reasons for a clock below the highest. A power cap is how large GPUs run under
// full load; the others are a machine in trouble.
var clockReasons = []struct {
	bit     uint64
	name    string
	trouble bool
}{
	{0x4, "power cap", false},
	{0x8, "hardware slowdown", true},
	{0x20, "software thermal slowdown", true},
	{0x40, "hardware thermal slowdown", true},
	{0x80, "power brake", true},
}

// conclude turns what was seen into problems.
func (g *GPUConditions) conclude(c *Conditions) {
	if math.IsInf(g.LowestMHz, 1) {
		g.LowestMHz = 0
	}
	if g.BusyBefore > idleLimit {
		c.Problems = append(c.Problems, fmt.Sprintf("GPU %d was %s busy before the run began: another program uses it",
			g.Index, human.Percent(g.BusyBefore)))
	}
	for _, reason := range clockReasons {
		if reason.trouble && slices.Contains(g.Reasons, reason.name) {
			c.Problems = append(c.Problems, fmt.Sprintf("GPU %d lowered its clock (%s, %.0f °C)", g.Index, reason.name,
				g.Celsius))
		}
	}
	if len(g.newcomers) > 0 {
		c.Problems = append(c.Problems, fmt.Sprintf("another program started using GPU %d: %s", g.Index, g.newcomers[0]))
		g.OtherUsers = append(g.OtherUsers, g.newcomers...)
	}
	c.GPUs = append(c.GPUs, *g)
}

// app is a process that computes on a GPU.
type app struct {
	uuid, name string
	pid        int
}

func (a app) String() string { return fmt.Sprintf("%s (process %d)", a.name, a.pid) }

// gone is the name of a process that has just ended, such as the run before.
const gone = "[Not Found]"

func computeApps(ctx context.Context, sys device.System) []app {
	out, err := sys.Run(ctx, "nvidia-smi", "--query-compute-apps=gpu_uuid,pid,process_name", "--format=csv,noheader")
	if err != nil {
		return nil
	}
	var list []app
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(line, ",", 3)
		if len(f) != 3 {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(f[1]))
		if name := strings.TrimSpace(f[2]); err == nil && name != gone {
			list = append(list, app{strings.TrimSpace(f[0]), name, pid})
		}
	}
	return list
}
