package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"saturate/internal/audio"
	"saturate/internal/cuda"
	"saturate/internal/dataset"
	"saturate/internal/device"
	"saturate/internal/files"
	"saturate/internal/mel"
	melcuda "saturate/internal/mel/cuda"
)

// SelfTest says how fast every part of the pipeline is on the first GPU, and all of it together.
type SelfTest struct {
	Device  string             `json:"device"` // name of the GPU
	Driver  string             `json:"cuda"`   // the newest CUDA that the driver knows
	Copies  []device.CopySpeed `json:"copies"`
	Speeds  melcuda.Speeds     `json:"speeds"`
	SMIBusy float64            `json:"nvidia_smi_busy"` // while Speeds.Transfers ran; -1 when nvidia-smi is not there
	GPU     Built              `json:"gpu"`
	CPU     Built              `json:"cpu"`
	Pool    Stats              `json:"pool"`
	Bound   string             `json:"bound"` // what keeps GPU.Again from being faster
}

// Built is the same dataset built twice.
type Built struct {
	Fresh EndToEnd `json:"fresh"` // the file's room has to be made
	Again EndToEnd `json:"again"` // over a file whose room is there
}

// EndToEnd is a dataset built from WAV files, to one HDF5 file.
type EndToEnd struct {
	Files     int     `json:"files"`       // WAV files
	Workers   int     `json:"workers"`     // that decoded at the same time
	FilesPerS float64 `json:"files_per_s"` // files per second
	Seconds   float64 `json:"wall_s"`      // that the build took
	Busy      float64 `json:"kernel_busy"` // share of the time in which a kernel ran

	Stages dataset.Stages `json:"stages"`
}

// SelfTestOptions say what the test computes.
type SelfTestOptions struct {
	Params  mel.Params
	Clip    time.Duration // of every file; 30 s when 0
	Files   int           // of the end-to-end runs; when 0 as many as a second needs, fewer where the disk is small
	Workers int           // of the end-to-end runs; when 0 one for each processor, and more on the GPU, where they wait
	Dir     string        // for the files and the output, which are removed again; the system's folder when ""
	Hold    time.Duration // how long each speed is measured; a second when 0
}

// distinct WAV files are written; the end-to-end run reads them over and over, from memory.
const distinct = 64

// RunSelfTest measures. It takes some seconds, and up to 4 GB of the disk.
func RunSelfTest(ctx context.Context, o SelfTestOptions) (SelfTest, error) {
	if err := melcuda.Fits(o.Params); err != nil {
		return SelfTest{}, err
	}
	driver, err := cuda.Open()
	if err != nil {
		return SelfTest{}, err
	}
	return selfTestOn(ctx, driver, o)
}

func selfTestOn(ctx context.Context, driver *cuda.Driver, o SelfTestOptions) (t SelfTest, err error) {
	if o.Clip == 0 {
		o.Clip = 30 * time.Second
	}
	if o.Hold == 0 {
		o.Hold = time.Second
	}
	devices, err := driver.Devices()
	if err != nil {
		return t, err
	}
	if len(devices) == 0 {
		return t, fmt.Errorf("%w: the driver reports no GPU; check CUDA_VISIBLE_DEVICES", cuda.ErrUnavailable)
	}
	if err := t.describe(driver, devices[0]); err != nil {
		return t, err
	}
	rows := int(comfortable / rowSize(o))
	smi := watchSMI(ctx)
	t.Speeds, err = melcuda.Measure(devices[0], o.Params, o.Clip, max(1, rows), min(8, runtime.GOMAXPROCS(0)), o.Hold)
	t.SMIBusy = smi()
	if err != nil {
		return t, err
	}
	if err := ctx.Err(); err != nil {
		return t, err
	}
	if err := t.endToEnd(ctx, driver, o); err != nil {
		return t, err
	}
	t.Bound = t.bound()
	return t, nil
}

func rowSize(o SelfTestOptions) int {
	samples := int(o.Clip.Seconds() * float64(o.Params.SampleRate))
	in, out := melcuda.BytesFor(o.Params, samples, samples)
	return in + out
}

func (t *SelfTest) describe(driver *cuda.Driver, gpu cuda.Device) error {
	properties, err := gpu.Properties()
	if err != nil {
		return err
	}
	t.Device = properties.Name
	if t.Driver, err = driver.Version(); err != nil {
		return err
	}
	c, err := gpu.Retain()
	if err != nil {
		return err
	}
	t.Copies, err = device.MeasureCopies(c)
	return errors.Join(err, c.Release())
}

// endToEnd builds the same dataset by the processor and on the GPU.
func (t *SelfTest) endToEnd(ctx context.Context, driver *cuda.Driver, o SelfTestOptions) (err error) {
	dir, err := os.MkdirTemp(o.Dir, "saturate-gpu-test-")
	if err != nil {
		return fmt.Errorf("cannot create a folder for the test files: %w", err)
	}
	defer os.RemoveAll(dir)
	if o.Files == 0 {
		o.Files = filesFor(dir, o)
	}
	list, err := writeSounds(ctx, dir, o)
	if err != nil {
		return err
	}
	build := dataset.Defaults()
	build.Params, build.Length, build.Workers, build.Fsync, build.FFmpeg = o.Params, o.Clip, o.Workers, false, "none"
	build.Output = filepath.Join(dir, "out.h5")
	run := func() (EndToEnd, error) {
		r, err := dataset.Build(ctx, list, build)
		return EndToEnd{
			Files: r.Files, Workers: build.Workers, FilesPerS: r.FilesPerS, Seconds: r.WallSeconds,
			Stages: r.Stages,
		}, err
	}
	onGPU := func() (e EndToEnd, err error) {
		e, t.Pool, err = onPool(driver, o, build.Workers, func(p *Pool) (EndToEnd, error) {
			build.Computer, build.Memory = p.Computer, p
			return run()
		})
		return e, err
	}
	for _, by := range []struct {
		into    *Built
		workers int
		run     func() (EndToEnd, error)
	}{{&t.CPU, runtime.GOMAXPROCS(0), run}, {&t.GPU, Workers(), onGPU}} {
		if o.Workers == 0 {
			build.Workers = by.workers
		}
		if by.into.Fresh, err = by.run(); err != nil {
			return err
		}
		if err := os.Rename(build.Output, dataset.PartName(build.Output)); err != nil {
			return err
		}
		if by.into.Again, err = by.run(); err != nil {
			return err
		}
		if err := os.Remove(build.Output); err != nil {
			return err
		}
	}
	return nil
}

// filesFor is how many files take about a second, for a build has a tenth of one of its own: a quarter as many
// where they would take more than a quarter of the room.
func filesFor(dir string, o SelfTestOptions) int {
	const most = 8192
	if free, _, err := files.Space(dir); err == nil && free/4 < uint64(most*rowSize(o)) {
		return most / 4
	}
	return most
}

// onPool runs a build on GPUs that are opened for it, and tells how busy they were.
func onPool(driver *cuda.Driver, o SelfTestOptions, workers int, run func(*Pool) (EndToEnd, error)) (e EndToEnd, s Stats, err error) {
	pool, err := openOn(driver, Options{
		Params: o.Params, RowSamples: int(o.Clip.Seconds() * float64(o.Params.SampleRate)), Autosize: true, Workers: workers,
	})
	if err != nil {
		return e, s, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if e, err = run(pool); err != nil {
		return e, s, err
	}
	s = pool.Stats()
	s.Over(e.Seconds)
	e.Busy = s.BusyRatio
	if len(s.Lost) > 0 {
		return e, s, errors.New(s.Lost[0])
	}
	return e, s, nil
}

// writeSounds writes some WAV files, and lists them as often as files are wanted.
func writeSounds(ctx context.Context, dir string, o SelfTestOptions) (*dataset.List, error) {
	samples := int(o.Clip.Seconds() * float64(o.Params.SampleRate))
	sound := melcuda.MadeUp(samples + distinct*101)
	for i := range min(distinct, o.Files) {
		wav, err := audio.AppendWAV(nil, o.Params.SampleRate, 1, sound[i*101:][:samples])
		if err == nil {
			err = files.Write(filepath.Join(dir, fmt.Sprintf("%03d.wav", i)), wav)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot write the test files: %w", err)
		}
	}
	list, err := dataset.Find(ctx, []string{dir}, dataset.FindOptions{})
	if err != nil {
		return nil, err
	}
	for n := len(list.Items); len(list.Items) < o.Files; {
		list.Items = append(list.Items, list.Items[len(list.Items)-n])
	}
	return list, nil
}

// bound says what keeps the faster end-to-end run from being faster still: the part of the way that it comes near to,
// or else what the workers do.
func (t *SelfTest) bound() string {
	const near = 0.8
	e := t.GPU.Again
	if t.GPU.Fresh.FilesPerS > e.FilesPerS {
		e = t.GPU.Fresh
	}
	switch {
	case e.FilesPerS >= near*t.Speeds.Kernel:
		return "the kernel"
	case e.FilesPerS >= near*t.Speeds.Transfers:
		return "the bus between host and GPU"
	}
	all := e.Seconds * float64(e.Workers)
	return fmt.Sprintf("the CPU: its workers spend %.0f%% reading and decoding, %.0f%% "+
		"writing, %.0f%% waiting for features",
		100*e.Stages.Decode/all, 100*e.Stages.Write/all, 100*e.Stages.Compute/all)
}
