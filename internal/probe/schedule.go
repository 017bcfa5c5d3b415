package probe

import "fmt"

// Schedule says when the profiler records, in units of steps or epochs. Wait counts once, at the start;
// Repeat counts further cycles of Warmup and Active after the first.
type Schedule struct {
	Wait          int    `json:"wait"`
	Warmup        int    `json:"warmup"`
	Active        int    `json:"active"`
	Repeat        int    `json:"repeat"`
	RecordShapes  bool   `json:"record_shapes"`
	ProfileMemory bool   `json:"profile_memory"`
	WithStack     bool   `json:"with_stack"`
	Unit          string `json:"unit"` // step or epoch
	Gzip          bool   `json:"gzip"`
}

// DefaultSchedule skips the first steps and records two times three.
func DefaultSchedule() Schedule {
	return Schedule{Wait: 3, Warmup: 1, Active: 3, Repeat: 1, RecordShapes: true, ProfileMemory: true, Unit: "step"}
}

// Units is how long a run must be for all that is to be recorded.
func (s Schedule) Units() int { return s.Wait + (s.Warmup+s.Active)*(s.Repeat+1) }

func (s Schedule) check(steps int) error {
	switch {
	case s.Wait < 0 || s.Warmup < 0 || s.Repeat < 0:
		return fmt.Errorf("profiling: wait, warmup and repeat cannot be negative")
	case s.Active < 1:
		return fmt.Errorf("profiling: active is %d, but at least one %s has to be recorded", s.Active, s.Unit)
	case s.Unit != "step" && s.Unit != "epoch":
		return fmt.Errorf("profiling: unit is step or epoch, not %q", s.Unit)
	case s.Unit == "step":
		return s.TooShort(steps)
	}
	return nil
}
