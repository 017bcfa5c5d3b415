package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"saturate/internal/cuda"
	"saturate/internal/dataset"
	"saturate/internal/dataset/gpu"
	"saturate/internal/human"
	melcuda "saturate/internal/mel/cuda"
	"saturate/internal/report"
)

// melGPU are the flags that only a GPU needs.
type melGPU struct {
	device   string
	batch    int
	autosize bool
	selfTest bool
}

func (g *melGPU) flags(fs *pflag.FlagSet) {
	fs.StringVar(&g.device, "device", "cpu", "compute on cpu, cuda (all visible NVIDIA GPUs), or auto (cuda if available)")
	fs.IntVar(&g.batch, "gpu-batch", gpu.DefaultBatch, "maximum rows per GPU batch")
	fs.IntVar(&g.batch, "seg-microbatch-segments", gpu.DefaultBatch, "same as --gpu-batch")
	fs.BoolVar(&g.autosize, "autosize-gpu-batch", true,
		"fit the GPU batch to free GPU memory; if off, use --gpu-batch unchanged")
	fs.BoolVar(&g.selfTest, "test-gpu-pipeline", false,
		"measure each part of the GPU pipeline, and the whole, on synthetic audio")
}

// open prepares the GPUs for a build, or gives nil where the CPU computes. Warnings go to say.
func (g melGPU) open(b *dataset.Options, say func(string)) (*gpu.Pool, error) {
	switch g.device {
	case "cpu":
		return nil, nil
	case "cuda", "auto":
	default:
		return nil, usage("--device cannot be %q: use cpu, cuda or auto", g.device)
	}
	if err := melcuda.Fits(b.Params); err != nil { // said aloud: the same numbers, slower
		say(fmt.Sprintf("computing on the CPU: %v", err))
		return nil, nil
	}
	if b.Workers == 0 {
		b.Workers = gpu.Workers()
	}
	row := b.Length
	if b.Segment > 0 {
		row = b.Segment
	}
	o := gpu.Options{
		Params: b.Params, Workers: b.Workers, Buffers: b.Buffers, Batch: g.batch, Autosize: g.autosize,
		Warn: say,
	}
	if b.Layout == dataset.Fixed {
		o.RowSamples = int(row.Seconds() * float64(b.Params.SampleRate))
	}
	pool, err := gpu.Open(o)
	switch {
	case errors.Is(err, cuda.ErrUnavailable) && g.device == "auto":
		return nil, nil
	case errors.Is(err, cuda.ErrUnavailable):
		return nil, exitError{exitMissing, fmt.Errorf("%w; use --device cpu", err)}
	case err != nil:
		return nil, err
	}
	b.Computer, b.Memory = pool.Computer, pool
	return pool, nil
}

// gpuBlock shows what the GPUs did, for --profile.
func gpuBlock(s gpu.Stats) report.Block {
	table := &report.Table{Columns: []report.Column{
		{Name: "On the GPU"},
		{Name: "Seconds", Right: true},
		{Name: "ms/batch", Right: true},
		{Name: "GB/s", Right: true},
	}}
	for _, row := range []struct {
		name    string
		seconds float64
		bytes   int64
	}{{"to the GPU", s.H2DSeconds, s.BytesIn}, {"kernels", s.ComputeSeconds, 0}, {
		"to the host", s.D2HSeconds,
		s.BytesOut,
	}} {
		speed := ""
		if row.bytes > 0 && row.seconds > 0 {
			speed = fmt.Sprintf("%.1f", float64(row.bytes)/row.seconds/1e9)
		}
		table.Rows = append(table.Rows, []string{
			row.name, fmt.Sprintf("%.3f", row.seconds),
			fmt.Sprintf("%.3f", 1000*row.seconds/float64(max(1, s.Batches))), speed,
		})
	}
	table.Foot = fmt.Sprintf("%s rows in %s batches; peak memory: %s on the GPU, %s pinned on the host.",
		human.Count(int(s.Rows)), human.Count(int(s.Batches)), human.Memory(s.PeakBytes), human.Memory(s.PinnedBytes))
	if s.OnCPU > 0 {
		table.Foot += fmt.Sprintf(" The CPU computed %s rows.", human.Count(int(s.OnCPU)))
	}
	return report.Block{Heading: "On the GPU", Table: table}
}

// testGPU is --test-gpu-pipeline.
func testGPU(ctx context.Context, o melOptions) (report.Report, error) {
	o.definition()
	t, err := gpu.RunSelfTest(ctx, gpu.SelfTestOptions{
		Params: o.build.Params, Clip: o.build.Length,
		Workers: o.build.Workers,
	})
	switch {
	case errors.Is(err, cuda.ErrUnavailable):
		return report.Report{}, exitError{exitMissing, err}
	case err != nil:
		return report.Report{}, err
	}
	out := report.Report{Title: "GPU pipeline", Tone: report.Good, Data: melData{SelfTest: &t}}
	out.Summary = []string{
		fmt.Sprintf("%s: %s files/s into a new file (%s the CPU), %s files/s overwriting one (%s the CPU).",
			t.Device, human.Count(int(t.GPU.Fresh.FilesPerS+0.5)), human.Times(t.GPU.Fresh.FilesPerS/t.CPU.Fresh.FilesPerS), human.Count(int(t.GPU.Again.FilesPerS+0.5)), human.Times(t.GPU.Again.FilesPerS/t.CPU.Again.FilesPerS)),
		fmt.Sprintf("The bottleneck is %s.", t.Bound),
	}
	if a := t.Speeds.Agreement; a.Far > 0 || a.Share() > 0.002 {
		out.Tone, out.Outcome = report.Bad, report.Found
		out.Summary = append(out.Summary, fmt.Sprintf("GPU and CPU values differ: %v.", a))
	}
	table := &report.Table{
		Columns: []report.Column{{Name: "What"}, {Name: "Figure", Right: true}, {Name: "How"}},
		Rows:    t.Rows(),
	}
	out.Blocks = append(out.Blocks, report.Block{Heading: "Measured", Table: table})
	return out, nil
}
