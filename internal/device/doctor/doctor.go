// Package doctor examines a machine for a person: what is here, what is missing, what will not work
// without it, and how to get it.
//
//	Examine    asks the hardware (package device), the permissions (counters.go), the Python
//	           interpreters (python.go, probe.py) and the disk (disk.go)
//	Diagnosis  is all of it, as plain data
//	Rows       says it a line a thing; Summary in a sentence or two
//
// A thing that is missing is a finding, never a failure, and every question has a time-out.
package doctor

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"saturate/internal/device"
)

// Options say what to look at.
type Options struct {
	Backend device.Backend // whose GPUs; empty is all
	Python  string         // the interpreter to use; empty is the first that fits
	Dir     string         // the working folder; empty is the process's
	Cache   string         // where to measure the disk if Dir cannot be written; empty is nowhere
	Quick   bool           // leave out what takes seconds, and run no Python
}

// Diagnosis is what was found.
type Diagnosis struct {
	OS       string           `json:"os"`    // operating system
	Arch     string           `json:"arch"`  // architecture of the CPU
	Quick    bool             `json:"quick"` // only what is found in a moment was checked
	Hardware device.Inventory `json:"hardware"`
	Problem  string           `json:"problem,omitempty"` // why the backend that was asked for is not here
	Counters Counters         `json:"counters"`          // permission to read the GPU's hardware counters
	Copies   []GPUCopies      `json:"copies"`
	Pythons  []Python         `json:"pythons"`                  // the first is the one to use
	Offered  string           `json:"offered_python,omitempty"` // in the folder, and not run: it was not asked for
	Torch    *Torch           `json:"torch"`                    // as the first interpreter has it; nil when not asked
	Disk     Disk             `json:"disk"`
	Seconds  float64          `json:"seconds"` // that this took
}

// GPUCopies are one GPU's copy speeds.
type GPUCopies struct {
	GPU     int                `json:"gpu"` // index of the GPU
	Speeds  []device.CopySpeed `json:"speeds"`
	Problem string             `json:"problem,omitempty"` // why nothing was measured
}

// Examine looks at everything. Questions go out side by side; what is timed runs alone, one after
// the other, so that importing torch does not slow the disk down nor the disk the copies.
func Examine(ctx context.Context, sys device.System, opt Options) Diagnosis {
	start := time.Now()
	if opt.Backend == "" {
		opt.Backend = device.Auto
	}
	if dir, err := filepath.Abs(opt.Dir); err == nil {
		opt.Dir = dir
	}
	d := Diagnosis{OS: sys.OS(), Arch: runtime.GOARCH, Quick: opt.Quick, Copies: []GPUCopies{}}
	d.ask(ctx, sys, opt)
	if !opt.Quick {
		measureDisk(ctx, &d.Disk, opt)
		d.measureCopies(ctx, sys)
		d.importTorch(ctx, sys)
	}
	d.Seconds = time.Since(start).Seconds()
	return d
}

// ask puts the questions that take a moment.
func (d *Diagnosis) ask(ctx context.Context, sys device.System, opt Options) {
	var questions sync.WaitGroup
	questions.Go(func() {
		var err error
		if d.Hardware, err = device.Detect(ctx, sys, opt.Backend); err != nil {
			d.Problem = err.Error()
		}
		d.Counters = counters(sys, d.Hardware)
	})
	d.Pythons, d.Offered = []Python{}, offered(opt)
	if !opt.Quick {
		questions.Go(func() { d.Pythons = pythons(ctx, sys, opt) })
	}
	questions.Go(func() { d.Disk = space(opt.Dir) })
	questions.Wait()
}

// measureCopies times copies on the GPUs that the driver library showed.
func (d *Diagnosis) measureCopies(ctx context.Context, sys device.System) {
	if best, ok := d.Hardware.Best(); !ok || best.Backend != device.CUDA || best.Source != device.DriverLibrary {
		return
	}
	driver, err := sys.CUDA(ctx, true)
	if err != nil {
		d.Copies = append(d.Copies, GPUCopies{Problem: err.Error()})
		return
	}
	for i, gpu := range driver.Devices {
		d.Copies = append(d.Copies, GPUCopies{GPU: i, Speeds: gpu.Copies, Problem: gpu.Problem})
		for j := range d.Hardware.GPUs {
			if known := &d.Hardware.GPUs[j]; known.Backend == device.CUDA && known.Index == i {
				known.FreeBytes = gpu.FreeBytes
			}
		}
	}
}
