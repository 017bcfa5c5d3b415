package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"saturate/internal/device"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/run"
)

// Placeholder stands in a command for the batch size, where the program takes that as an argument.
const Placeholder = "{batch}"

// Programs makes trials of a user's program.
type Programs struct {
	Plan   probe.Plan    // command, folder, variables, where it may write
	Memory int64         // bytes that count; 0: all of the device
	Limit  time.Duration // of one trial
	Folder string        // of its own, for what later trials need to know

	Told probe.BatchTold // of the last trial that made steps
	Last probe.Outcome
}

// errObstacle is a program whose batch size cannot be changed from outside.
var errObstacle = errors.New("the batch size cannot be changed from outside")

// Run carries out a trial.
func (p *Programs) Run(ctx context.Context, t Trial) (Measured, error) {
	plan := p.Plan
	b := probe.BatchPlan{
		Batch: t.Batch, Steps: t.Steps, Memory: p.Memory, Lengths: filepath.Join(p.Folder, "lengths"),
		Host: hostMemory(ctx),
	}
	if p.Told.Trained != nil {
		b.Loader, b.Accumulation = p.Told.Trained, p.Told.Accumulation
	}
	b.Checkpointing = t.Checkpointing
	if takesBatch(plan.Command) {
		plan.Command, b.Batch = withBatch(plan.Command, t.Batch), 0
	}
	variable, err := b.Variable()
	if err != nil {
		return Measured{}, err
	}
	plan.Env = append(slices.Clone(plan.Env), variable, "XLA_PYTHON_CLIENT_PREALLOCATE=false")
	plan.Timeout = p.Limit
	said, err := files.EmptyOwn(filepath.Join(p.Folder, "output"), files.Private)
	if err != nil {
		return Measured{}, fmt.Errorf("cannot create a file for the program's output: %w", err)
	}
	defer said.Close()
	plan.Stdin, plan.Stdout, plan.Stderr = nil, said, said
	out, err := probe.Watch(ctx, plan)
	if err != nil {
		return Measured{}, err
	}
	p.Last = out
	m := measure(out, t)
	if m.Fault == Failed && m.Problem == "" {
		m.Problem = process.LastLineOf(said.Name())
	}
	if m.Fault == Fits {
		err = p.learn(out, t, &m)
	}
	return m, err
}

// learn takes what later trials need to know, and refuses a program that the batch size had no effect on.
func (p *Programs) learn(out probe.Outcome, t Trial, m *Measured) error {
	told := out.Trial
	if told == nil || told.Total == 0 {
		return errors.New("the program's memory use could not be read; on this system, " +
			"that needs a CUDA GPU or Linux")
	}
	first := p.Told.Total == 0
	p.Told = *told
	asks := takesBatch(p.Plan.Command)
	switch {
	case told.Obstacle != nil && !asks:
		return p.obstacle(*told.Obstacle)
	case told.Trained == nil && !asks:
		return p.obstacle(probe.Obstacle{What: "the program trains without a PyTorch DataLoader"})
	}
	if asks {
		m.Batch = t.Batch
	}
	if m.Batch == 0 {
		return p.obstacle(trainedWith(*told,
			"the loader has no batch_size of its own: its dataset or its batch sampler makes the batches"))
	}
	each := samplesOf(out.Run.Steps) / float64(max(1, told.Accumulation))
	if !first && each > 0 && math.Abs(each-float64(m.Batch)) > 0.02*float64(m.Batch)+0.5 {
		what := fmt.Sprintf("batches of %d were requested, but the program trained with %.0f samples", m.Batch, each)
		return p.obstacle(trainedWith(*told, what))
	}
	return nil
}

// trainedWith is an obstacle at the loader that is trained with.
func trainedWith(told probe.BatchTold, what string) probe.Obstacle {
	for _, l := range told.Loaders {
		if told.Trained != nil && l.Number == *told.Trained {
			return probe.Obstacle{What: what, File: l.File, Line: l.Line}
		}
	}
	return probe.Obstacle{What: what}
}

func (p *Programs) obstacle(o probe.Obstacle) error {
	where := ""
	if o.File != "" {
		where = fmt.Sprintf(" (%s:%d)", o.File, o.Line)
	}
	return fmt.Errorf("%w: %s%s; let the program take it as an argument and write %s there: "+
		"saturate batch --start 8 -- %s --batch-size %[4]s",
		errObstacle, o.What, where, Placeholder, strings.Join(p.Plan.Command, " "))
}

func takesBatch(command []string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return strings.Contains(word, Placeholder) })
}

// TakesBatch reports whether a command names the place of its batch size.
func TakesBatch(command []string) bool { return takesBatch(command) }

func withBatch(command []string, batch int) []string {
	list := slices.Clone(command)
	for i, word := range list {
		list[i] = strings.ReplaceAll(word, Placeholder, strconv.Itoa(batch))
	}
	return list
}

// waitCounts is the share of a step beyond which waiting for data decides the speed. Worker processes bring several
// batches at once: most steps wait for none and a few for all, so the middle step does not tell.
const waitCounts = 0.1

// measure takes from a run what the search asks for.
func measure(out probe.Outcome, t Trial) Measured {
	m := Measured{Batch: t.Batch, Steps: len(out.Run.Steps), Wall: out.Run.WallSeconds}
	world := 1
	if told := out.Trial; told != nil {
		m.Memory, m.Lengths = told.Memory, told.Lengths
		if told.Batch > 0 && t.Batch == 0 {
			m.Batch = told.Batch
		}
		if told.Trained != nil {
			for _, l := range told.Loaders {
				if l.Number == *told.Trained {
					m.Samples = l.Samples
				}
			}
		}
	}
	world = max(world, len(out.Ranks))
	m.Fault, m.Problem = faultOf(out, m)
	if m.Fault != Fits {
		return m
	}
	steps := longest(out.Run.Steps)
	var seconds []float64
	samples, all, waited := 0.0, 0.0, 0.0
	for _, s := range steps {
		seconds, all, waited = append(seconds, s.Seconds), all+s.Seconds, waited+s.Part("data")
		samples = max(samples, s.Samples)
	}
	if all > 0 {
		m.Seconds, m.DataWait = median(seconds), waited/all
	}
	if m.DataWait > waitCounts {
		m.Seconds = all / float64(len(seconds))
	}
	if m.Seconds > 0 {
		if samples == 0 {
			samples = float64(m.Batch)
		}
		m.Rate = samples * float64(world) / m.Seconds
	}
	return m
}

// faultOf is how a run went wrong.
func faultOf(out probe.Outcome, m Measured) (Fault, string) {
	text := ""
	if out.Crash != nil {
		text = out.Crash.Type + ": " + out.Crash.Error
	}
	switch {
	case m.OOMs > 0 || strings.Contains(strings.ToLower(text), "out of memory") || strings.Contains(text, "OutOfMemory") ||
		strings.Contains(text, "RESOURCE_EXHAUSTED"):
		return OutOfMemory, "out of memory"
	case out.Exit == 137 && !out.TimedOut: // the kernel ends the process that takes most
		return OutOfMemory, "killed, probably for using too much memory"
	case out.TimedOut && (out.Trial == nil || m.Steps < 3):
		return Failed, fmt.Sprintf("it made %s within its time limit; raise --timeout", human.Plural(m.Steps, "step"))
	case out.Exit != 0 && !out.Stopped && !out.TimedOut:
		if text == "" {
			text = human.Exit(out.Exit)
		}
		return Failed, human.Line(text)
	case m.Steps < 3:
		return Failed, fmt.Sprintf("it made %s; at least 3 are needed", human.Plural(m.Steps, "step"))
	}
	return Fits, ""
}

// longest are the steps whose samples are the longest, without the first of them, which may build caches and choose
// kernels.
func longest(steps []run.Step) []run.Step {
	each := func(s run.Step) float64 {
		if s.Samples == 0 {
			return 0
		}
		return s.Elements / s.Samples
	}
	most := 0.0
	for _, s := range steps {
		most = max(most, each(s))
	}
	var kept []run.Step
	for _, s := range steps[min(1, len(steps)):] {
		odd := slices.ContainsFunc(s.Tags, func(tag string) bool { return tag == "evaluation" || tag == "checkpoint" || tag == "recompilation" })
		if each(s) >= 0.98*most && !odd {
			kept = append(kept, s)
		}
	}
	if len(kept) > 2 {
		return kept[1:]
	}
	if len(kept) == 0 {
		return steps[min(1, len(steps)):]
	}
	return kept
}

func samplesOf(steps []run.Step) float64 {
	var all []float64
	for _, s := range steps {
		if s.Samples > 0 {
			all = append(all, s.Samples)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return median(all)
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// hostMemory is what a program on the CPU may fill, and what is taken of it already.
func hostMemory(ctx context.Context) *probe.HostMemory {
	inventory, _ := device.Detect(ctx, device.Host{}, device.CPU)
	cpu := inventory.Processor
	total := cpu.UsableMemory()
	if total == 0 {
		return nil
	}
	taken := uint64(0)
	if cpu.MemoryBytes > cpu.MemoryAvailableBytes {
		taken = min(total, cpu.MemoryBytes-cpu.MemoryAvailableBytes)
	}
	return &probe.HostMemory{Total: int64(total), Others: int64(taken)}
}

// Parameters is how many have two states of the optimizer each, as Adam keeps them.
func (p *Programs) Parameters() int64 {
	if !strings.Contains(strings.ToLower(p.Told.Optimizer), "adam") || strings.Contains(p.Told.Optimizer, "8bit") {
		return 0
	}
	return p.Told.Parameters
}

// Checkpointed reports whether the last trial had a model that gradients could be checkpointed in.
func (p *Programs) Checkpointed() bool { return p.Last.Trial != nil && p.Last.Trial.Checkpointed > 0 }
