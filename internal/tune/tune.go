package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"saturate/internal/device"
	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/stat"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

// Options are what is to be tuned, how far, and by which hands.
type Options struct {
	Command []string
	Dir     string   // where it runs
	Environ []string // the variables it starts with

	Machine   setting.Machine
	Level     int
	Selection Selection
	Control   string // the file by which settings change while the program runs; "" for none

	Measure    bool          // measure each setting of levels 0 and 1, too, and drop what does not help
	Candidates int           // most settings to measure
	Pairs      int           // of runs for each; 0: as many as it takes to decide
	Steps      int           // of each run
	Budget     time.Duration // for all measurements; 0: none
	Timeout    time.Duration // of one run
	State      string        // folder of the measurements
	MeasureNow bool          // end after the measurements, without running a program

	Watch   Watch          // runs the program
	Execute verify.Execute // runs it in a measurement; nil: under the probe
	Look    verify.Look    // tells what it trains on; nil: under the probe, where Execute is nil too
	System  device.System  // asked about GPU clocks and neighbours; may be nil
	Tell    func(Event)    // hears how far it is; may be nil
	Now     func() time.Time
}

// Event is something to show while it runs.
type Event struct {
	Text    string
	Measure *verify.Event // how far the measurement of Text is
}

const (
	DefaultCandidates = 6
	DefaultBudget     = 10 * time.Minute
	DefaultSteps      = 30
	FewestSteps       = 10 // of a run: fewer do not tell warm-up from speed
	fewestParameters  = 1_000_000
)

// Result is everything there is to say.
type Result struct {
	Command    []string        `json:"command"` // that was run
	Backend    string          `json:"backend"` // cuda, rocm, mps, cpu
	Level      int             `json:"level"`   // highest level of settings that was asked for
	Machine    setting.Machine `json:"machine"`
	Lines      []Line          `json:"settings"`
	Left       []setting.Left  `json:"left_out"`
	Dead       []Dead          `json:"dead_knobs"`
	Changes    []Change        `json:"changes,omitempty"`    // by the control file, while it ran
	Fallback   []string        `json:"fallback,omitempty"`   // what failed, and what was done without
	Skipped    string          `json:"skipped,omitempty"`    // why nothing was measured
	Unfinished string          `json:"unfinished,omitempty"` // why not everything was
	Base       *Effect         `json:"base,omitempty"`       // of the settings of levels 0 and 1 together
	Confirmed  *Effect         `json:"confirmed,omitempty"`  // of the winner, on fresh pairs
	Winner     []string        `json:"winner,omitempty"`     // names of the settings that won
	Notes      []string        `json:"notes,omitempty"`      // what a reader has to know
	Ran        bool            `json:"ran"`                  // the program itself
	Exit       int             `json:"exit_code"`            // exit code of the program
	Steps      int             `json:"steps"`                // that the program made
	Steady     int             `json:"steady_steps"`         // of them, after the warm-up
	StepTime   float64         `json:"s_per_it"`             // median of the steady ones, as profile and report have it; 0 without
	Run        string          `json:"run,omitempty"`        // folder of the Run
	State      string          `json:"state,omitempty"`      // folder that keeps what was measured

	Use     []setting.Choice `json:"-"` // what the program ran with, or would
	Outcome probe.Outcome    `json:"-"`
}

// tuner is one Run on its way.
type tuner struct {
	Options
	module   string
	deadline time.Time
	sources  verify.Variant
	state    state
	dropped  map[string]string // by setting: why it is not used
	result   Result
	effects  map[string]*Effect
	skipped  map[string]string // by setting: why it was not measured
}

// Run tunes a program and runs it. The error is for a program that cannot be started, and for a user who has had
// enough; everything else falls back to fewer settings.
func Run(ctx context.Context, o Options) (Result, error) {
	t := newTuner(o)
	t.defaults()
	use := t.Selection.Use
	var err error
	if t.module, err = module(); err != nil {
		t.fallBack("cannot apply settings: %v", err)
		use, t.Selection = nil, Selection{}
	}
	if t.measures() {
		measured, err := t.contest(ctx)
		switch {
		case ctx.Err() != nil:
			return t.result, errors.Join(ctx.Err(), err)
		case errors.Is(err, probe.ErrMissing):
			return t.result, err
		case err != nil:
			t.fallBack("the measurement failed: %v", err)
			if use = safe(use); t.Measure {
				use = nil
			}
			for _, name := range names(without(slices.Concat(t.Selection.Use, t.Selection.Candidates), names(use)...)) {
				t.dropped[name] = "the measurement failed"
			}
		default:
			use = measured
		}
	}
	t.result.Use = use
	if !t.MeasureNow {
		if err := t.program(ctx, use); err != nil {
			return t.result, err
		}
	}
	t.lines()
	return t.result, nil
}

// Planned is what Run would say of the settings to use if it ended before anything is run.
func Planned(o Options) Result {
	t := newTuner(o)
	t.result.Use = o.Selection.Use
	t.lines()
	return t.result
}

func newTuner(o Options) *tuner {
	t := &tuner{Options: o, dropped: map[string]string{}, effects: map[string]*Effect{}, skipped: map[string]string{}}
	t.result = Result{
		Command: run.MaskCommand(t.Command), Backend: t.Machine.Backend, Level: t.Level, Machine: t.Machine,
		Left: t.Selection.Left, Dead: []Dead{},
	}
	for _, d := range setting.DeadVariables(t.Machine) {
		t.note("the environment sets `%s` = %s, which has no effect: nothing reads it; %s", d.Name,
			t.Machine.Variables[d.Name], d.Instead)
	}
	return t
}

func (t *tuner) defaults() {
	if t.Candidates == 0 {
		t.Candidates = DefaultCandidates
	}
	if t.Steps == 0 {
		t.Steps = DefaultSteps
	}
	if t.Timeout == 0 {
		t.Timeout = verify.DefaultTimeout
	}
	if t.Now == nil {
		t.Now = time.Now
	}
	if t.Execute == nil {
		t.Look = verify.Samples(t.Environ, nil)
		t.Execute = verify.Programs(t.Environ, func(_ verify.Trial, out probe.Outcome) { t.heard(observations(out)) })
	}
	if t.Budget > 0 {
		t.deadline = t.Now().Add(t.Budget)
	}
}

func (t *tuner) measures() bool {
	return t.Level >= setting.Measured || t.Measure
}

// program runs the program as it is meant to run.
func (t *tuner) program(ctx context.Context, use []setting.Choice) error {
	use, out, err := t.run(ctx, use, 0, true)
	if err != nil {
		return err
	}
	r := &t.result
	r.Use, r.Outcome, r.Ran, r.Exit, r.Run = use, out, true, out.Exit, out.Run.Dir
	r.Steps = len(out.Run.Steps)
	if steady := stat.Summarize(run.Steady(out.Run.Steps).StepTimes()); steady.N > 0 {
		r.Steady, r.StepTime = steady.N, float64(steady.Median)
	}
	r.Dead = append(r.Dead, deadKnobs(observations(out))...)
	r.Changes = changes(observations(out))
	return nil
}

// lines puts together what became of each setting.
func (t *tuner) lines() {
	r := &t.result
	seen, imported := observations(r.Outcome), libraries(r.Outcome.Facts.Versions)
	if r.Ran { // before it ran, nobody knew what it is made of
		for _, c := range r.Use {
			if idle(c, imported) {
				t.skipped[c.Name] = unused(c)
			}
		}
		r.Use = slices.DeleteFunc(slices.Clone(r.Use), func(c setting.Choice) bool { return idle(c, imported) })
	}
	for _, c := range slices.Concat(t.Selection.Use, t.Selection.Candidates) {
		l := lineOf(c)
		l.Used = slices.ContainsFunc(r.Use, func(u setting.Choice) bool { return u.Name == c.Name })
		if l.Used && r.Ran {
			l.observe(seen)
		} else if o, ok := t.state.Observed[c.Name]; ok && !idle(c, imported) {
			l.observe(o)
		}
		t.explain(&l)
		r.Lines = append(r.Lines, l)
	}
}

// explain says what was measured of a setting, and why it is not used or was not measured.
func (t *tuner) explain(l *Line) {
	r := &t.result
	l.Dropped, l.Effect, l.Unmeasured = t.dropped[l.Name], t.effects[l.Name], t.skipped[l.Name]
	switch {
	case l.Used:
		l.Dropped = ""
	case l.Dropped == "" && l.Unmeasured == "" && r.Skipped != "":
		l.Unmeasured = "nothing was measured"
	case l.Dropped == "" && l.Unmeasured == "" && r.Ran:
		l.Dropped = "run without it, to see whether the program fails anyway"
	}
	if l.Effect == nil && !t.Measure && l.Level < setting.Measured && r.Base != nil && l.State != NotReached &&
		l.State != ByProgram {
		l.Effect, l.Together = r.Base, true
	}
	if l.Effect != nil {
		l.Guard = l.Effect.Guard
	}
}

func (t *tuner) note(format string, args ...any) {
	t.result.Notes = append(t.result.Notes, fmt.Sprintf(format, args...))
}

func (t *tuner) fallBack(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.result.Fallback = append(t.result.Fallback, text)
	t.tell(Event{Text: text})
}

func (t *tuner) tell(e Event) {
	if t.Tell != nil {
		t.Tell(e)
	}
}
