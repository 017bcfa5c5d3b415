package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"saturate/internal/bench/py"
	"saturate/internal/process"
)

// Python measures with torch or JAX, by the module of folder py in a process of its own: both want the GPU's
// memory for themselves.
type Python struct {
	Name        string // torch or jax
	Interpreter string // "" where there is none; Why says what to do then
	Why         string
	Environ     []string
	Dir         string
	Loaders     []LoaderPlan
	Layers      []LayerPlan
}

// Framework is torch or jax.
func (p Python) Framework() string { return p.Name }

// Measure runs the plan, in a second process where full float32 and TF32 are both asked for.
func (p Python) Measure(ctx context.Context, plan Plan, tell func(Event)) (Measured, error) {
	if p.Interpreter == "" {
		return Measured{}, &MissingError{Skip{p.Name, p.Why}}
	}
	dir, err := os.MkdirTemp("", "saturate-bench-")
	if err != nil {
		return Measured{}, fmt.Errorf("cannot create a folder for the measuring module: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := py.Write(dir); err != nil {
		return Measured{}, err
	}
	var out Measured
	for _, part := range p.parts(plan) {
		r := &pythonReader{tf32: part.FP32 == "tf32", tell: tell}
		err := p.run(ctx, dir, part, r)
		if len(out.Machines) > 0 && len(r.out.Machines) > 0 {
			r.out.Machines = nil // the same machine again
		}
		out.add(r.out)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// parts are the plans for single processes.
func (p Python) parts(plan Plan) []pythonPlan {
	base := pythonPlan{
		Protocol: 1, Framework: p.Name, Device: plan.Device, FP32: "ieee", Iterations: plan.Iterations,
		MaxSeconds: plan.Time.Seconds(),
		Seed:       plan.Seed, Levels: append([]int{}, plan.Levels...),
	}
	if plan.Cold {
		base.Cache = append(base.Cache, "cold")
	}
	if plan.Warm {
		base.Cache = append(base.Cache, "warm")
	}
	full, tf32 := base, base
	tf32.FP32 = "tf32"
	switch plan.Task {
	case Attention:
		for _, c := range plan.Cases() {
			switch {
			case c.Framework != p.Name:
			case c.DType == "tf32":
				tf32.Attention = append(tf32.Attention, pythonAttention{c.Shape, "fp32"})
			default:
				full.Attention = append(full.Attention, pythonAttention{c.Shape, c.DType})
			}
		}
	case Layer:
		for _, l := range p.Layers {
			for _, s := range plan.Shapes() {
				line := pythonLayer{
					Layer: l.Layer, Batch: s.Batch, Seq: s.Seq, MemorySeq: l.MemorySeq, DModel: s.DModel,
					Heads: s.Heads, FFN: l.FFN, Depth: l.Depth,
				}
				if line.FFN == 0 {
					line.FFN = 4 * s.DModel
				}
				for _, d := range unique(plan.DTypes) {
					if d != "tf32" {
						line.Precision = append(line.Precision, d)
					}
				}
				if len(line.Precision) > 0 {
					full.Layers = append(full.Layers, line)
				}
				if len(line.Precision) < len(unique(plan.DTypes)) {
					line.Precision = []string{"fp32"}
					tf32.Layers = append(tf32.Layers, line)
				}
			}
		}
	case Loader:
		for _, l := range p.Loaders {
			full.Loaders = append(full.Loaders, pythonLoader(l))
		}
	}
	var parts []pythonPlan
	for _, part := range []pythonPlan{full, tf32} {
		if len(part.Attention)+len(part.Layers)+len(part.Loaders) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// LayerPlan is a kind of layer to measure. FFN 0 is four times the width.
type LayerPlan struct {
	Layer     string
	MemorySeq int
	FFN       int
	Depth     int
}

// LoaderPlan is a source of samples to read with several numbers of workers.
type LoaderPlan struct {
	Source  string
	Workers []int
	Batch   int
	Batches int
	Repeats int
	Seconds float64
}

// largestLine is the most of one line that is read; thousands of samples fit.
const largestLine = 64 << 20

// run is one process.
func (p Python) run(ctx context.Context, dir string, plan pythonPlan, r *pythonReader) error {
	text, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	cmd := process.Command(ctx, p.Interpreter, filepath.Join(dir, py.Runner), "--plan", "-")
	var said process.Tail
	cmd.Stdin, cmd.Stderr, cmd.Dir, cmd.Env = bytes.NewReader(text), &said, p.Dir, append(p.Environ[:len(p.Environ):len(p.Environ)], "PYTHONDONTWRITEBYTECODE=1")
	process.Own(cmd)
	cmd.Cancel = func() error { return process.Kill(cmd) }
	cmd.WaitDelay = 5 * time.Second
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return &MissingError{Skip{p.Name, fmt.Sprintf("cannot start %s: %v; choose another Python with --python",
			p.Interpreter, err)}}
	}
	defer process.Bind(cmd)()
	readErr := r.readAll(lines)
	waitErr := cmd.Wait()
	_ = process.Kill(cmd) // compile workers may outlive it
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.fatal != nil && (r.fatal.What == "framework" || r.fatal.What == "device"):
		return &MissingError{Skip{p.Name, r.fatal.Message}}
	case r.fatal != nil:
		return errors.New(r.fatal.Message)
	case readErr != nil:
		return fmt.Errorf("%s is not Python, or something in it writes to the measurement pipe: %w", p.Interpreter, readErr)
	case !r.ended && waitErr == nil:
		return fmt.Errorf("%s exited early; it may not be Python: choose another with --python", p.Interpreter)
	case !r.ended:
		return fmt.Errorf("%s crashed while measuring with %s (%v)%s", p.Interpreter, p.Name, waitErr,
			process.Clause(process.LastLine(said)))
	}
	return nil
}

func (r *pythonReader) readAll(lines io.Reader) error {
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, largestLine)
	var problem error
	for scanner.Scan() {
		if line := bytes.TrimSpace(scanner.Bytes()); len(line) > 0 && problem == nil {
			problem = r.read(line)
		}
	}
	if problem == nil {
		problem = scanner.Err()
	}
	_, _ = io.Copy(io.Discard, lines) // so that the process can end
	return problem
}
