package device

import (
	"fmt"
	"slices"
	"time"

	"saturate/internal/cuda"
)

// CopySpeed is how fast memory moved between host and GPU, one sample a copy.
type CopySpeed struct {
	Memory    string    `json:"memory"`    // pinned, pageable
	Direction string    `json:"direction"` // h2d, d2h
	Bytes     int       `json:"bytes"`     // of each copy
	GBps      []float64 `json:"gb_per_s"`  // 1e9 bytes a second
}

// Median is the middle sample, or 0 without samples.
func (c CopySpeed) Median() float64 {
	if len(c.GBps) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(c.GBps))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

const (
	copyBytes   = 64 << 20 // long against the microseconds a copy takes to start
	copySamples = 7
)

// MeasureCopies times copies both ways, from pinned memory by the GPU's clock, from pageable memory
// by the host's: such a copy goes through the driver's staging buffer and returns when it is done.
func MeasureCopies(ctx *cuda.Context) ([]CopySpeed, error) {
	var speeds []CopySpeed
	err := ctx.Do(func() error {
		mem, err := ctx.AllocDevice(copyBytes)
		if err != nil {
			return err
		}
		defer mem.Free()
		pinned, err := ctx.AllocPinned(copyBytes)
		if err != nil {
			return err
		}
		defer pinned.Free()
		timer, err := newTimer(ctx)
		if err != nil {
			return err
		}
		defer timer.destroy()
		pageable := make([]byte, copyBytes)
		for i := range pageable { // so that the pages exist
			pageable[i] = byte(i)
		}
		copy(pinned.Bytes, pageable)

		for _, c := range []struct {
			memory, direction string
			once              func() (time.Duration, error)
		}{
			{"pinned", "h2d", func() (time.Duration, error) {
				return timer.time(func(s cuda.Stream) error { return s.CopyToDevice(mem, pinned.Bytes) })
			}},
			{"pinned", "d2h", func() (time.Duration, error) {
				return timer.time(func(s cuda.Stream) error { return s.CopyToHost(pinned.Bytes, mem) })
			}},
			{"pageable", "h2d", func() (time.Duration, error) {
				start := time.Now()
				if err := ctx.CopyToDevice(mem, pageable); err != nil {
					return 0, err
				}
				err := ctx.Synchronize() // the last piece may still be on its way
				return time.Since(start), err
			}},
			{"pageable", "d2h", func() (time.Duration, error) {
				start := time.Now()
				err := ctx.CopyToHost(pageable, mem)
				return time.Since(start), err
			}},
		} {
			speed := CopySpeed{Memory: c.memory, Direction: c.direction, Bytes: copyBytes}
			for i := range 1 + copySamples {
				took, err := c.once()
				if err != nil {
					return fmt.Errorf("copying %s memory, %s: %w", c.memory, c.direction, err)
				}
				if i > 0 && took > 0 { // the first one warms up
					speed.GBps = append(speed.GBps, copyBytes/took.Seconds()/1e9)
				}
			}
			speeds = append(speeds, speed)
		}
		return nil
	})
	return speeds, err
}

// timer times work of one stream by the GPU's clock.
type timer struct {
	stream     cuda.Stream
	begin, end cuda.Event
}

func newTimer(ctx *cuda.Context) (t timer, err error) {
	if t.stream, err = ctx.NewStream(); err != nil {
		return t, err
	}
	if t.begin, err = ctx.NewEvent(); err != nil {
		return t, err
	}
	t.end, err = ctx.NewEvent()
	return t, err
}

func (t timer) time(work func(cuda.Stream) error) (time.Duration, error) {
	if err := t.stream.Record(t.begin); err != nil {
		return 0, err
	}
	if err := work(t.stream); err != nil {
		return 0, err
	}
	if err := t.stream.Record(t.end); err != nil {
		return 0, err
	}
	if err := t.end.Synchronize(); err != nil {
		return 0, err
	}
	return t.end.Since(t.begin)
}

// destroy lets go; the context's release would do the same, so failures do not matter.
func (t timer) destroy() {
	_ = t.begin.Destroy()
	_ = t.end.Destroy()
	_ = t.stream.Destroy()
}
