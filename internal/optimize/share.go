package optimize

import (
	"errors"
	"fmt"
	"slices"

	"saturate/internal/analyze"
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/run"
)

// Shares say how much of a step each area takes. They overlap: a GPU may compute while the host waits for data.
type Shares struct {
	Data     float64 `json:"data"`     // the loop waits for its batch
	Transfer float64 `json:"transfer"` // the batch is on its way to the device
	Host     float64 `json:"host"`     // the device is idle, or not seen, and it is not for data
	Compute  float64 `json:"compute"`  // the device, or the CPU in its place, does the work
	// Optimizer is how much of a step its update of the weights takes: a part of Compute, where no trace tells that the
	// device was idle in it.
	Optimizer float64 `json:"optimizer"`
	// Workers is how much of the cores' time worker processes take to make samples, where the model computes on the same
	// cores: the loop need not wait for data, and is slow because of it all the same.
	Workers float64 `json:"workers"`
	// Apart is how much evaluations and checkpoints take of the time of training, between its steps.
	Apart float64 `json:"apart,omitempty"`
}

func (s Shares) of(areas ...finding.Area) float64 {
	sum := 0.0
	for _, a := range areas {
		switch a {
		case finding.DataArea:
			sum += s.Data
		case finding.TransferArea:
			sum += s.Transfer
		case finding.HostArea:
			sum += s.Host
		case finding.ComputeArea:
			sum += s.Compute
		case finding.OptimizerArea:
			sum += s.Optimizer
		case finding.WorkersArea:
			sum += s.Workers
		case finding.ApartArea:
			sum += s.Apart
		}
	}
	return min(sum, 1)
}

// noticed is the share of the cores from which workers are worth a word.
const noticed = 0.05

// baselineOf reads from a profiled run where its time goes. The steps come from the run, which the profiler does
// not slow down but in the steps it records; the trace tells what the GPU did.
func baselineOf(seen Profiled) (*Baseline, error) {
	r, a := seen.Run, seen.Trace
	steady := run.Steady(r.Steps)
	if len(steady.Steps) == 0 {
		return nil, errors.New("the program ran no training step; check that the command trains and reaches its loop")
	}
	b := stepsOf(slices.Concat(steady.Steps, steady.Again))
	b.Run, b.WallSeconds, b.GPU, b.Cores, b.Workers = r.Dir, r.WallSeconds, seen.GPU, seen.Cores, seen.Workers
	b.Making, b.Costs = max(seen.Making, seen.InProcess), costsOf(r.Functions)
	if seen.Making > 0 {
		b.countWorkers()
	}
	b.describe()
	if a != nil && a.MainGPU() != nil {
		b.Bottleneck, b.Forecasts, b.Traces = a.Verdict.Bottleneck, forecastsOf(a), seen.From
		b.Sentence = fmt.Sprintf("%s/it. %s", human.Seconds(b.SecondsPerStep), a.Verdict.Sentence)
		b.Busy = a.MainGPU().BusyRatio
		b.countEpochs(stepsOf(steady.Steps))
		b.Shares.Compute = b.Busy
		b.Shares.Host = max(0, 1-b.Busy-b.Shares.Data)
	}
	return b, nil
}

// costsOf are the functions that making samples spends its time in.
func costsOf(functions []run.Function) (list []run.Function) {
	for _, f := range functions {
		if f.Inside == "data" {
			list = append(list, f)
		}
	}
	return list
}

// countEpochs adds to what a trace of ordinary steps told what happens in those that recur: at the beginning of an epoch
// a loader without anything ready is waited for, and the GPU waits with the program.
func (b *Baseline) countEpochs(ordinary *Baseline) {
	all, waits := b.SecondsPerStep, b.Shares.Data*b.SecondsPerStep
	again := max(0, waits-ordinary.Shares.Data*ordinary.SecondsPerStep)
	b.Busy *= 1 - again/all
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		f.Seconds, f.Low, f.High = f.Seconds+all-ordinary.SecondsPerStep, f.Low+all-ordinary.SecondsPerStep, f.High+all-ordinary.SecondsPerStep
		if f.Question == freeLoader {
			f.Seconds, f.Low = min(f.Seconds, all-waits), min(f.Low, all-waits)
		}
	}
	if again > all/2 {
		b.Bottleneck = analyze.ByData
		b.Sentence = fmt.Sprintf("%s/it. The first steps of epochs wait for data, which takes %s of the time.", human.Seconds(all), human.Percent(again/all))
	}
}

// stepsOf reads from steps where their time goes: ordinary ones, and those that recur.
func stepsOf(steps []run.Step) *Baseline {
	b := &Baseline{Parts: run.MeanParts(steps)}
	for _, s := range steps {
		b.SecondsPerStep += s.Seconds / float64(len(steps))
		b.SamplesPerStep += s.Samples / float64(len(steps))
	}
	part := map[string]float64{}
	for _, p := range b.Parts {
		part[p.Name] = p.Seconds / b.SecondsPerStep
	}
	b.Shares = Shares{
		Data: part["data"], Transfer: part["h2d"], Host: part[run.Other],
		Compute: part["forward"] + part["backward"] + part["optimizer"] + part["graph"] + part["jit"] + part["gradient"], Optimizer: part["optimizer"],
		Apart: part["evaluation"] + part["checkpoint"],
	}
	if len(b.Parts) == 0 {
		b.Shares = Shares{Data: 1, Transfer: 1, Host: 1, Compute: 1, Optimizer: 1} // nothing is known: nothing is ruled out
	}
	return b
}

// countWorkers adds what worker processes take of the cores that the model computes on.
func (b *Baseline) countWorkers() {
	if !b.GPU && b.Cores > 0 {
		b.Shares.Workers = min(1, b.Making*b.SamplesPerStep/b.SecondsPerStep/float64(b.Cores))
	}
}

func (b *Baseline) describe() {
	b.Sentence = fmt.Sprintf("%s/it, %s of it waiting for data", human.Seconds(b.SecondsPerStep), human.Percent(b.Shares.Data))
	if b.Shares.Workers >= noticed {
		b.Sentence += fmt.Sprintf("; data workers take %s of the CPU", human.Percent(b.Shares.Workers))
	}
}
