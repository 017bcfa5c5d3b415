package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"saturate/internal/cuda"
	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/mel"
	melcuda "saturate/internal/mel/cuda"
)

// MelSpeed measures how many clips a second become log-mel features: by each instruction set of the processor with
// several numbers of threads, and by the GPU where there is one.
type MelSpeed struct {
	System  device.System
	Params  mel.Params
	Clip    time.Duration
	Threads []int
	GPU     bool
}

// Framework is go: nothing else is needed.
func (MelSpeed) Framework() string { return "go" }

// repeats of a rate: the fewest whose median has an interval.
const repeats = fewestCalls

// Measure computes made-up speech again and again.
func (e MelSpeed) Measure(ctx context.Context, plan Plan, tell func(Event)) (Measured, error) {
	out := Measured{Machines: []Machine{onProcessor(ctx, e.System)}}
	samples := int(e.Clip.Seconds() * float64(e.Params.SampleRate))
	sound := mel.Samples{PCM: melcuda.MadeUp(samples)}
	levels := mel.Levels()
	of := len(levels)*len(e.Threads) + 1
	for i, level := range levels {
		for j, threads := range e.Threads {
			tell(Event{Framework: "go", Done: i*len(e.Threads) + j, Of: of, What: fmt.Sprintf("%s, %s", level,
				human.Plural(threads, "thread"))})
			r, err := e.onCPU(ctx, plan, level, threads, sound)
			if err != nil {
				return out, err
			}
			out.Rates = append(out.Rates, r)
		}
	}
	if e.GPU {
		tell(Event{Framework: "go", Done: of - 1, Of: of, What: "GPU"})
		if err := e.onGPU(ctx, plan, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (e MelSpeed) onCPU(ctx context.Context, plan Plan, level mel.Level, threads int, sound mel.Samples) (MeasuredRate, error) {
	r := MeasuredRate{
		Framework: "go", Name: fmt.Sprintf("%s, %s", level, human.Plural(threads, "thread")),
		Workers: threads,
	}
	length := sound.Len()
	extractors, rows := make([]*mel.Extractor, threads), make([][]uint16, threads)
	for i := range extractors {
		x, err := mel.NewAt(e.Params, level)
		if err != nil {
			return r, err
		}
		extractors[i], rows[i] = x, make([]uint16, e.Params.Mels*e.Params.Frames(length))
	}
	hold := plan.Time / repeats
	for repeat := range repeats + 1 { // the first one warms up
		clips := make([]int, threads)
		failed := make([]error, threads)
		began := time.Now()
		var working sync.WaitGroup
		for i := range threads {
			working.Go(func() {
				for clips[i] == 0 || time.Since(began) < hold && ctx.Err() == nil {
					if _, failed[i] = extractors[i].Half(rows[i], sound, length); failed[i] != nil {
						return
					}
					clips[i]++
				}
			})
		}
		working.Wait()
		took := time.Since(began).Seconds()
		if err := errors.Join(append(failed, ctx.Err())...); err != nil {
			return r, err
		}
		if repeat == 0 {
			continue
		}
		total := 0
		for _, n := range clips {
			total += n
		}
		r.Seconds, r.Items, r.Audio = append(r.Seconds, took), append(r.Items, float64(total)), append(r.Audio,
			float64(total)*e.Clip.Seconds())
	}
	return r, nil
}

// Clips that a GPU computes together, and how many batches are on their way at a time.
const (
	gpuBatch = 64
	gpuLanes = 3
)

func (e MelSpeed) onGPU(ctx context.Context, plan Plan, out *Measured) error {
	driver, err := cuda.Open()
	switch {
	case errors.Is(err, cuda.ErrUnavailable):
		out.Skipped = append(out.Skipped, Skip{"gpu", err.Error()})
		return nil
	case err != nil:
		return err
	}
	devices, err := driver.Devices()
	if err != nil || len(devices) == 0 {
		out.Skipped = append(out.Skipped, Skip{"gpu", "the driver reports no GPU"})
		return nil
	}
	rates := []MeasuredRate{
		{Framework: "gpu", Name: "kernel alone"},
		{Framework: "gpu", Name: "with copies, pinned"},
		{Framework: "gpu", Name: "with copies, not pinned"},
	}
	for range repeats {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := melcuda.Measure(devices[0], e.Params, e.Clip, gpuBatch, gpuLanes,
			max(plan.Time/repeats, 100*time.Millisecond))
		if err != nil {
			return err
		}
		for i, perSecond := range []float64{s.Kernel, s.Transfers, s.Copied} {
			rates[i].Seconds, rates[i].Items = append(rates[i].Seconds, 1), append(rates[i].Items, perSecond)
			rates[i].Audio = append(rates[i].Audio, perSecond*e.Clip.Seconds())
		}
	}
	out.Rates = append(out.Rates, rates...)
	return nil
}
