package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/process"
)

// A driver of a sick GPU can hang in the kernel or take the process down. So the library is asked
// in a short-lived child, this same program, which answers in JSON; only the child is lost then.

// childJob is the variable that makes this program answer for the driver and end.
const childJob = "SATURATE_CUDA_CHILD"

// driverTimeout is ample: cuInit on a machine of eight GPUs takes some seconds, and so does measuring them.
const driverTimeout = 30 * time.Second

// childReady is set by ChildMain: without it a child would run the program, not answer.
var childReady bool

// ChildMain must be the first thing main calls. In a child that was started to ask the NVIDIA driver
// it answers and exits. Otherwise it returns at once, and from then on Host.CUDA asks in children.
func ChildMain() {
	job := os.Getenv(childJob)
	if job == "" {
		childReady = true
		return
	}
	if err := answer(os.Stdout, job == "measure"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childAnswer is the child's JSON.
type childAnswer struct {
	Driver CUDADriver `json:"driver"`
	Error  string     `json:"error,omitempty"`
}

func answer(w io.Writer, measure bool) error {
	driver, err := askDriver(measure)
	reply := childAnswer{Driver: driver}
	if err != nil {
		reply.Error = err.Error()
	}
	return json.NewEncoder(w).Encode(reply)
}

// CUDA asks the driver library in a child if ChildMain made that possible, and here otherwise.
func (h Host) CUDA(ctx context.Context, measure bool) (CUDADriver, error) {
	ctx, cancel := context.WithTimeout(ctx, driverTimeout)
	defer cancel()
	self, err := os.Executable()
	if !cuda.Built || !childReady || err != nil {
		return askHere(ctx, measure)
	}
	cmd := process.Command(ctx, self)
	job := "list"
	if measure {
		job = "measure"
	}
	env := h.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(env[:len(env):len(env)], childJob+"="+job)
	out, err := h.output(ctx, "the NVIDIA driver library", cmd)
	if err != nil {
		return CUDADriver{}, fmt.Errorf("%w: %w; look for NVRM messages in dmesg, and reset the GPU or reboot",
			cuda.ErrUnavailable, err)
	}
	var reply childAnswer
	if err := json.Unmarshal(out, &reply); err != nil {
		return CUDADriver{}, fmt.Errorf("%w: the NVIDIA driver query did not respond: %w", cuda.ErrUnavailable, err)
	}
	if reply.Error != "" {
		return reply.Driver, errors.New(reply.Error)
	}
	return reply.Driver, nil
}

// askHere asks in this process, and leaves a driver that hangs alone.
func askHere(ctx context.Context, measure bool) (CUDADriver, error) {
	type result struct {
		driver CUDADriver
		err    error
	}
	done := make(chan result, 1)
	go func() {
		driver, err := askDriver(measure)
		done <- result{driver, err}
	}()
	select {
	case r := <-done:
		return r.driver, r.err
	case <-ctx.Done():
		return CUDADriver{}, fmt.Errorf("%w: the NVIDIA driver library timed out", cuda.ErrUnavailable)
	}
}

// askDriver asks the driver library.
func askDriver(measure bool) (CUDADriver, error) {
	driver, err := cuda.Open()
	if err != nil {
		return CUDADriver{}, err
	}
	answer := CUDADriver{Devices: []CUDADevice{}}
	if answer.Version, err = driver.Version(); err != nil {
		return answer, err
	}
	devices, err := driver.Devices()
	if err != nil {
		return answer, err
	}
	for _, dev := range devices {
		var d CUDADevice
		if d.Properties, err = dev.Properties(); err != nil {
			return answer, err
		}
		if measure {
			if d.FreeBytes, d.Copies, err = measureGPU(dev); err != nil {
				d.Problem = err.Error() // a full GPU must not hide the others
			}
		}
		answer.Devices = append(answer.Devices, d)
	}
	return answer, nil
}

func measureGPU(dev cuda.Device) (free uint64, copies []CopySpeed, err error) {
	ctx, err := dev.Retain()
	if err != nil {
		return 0, nil, err
	}
	defer func() {
		if released := ctx.Release(); err == nil {
			err = released
		}
	}()
	if err := ctx.Do(func() (err error) { free, _, err = ctx.Memory(); return err }); err != nil {
		return 0, nil, err
	}
	copies, err = MeasureCopies(ctx)
	return free, copies, err
}
