// Package verify proves a change of speed, or says that it cannot be proven.
//
//	what the user named ─> Prepare ─> two Variants            refs, folders, patches: a folder each
//	Plan ─> schedule ─> Blocks                                seeded, recorded before the first run
//	Block ─> Execute, twice, side by side ─> two Runs         kept on the disk at once, so that a stopped experiment goes on
//	      ─> sameWork, conditions                             a block that compares unlike things does not count
//	Blocks ─> Judge ─> Result: Verdict, Guard, Smallest       computed from the raw steps each time, never stored alone
//
// The unit of replication is the process run: the steps of one process share its clocks, its memory
// layout and its neighbors. So a Block is one run of each variant, one right after the other, in random
// order, and gives one number: the logarithm of after's time over before's. Some Blocks run the baseline
// against itself (A/A); they tell the smallest effect that this machine can show.
package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"saturate/internal/device"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/run"
)

// Execute runs a Trial and returns what it measured. A program that fails is a Run that says so;
// an error means that nothing could be run at all.
type Execute func(ctx context.Context, t Trial) (run.Run, error)

// Trial is one process to run.
type Trial struct {
	Name     string // verify-before, verify-after
	Side     Side
	Block    int
	Dir      string
	Command  []string
	Env      []string // NAME=value, on top of what the program gets anyway
	Steps    int      // after so many the program may be ended; 0: no limit
	Seed     int64    // for programs that set none themselves
	Scratch  string   // a folder for what the run leaves; "" when nothing is kept
	Progress func(steps int)

	// folders that it may write for real; elsewhere its writes are lost. nil: it may write anywhere
	Own     []string
	Home    probe.Home          // where its modules have to come from
	Modules func(probe.Modules) // hears where they came from, where that is known; may be nil
}

// Options are what an experiment needs besides its Plan.
type Options struct {
	Dir     string            // keeps each finished block; an experiment found there goes on; "" keeps nothing
	Execute Execute           // how a Trial is run: Probe, or a simulation
	Look    Look              // tells what a program trains on; nil: the samples stay unchecked
	System  device.System     // asked about GPU clocks and neighbours; nil asks nobody
	Confine *Confine          // nil: programs may write wherever the user may
	Enough  func(Result) bool // asked after each block whether the rest is needed; nil: all are run
	Tell    func(Event)       // hears how far it is; may be nil
	Now     func() time.Time

	watch func(context.Context, device.System) (stop func(run.Run) Conditions) // watchMachine; tests have another
}

// Confine keeps the programs of an experiment from writing to the user's files.
type Confine struct {
	Writable []string // folders that they may write to all the same
}

// own are the folders that the program of a variant may write for real: what the user allows, and a copy that its owner
// cleans before each run. What it writes to its own folder otherwise ends with it, so that each run starts from the
// same files; without an overlay it must be able to write somewhere.
func (o Options) own(v Variant, scratch string) []string {
	if o.Confine == nil {
		return nil
	}
	list := append([]string{}, o.Confine.Writable...)
	if v.Kind == Folder && v.Origin != "" || process.How() != process.Overlay {
		list = append(list, v.Root)
	}
	if scratch != "" {
		list = append(list, scratch)
	}
	return list
}

// Event is something to show while an experiment runs.
type Event struct {
	Block, Blocks int  // 1, 2, … of how many
	Runs, AllRuns int  // finished ones
	Side          Side // whose run it is
	Calibration   bool
	Samples       bool   // a short run that shows what the program trains on
	Step          int    // steps of the present run so far
	Problem       string // why the block that just ended does not count
}

// Stopped is an experiment that was ended from outside. Finished pairs are kept.
type Stopped struct {
	Done, Blocks int
	Dir          string
	Cause        error
}

func (s *Stopped) Error() string {
	return fmt.Sprintf("stopped after %d of %d pairs; run the same command to continue", s.Done, s.Blocks)
}

func (s *Stopped) Unwrap() error { return s.Cause }

// Run carries an experiment out and judges it. It ends early when its outcome cannot change any more:
// a variant crashed, or the two do different work.
func Run(ctx context.Context, plan Plan, opt Options) (Result, error) {
	e, done, err := open(plan, opt)
	if err != nil {
		return Result{}, err
	}
	defer done()
	if err := e.run(ctx); err != nil {
		return Result{}, err
	}
	return e.judge()
}

// open prepares an experiment, or goes on with the one that its folder holds. done gives the folder free.
func open(plan Plan, opt Options) (e *experiment, done func(), err error) {
	plan = plan.Defaults()
	if err := plan.check(); err != nil {
		return nil, nil, err
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.watch == nil {
		opt.watch = watchMachine
	}
	done = func() {}
	if opt.Dir != "" {
		if err := files.MakeOwn(opt.Dir); err != nil {
			return nil, nil, fmt.Errorf("cannot save the experiment: %w", err)
		}
		if done, err = files.LockFolder(opt.Dir, "the same experiment"); err != nil {
			return nil, nil, err
		}
	}
	store, blocks, err := openStore(opt.Dir, plan)
	if err != nil {
		done()
		return nil, nil, err
	}
	return &experiment{
		plan: plan, opt: opt, store: store, slots: schedule(plan), blocks: blocks,
		samples: readSamples(opt.Dir),
	}, done, nil
}

// judge says what the blocks so far show.
func (e *experiment) judge() (Result, error) {
	result := Judge(e.plan, e.blocks, e.samples)
	result.Dir = e.opt.Dir
	if e.outOfBudget {
		result.Warnings = append(result.Warnings, fmt.Sprintf("the budget of %s was used up after %d of %d pairs",
			human.Seconds(e.plan.Budget.Seconds()), e.counted(), len(e.slots)))
	}
	return result, e.store.finish(result)
}

// experiment is a Plan on its way.
type experiment struct {
	plan        Plan
	opt         Options
	store       store
	slots       []slot
	blocks      []Block      // finished ones, invalid ones too
	samples     *SampleGuard // nil: not looked at yet
	outOfBudget bool
}

// mostAttempts is how often a block is tried that the machine, not the program, spoils.
const mostAttempts = 3

func (e *experiment) run(ctx context.Context) error {
	started := e.opt.Now()
	if err := e.look(ctx); err != nil {
		return e.stopped(err)
	}
	for i, s := range e.slots {
		for !e.has(i) && !e.over() && !e.enough() {
			if ctx.Err() != nil {
				return e.stopped(ctx.Err())
			}
			if e.plan.Budget > 0 && e.opt.Now().Sub(started) > e.plan.Budget {
				e.outOfBudget = true
				return nil
			}
			block, err := e.block(ctx, i, s)
			if err != nil {
				if ctx.Err() != nil {
					return e.stopped(ctx.Err())
				}
				return err
			}
			if err := e.add(block); err != nil {
				return err
			}
		}
	}
	return nil
}

// enough reports whether the blocks so far decide what is asked.
func (e *experiment) enough() bool {
	return e.opt.Enough != nil && e.counted() > 0 && e.opt.Enough(Judge(e.plan, e.blocks, e.samples))
}

// add keeps a block that has been run.
func (e *experiment) add(b Block) error {
	e.blocks = append(e.blocks, b)
	if b.Problem != "" {
		e.tell(Event{Block: b.Number + 1, Problem: b.Problem})
	}
	return e.store.save(b)
}

// over tells that no further block is worth running: the samples differ, a program failed, the variants do different
// work, or the machine spoilt a block too often.
func (e *experiment) over() bool {
	if e.samples != nil && e.samples.State == Failed {
		return true
	}
	for _, b := range e.blocks {
		if b.Fatal != "" || !e.has(b.Number) && e.attempts(b.Number) >= mostAttempts {
			return true
		}
	}
	return false
}

// block runs the two trials of a slot, one right after the other.
func (e *experiment) block(ctx context.Context, number int, s slot) (Block, error) {
	b := Block{Number: number, Attempt: e.attempts(number), Calibration: s.calibration, Order: s.order, Seed: s.seed}
	for position, which := range s.order {
		variant, side := e.plan.Before, Before
		if which == 1 && !s.calibration {
			variant, side = e.plan.After, After
		}
		event := Event{Block: number + 1, Side: side, Calibration: s.calibration, Runs: 2*e.counted() + position}
		outcome, err := e.arm(ctx, variant, which, s, event)
		if err != nil {
			return b, err
		}
		b.Outcomes[which] = outcome
		if outcome.failed() {
			break
		}
	}
	e.conclude(&b)
	return b, nil
}

// arm runs a variant once, for a block.
func (e *experiment) arm(ctx context.Context, v Variant, which int, s slot, event Event) (Outcome, error) {
	if err := v.unchanged(); err != nil {
		return Outcome{}, err
	}
	number := event.Block - 1
	scratch, err := e.store.scratch(number, e.attempts(number), which)
	if err != nil {
		return Outcome{}, err
	}
	e.tell(event)
	trial := Trial{
		Name: "verify-" + string(event.Side), Side: event.Side, Block: number,
		Dir: v.Dir, Command: fill(v.Command, seedWord,
			fmt.Sprint(s.seed)), Env: v.Env, Home: e.plan.home(v), Steps: e.plan.Steps, Seed: int64(e.plan.Seed), Scratch: scratch,
		Own: e.opt.own(v, scratch),
		Progress: func(steps int) {
			event.Step = steps
			e.tell(event)
		},
	}
	if v.seeded() {
		trial.Seed = int64(s.seed)
	}
	outcome, err := e.trial(ctx, trial)
	if err != nil {
		return Outcome{}, err
	}
	v.describe(&outcome.Run.Environment)
	if scratch != "" {
		outcome.log = filepath.Join(scratch, outputName)
	}
	return outcome, nil
}

// conclude looks whether the runs of a block can be compared.
func (e *experiment) conclude(b *Block) {
	for _, which := range b.Order {
		o, v, side := b.Outcomes[which], e.plan.Before, b.side(which)
		if side == After {
			v = e.plan.After
		}
		switch {
		case o.Failure != "":
			b.end(ByProgram, side, fmt.Sprintf("%s (%s) %s", side, v.Name, o.Failure))
			b.Log = o.log
			return
		case o.Foreign != "":
			b.end(ByModules, "", fmt.Sprintf("%s (%s) %s", side, v.Name, o.Foreign)) // nothing is known of either
			return
		}
	}
	b.check(e.plan)
	for _, o := range b.Outcomes {
		for _, note := range o.Run.Notes {
			if probe.IsOutside(note) {
				b.Notes = append(b.Notes, note)
			}
		}
	}
}

// trial runs one process within its time and looks at the machine meanwhile.
func (e *experiment) trial(ctx context.Context, t Trial) (Outcome, error) {
	limited, cancel := context.WithTimeout(ctx, e.plan.Timeout)
	defer cancel()
	stop := e.opt.watch(ctx, e.opt.System)
	var modules *probe.Modules
	t.Modules = func(m probe.Modules) { modules = &m }
	r, err := e.opt.Execute(limited, t)
	conditions := stop(r)
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case limited.Err() != nil:
		o := outcomeOf(r, conditions)
		o.Failure = fmt.Sprintf("was stopped after %v and %s: it hangs, or --timeout is too short", e.plan.Timeout,
			human.Plural(len(r.Steps), "step"))
		return o, nil
	case err != nil:
		return Outcome{}, fmt.Errorf("%s (%s) cannot be run: %w", t.Side, strings.Join(run.MaskCommand(t.Command), " "), err)
	}
	o := outcomeOf(r, conditions)
	o.Failure, o.Modules = failure(r, t), modules
	if modules != nil {
		o.Foreign = modules.Problem()
	}
	return o, nil
}

// failure says in words why a run cannot be judged, or nothing.
func failure(r run.Run, t Trial) string {
	code := 0
	if r.ExitCode != nil {
		code = *r.ExitCode
	}
	enough := t.Steps > 0 && len(r.Steps) >= t.Steps
	switch {
	case code != 0 && !enough:
		return fmt.Sprintf("failed with %s after %s%s", human.Exit(code), human.Plural(len(r.Steps), "step"), lastWords(r))
	case len(r.Steps) == 0:
		return "ran no training step; check that the command trains, with a PyTorch optimizer or a compiled JAX function" +
			lastWords(r)
	case len(r.Steps) < fewestSteps:
		return fmt.Sprintf("ended after %s: at least %d are needed to tell warm-up from speed",
			human.Plural(len(r.Steps), "step"), fewestSteps)
	}
	return ""
}

// lastWords is what the Run has to say about its end, if anything but that it has no step.
func lastWords(r run.Run) string {
	if len(r.Notes) == 0 || r.Notes[len(r.Notes)-1] == probe.NoStep {
		return ""
	}
	return ": " + r.Notes[len(r.Notes)-1]
}

func (e *experiment) tell(event Event) {
	if e.opt.Tell != nil {
		event.Blocks = len(e.slots)
		if event.AllRuns == 0 {
			event.AllRuns = 2 * len(e.slots)
		}
		e.opt.Tell(event)
	}
}

func (e *experiment) stopped(cause error) error {
	return &Stopped{Done: e.counted(), Blocks: len(e.slots), Dir: e.opt.Dir, Cause: cause}
}

// counted is how many slots have their block.
func (e *experiment) counted() int {
	n := 0
	for i := range e.slots {
		if e.has(i) {
			n++
		}
	}
	return n
}

func (e *experiment) has(number int) bool {
	for _, b := range e.blocks {
		if b.Number == number && b.Problem == "" {
			return true
		}
	}
	return false
}

func (e *experiment) attempts(number int) int {
	n := 0
	for _, b := range e.blocks {
		if b.Number == number {
			n++
		}
	}
	return n
}
