package run

import (
	"fmt"
	"time"
)

// Clock tells the date and, apart from it, how long something took. The two are kept apart because
// the date may be set while a program runs, and because tests set both.
type Clock struct {
	Now     func() time.Time     // the date, for people
	Elapsed func() time.Duration // since some fixed moment, never backwards
}

// systemClock is the machine's own clock.
func systemClock() Clock {
	start := time.Now()
	return Clock{
		Now:     func() time.Time { return time.Now().Round(0) }, // without the monotonic reading
		Elapsed: func() time.Duration { return time.Since(start) },
	}
}

// jumpTolerance is how far the two readings may drift apart between two looks at them.
const jumpTolerance = time.Second

// watch compares the date with the time elapsed, to notice when somebody sets the date.
type watch struct {
	clock   Clock
	date    time.Time
	elapsed time.Duration
}

func startWatch(clock Clock) *watch {
	return &watch{clock: clock, date: clock.Now(), elapsed: clock.Elapsed()}
}

// jump looks at both readings and describes a jump since the last look, or returns "".
func (w *watch) jump() string {
	date, elapsed := w.clock.Now(), w.clock.Elapsed()
	drift := date.Sub(w.date) - (elapsed - w.elapsed)
	w.date, w.elapsed = date, elapsed
	switch {
	case drift < -jumpTolerance:
		return fmt.Sprintf("the clock was set back by %v; durations do not depend on it", (-drift).Round(time.Second))
	case drift > jumpTolerance:
		return fmt.Sprintf("the clock was set forward by %v, or the machine slept; durations do not depend on it",
			drift.Round(time.Second))
	}
	return ""
}
