package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"saturate/internal/device"
)

// Executor measures a plan with one framework.
type Executor interface {
	Framework() string
	// Measure gives what it found out also when it fails on the way.
	Measure(ctx context.Context, plan Plan, tell func(Event)) (Measured, error)
}

// Event is how far an executor is.
type Event struct {
	Framework string
	Done, Of  int
	What      string
}

// MissingError is a framework that is not installed.
type MissingError struct{ Skip }

func (e *MissingError) Error() string { return e.Skip.String() }

// errNothing means that nothing of a plan could be measured.
var errNothing = errors.New("nothing could be measured")

// Run measures a plan with every executor, one after the other. A framework that is missing is skipped
// as long as another one runs.
func Run(ctx context.Context, sys device.System, plan Plan, executors []Executor, tell func(Event)) (Measured, error) {
	out := Measured{Plan: plan, Started: time.Now()}
	ran, busy := false, device.ReadBusy(sys)
	for _, e := range executors {
		m, err := e.Measure(ctx, plan, tell)
		var missing *MissingError
		switch {
		case errors.As(err, &missing):
			out.Skipped = append(out.Skipped, missing.Skip)
			continue
		case ctx.Err() != nil:
			out.add(m)
			return out, context.Cause(ctx)
		case err != nil && len(executors) == 1 && m.Empty():
			return out, err
		case err != nil:
			m.Notes = append(m.Notes, fmt.Sprintf("%s stopped: %v", e.Framework(), err))
			out.Incomplete = true
		}
		ran = true
		out.add(m)
	}
	if !ran {
		var why []string
		for _, s := range out.Skipped {
			why = append(why, s.String())
		}
		return out, &MissingError{Skip{Why: strings.Join(why, "; ")}}
	}
	now := device.ReadBusy(sys)
	out.OtherCores, out.Contended = now.Since(busy)
	out.Stolen = now.Stolen(busy)
	if out.Empty() {
		return out, fmt.Errorf("%w: %s", errNothing, strings.Join(out.failures(), "; "))
	}
	return out, nil
}

// Empty reports whether there is not a single time in it.
func (m Measured) Empty() bool {
	timed := func(t Timings) bool { return len(t.counted().samples()) > 0 }
	for _, c := range m.Cases {
		if slices.ContainsFunc(c.Components, func(x MeasuredComponent) bool { return timed(x.Timings) }) ||
			slices.ContainsFunc(c.Levels, func(x MeasuredLevel) bool { return timed(x.Timings) }) {
			return false
		}
	}
	return !slices.ContainsFunc(m.Layers, func(x MeasuredLayer) bool { return timed(x.Timings) }) &&
		!slices.ContainsFunc(m.Rates, func(x MeasuredRate) bool { return len(x.Seconds) > 0 })
}

// failures are the reasons why things are missing, each once.
func (m Measured) failures() []string {
	out := slices.Clone(m.Notes)
	for _, c := range m.Cases {
		out = append(out, c.Failed...)
	}
	for _, s := range m.Skipped {
		out = append(out, s.String())
	}
	for _, l := range m.Layers {
		out = append(out, l.Skipped)
	}
	for _, r := range m.Rates {
		out = append(out, r.Skipped)
	}
	return unique(slices.DeleteFunc(out, func(s string) bool { return s == "" }))
}
