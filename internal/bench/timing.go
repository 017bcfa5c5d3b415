package bench

import (
	"context"
	"time"
)

// Bounds of the warm-up: it ends when a call is no longer clearly faster than those before.
const (
	leastWarmUp = 2
	mostWarmUp  = 20
	stillFalls  = 0.95
)

// measure times a function. before, where it is set, runs untimed ahead of every call.
func measure(ctx context.Context, effort Effort, before, call func() error) (Timing, error) {
	var t Timing
	fastest, began := time.Duration(0), time.Now()
	for t.Unsteady = true; t.Unsteady && t.WarmUp < mostWarmUp; {
		took, _, err := timed(ctx, nil, call)
		if err != nil {
			return t, err
		}
		t.WarmUp++
		t.Unsteady = t.WarmUp < leastWarmUp || float64(took) < stillFalls*float64(fastest)
		if fastest == 0 || took < fastest {
			fastest = took
		}
		if time.Since(began) > effort.Time {
			t.Unsteady = t.Unsteady && t.WarmUp > leastWarmUp // a call that takes that long is warm after one
			break
		}
	}
	var spent time.Duration
	began = time.Now()
	for len(t.Wall) < effort.Iterations {
		took, cpu, err := timed(ctx, before, call)
		if err != nil {
			return t, err
		}
		t.Wall = append(t.Wall, took.Seconds())
		t.CPU = append(t.CPU, cpu.Seconds())
		spent += took
		over := spent > effort.Time || time.Since(began) > slowSeries*effort.Time // emptying caches takes time too
		if n := len(t.Wall); over && n >= fewestCalls || spent > slowSeries*effort.Time && n >= fewestSlow {
			t.Cut = n < effort.Iterations
			break
		}
	}
	return t, nil
}

func timed(ctx context.Context, before, call func() error) (wall, cpu time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	if before != nil {
		if err := before(); err != nil {
			return 0, 0, err
		}
	}
	cpuBefore, began := cpuTime(), time.Now()
	err = call()
	wall, cpu = time.Since(began), cpuTime()-cpuBefore
	if err == nil {
		err = ctx.Err() // a call that was stopped on its way took no time that counts
	}
	return wall, cpu, err
}
