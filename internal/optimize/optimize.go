package optimize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"saturate/internal/analyze"
	"saturate/internal/device"
	"saturate/internal/files"
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/project"
	"saturate/internal/rule"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// Options are the protocol's settings, and the functions by which it acts.
type Options struct {
	Dir     string   // the user's project; only read
	Command []string // what trains; runs in a copy of Dir
	State   string   // folder of this protocol: trees, measurements, decisions

	Steps       int  // of each run; 0 for DefaultSteps, or fewer where they are slow
	Pairs       int  // of the final proof
	LadderPairs int  // of each rung, at least
	Quick       bool // one pair for each rung: unproven
	Rules       rule.Selection
	Vendor      bool // write the code that repaired programs import into the project
	SafeOnly    bool // leave out repairs that may change what the program computes
	Timeout     time.Duration
	Budget      time.Duration // no measurement begins after it; 0: none
	Search      time.Duration // no fix is tried after it, once one is kept, and what was kept is proven; 0: all that are worth it
	Writable    []string      // folders outside of the copies that programs may write to
	PlanOnly    bool

	Propose Propose // makes more candidates when nothing that is known is left; may be nil
	Grow    Grow    // looks for a larger batch at the end; may be nil

	Profile Profile        // runs the baseline once and looks closely
	Execute verify.Execute // runs a program of the proof
	Screen  verify.Execute // runs one of a rung; as Execute does when nil
	Forked  func() int     // tells how many runs were forked; may be nil
	Look    verify.Look    // tells what a program trains on; may be nil
	Prepare Prepare        // runs the command that makes files for a repair
	System  device.System  // asked about GPU clocks and neighbours; may be nil
	Tell    func(Event)    // hears how far it is; may be nil
	Now     func() time.Time
}

// Profile runs a program once, with the modules of its tree, and measures where its time goes.
type Profile func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error)

// Profiled is what a Profile saw.
type Profiled struct {
	Run   run.Run
	Trace *analyze.Analysis // nil when there is none
	From  []string          // the files it was made from
	Notes []string          // about files of the user's that the program wrote to, and that are unchanged
	GPU   bool              // the program used one
	// Making is how long a worker process of the loader computes to make a sample, without its waiting; 0 when there are
	// none. InProcess is that of the training process itself. Cores is how many the program may use.
	Making, InProcess float64
	Cores             int
	Workers           int              // worker processes of the loader that made most batches
	Loaded            []string         // files of the project that were imported, relative and with slashes; nil where that is not known
	Idle              map[string][]int // lines of these files that were passed over
}

// Prepare runs a command once, in a tree and with its modules.
type Prepare func(ctx context.Context, home probe.Home, command []string) error

// Event is something to show while the protocol runs.
type Event struct {
	Phase   Phase
	Text    string        // what begins, or what just ended
	Rung    *Rung         // a decision that was just made
	Measure *verify.Event // how far the measurement of the phase is
}

// Phase is a part of the protocol.
type Phase string

const (
	Scanning  Phase = "scan"
	Profiling Phase = "baseline"
	Planning  Phase = "plan"
	Climbing  Phase = "ladder"
	Growing   Phase = "batch"
	Proving   Phase = "proof"
)

// Result is the outcome of the protocol.
type Result struct {
	Dir        string            `json:"dir"`      // the user's project
	State      string            `json:"state"`    // folder that keeps trees, runs and records
	Command    []string          `json:"command"`  // that starts the program
	Findings   []finding.Finding `json:"findings"` // of the user's tree
	Baseline   Baseline          `json:"baseline"`
	Candidates []Candidate       `json:"plan"`
	Elsewhere  []Candidate       `json:"elsewhere,omitempty"` // what is not tried where there is no GPU
	End        End               `json:"end,omitempty"`       // why nothing more was tried
	Left       []Left            `json:"left,omitempty"`      // what could still be gained
	Grown      *Grown            `json:"grown,omitempty"`     // a larger batch, where one was asked for
	ByHand     []ByHand          `json:"by_hand,omitempty"`   // what no repair covers
	Ladder     []Rung            `json:"ladder"`
	Final      *verify.Result    `json:"final,omitempty"`
	After      *Baseline         `json:"after,omitempty"`      // where the time of the repaired program goes
	Patch      string            `json:"patch,omitempty"`      // its file
	Diff       string            `json:"diff,omitempty"`       // of all kept repairs
	Pieces     []Piece           `json:"pieces,omitempty"`     // each kept repair as a patch of its own
	RunWith    []string          `json:"run_with,omitempty"`   // the command, where a repair changed it
	Branch     string            `json:"branch,omitempty"`     // with a commit for each repair, where one was asked for
	Prepare    []string          `json:"prepare,omitempty"`    // commands to run once before training
	Notes      []string          `json:"notes,omitempty"`      // what a reader has to know
	Forked     int               `json:"forked,omitempty"`     // runs that began in a process with the libraries imported; those of the proof never do
	Unfinished string            `json:"unfinished,omitempty"` // why there is no proof yet
}

// Baseline is where the time of a program goes.
type Baseline struct {
	SecondsPerStep float64            `json:"s_per_it"`                 // median of the steady steps
	SamplesPerStep float64            `json:"samples_per_it,omitempty"` // samples in a step, mean
	Parts          []run.Part         `json:"parts,omitempty"`
	Bottleneck     analyze.Bottleneck `json:"bottleneck,omitempty"`   // where there is a trace
	Sentence       string             `json:"sentence"`               // where the time goes, in a sentence
	Shares         Shares             `json:"shares"`                 // of the step, by part
	GPU            bool               `json:"gpu"`                    // the program used one
	Busy           float64            `json:"gpu_busy,omitempty"`     // share of the time, where there is a trace
	Forecasts      []Forecast         `json:"forecasts,omitempty"`    // what the trace says that repairs would bring
	Making         float64            `json:"s_per_sample,omitempty"` // CPU seconds that a worker process computes for a sample
	Cores          int                `json:"cores,omitempty"`        // CPU cores of the machine
	Workers        int                `json:"workers"`                // worker processes of the loader
	Loaded         []string           `json:"loaded,omitempty"`       // files of the project that it imported
	Idle           map[string][]int   `json:"idle,omitempty"`         // their lines that never ran, in functions that did
	Versions       map[string]string  `json:"versions,omitempty"`     // of Python and of the libraries that it ran with
	Costs          []run.Function     `json:"costs,omitempty"`        // what making samples spends its time on
	Looked         bool               `json:"looked,omitempty"`       // at its trace
	Run            string             `json:"run,omitempty"`          // its folder
	Traces         []string           `json:"traces,omitempty"`       // the files that Forecasts are made from
	WallSeconds    float64            `json:"wall_s"`                 // of the whole process, profiled where it was
	StartSeconds   float64            `json:"start_s,omitempty"`      // what a run takes beside its steps, in the ladder where it was part of it
}

// ErrNothing is the error for a project with nothing to try.
var ErrNothing = errors.New("the scan found nothing that can be fixed automatically")

const (
	DefaultSteps       = 50
	DefaultLadderPairs = 3
)

func (o Options) defaults() Options {
	if o.Pairs == 0 {
		o.Pairs = verify.DefaultPairs
	}
	if o.LadderPairs == 0 {
		o.LadderPairs = DefaultLadderPairs
	}
	if o.Timeout == 0 {
		o.Timeout = verify.DefaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Screen == nil {
		o.Screen = o.Execute
	}
	o.Command = inCopy(o.Command, o.Dir)
	return o
}

// inCopy is a command in which absolute paths into the project are redirected to the copy that it runs in.
func inCopy(command []string, dir string) []string {
	list := slices.Clone(command)
	for i, word := range list {
		if filepath.IsAbs(word) && files.Inside(word, dir) && i > 0 { // the first may be the Python of an environment in there
			if relative, err := filepath.Rel(dir, word); err == nil {
				list[i] = relative
			}
		}
	}
	return list
}

// Run carries out the protocol, or resumes it.
func Run(ctx context.Context, o Options) (Result, error) {
	o = o.defaults()
	p := &protocol{Options: o, deadline: deadline(o), began: o.Now()}
	if err := p.open(); err != nil {
		return Result{}, err
	}
	defer p.close()
	before := p.state.Forked
	err := p.run(ctx)
	if p.Forked != nil && p.Forked() > 0 {
		p.state.Forked = before + p.Forked()
		err = errors.Join(err, p.save())
	}
	p.result.Forked = p.state.Forked
	p.result.Ladder = append(slices.Clone(p.state.Rungs), p.untried...)
	for i, r := range p.result.Ladder {
		p.result.Ladder[i].Standing = p.state.Standings[r.Tree]
	}
	p.weather()
	var stopped *verify.Stopped
	if errors.As(err, &stopped) || errors.Is(err, errBudget) {
		p.result.Unfinished = unfinished(err)
		err = ctx.Err()
	}
	return p.result, err
}

func deadline(o Options) time.Time {
	if o.Budget == 0 {
		return time.Time{}
	}
	return o.Now().Add(o.Budget)
}

func unfinished(err error) string {
	if errors.Is(err, errBudget) {
		return "the budget is used up; run the same command to continue"
	}
	return "it was stopped; run the same command to continue"
}

// protocol is the state of one Run.
type protocol struct {
	Options
	deadline   time.Time
	began      time.Time
	lock       unlocker
	state      state
	planted    bool // the copy of the project was made by this call
	reach      reach
	tidy       map[string]bool // folders of copies in which nothing ran since they were cleaned
	trying     Rung            // the candidate at hand, with what it brought
	affordable int             // pairs that the budget leaves for it; 0: as many as are needed
	alone      bool            // nothing else is worth trying, so it may take the time of others
	seen       map[string]sight
	plans      map[string]plan            // of each best tree
	idling     map[string]map[string]bool // the text of lines that never ran, by the file
	untried    []Rung                     // what was planned and not worth trying
	result     Result
}

func (p *protocol) run(ctx context.Context) error {
	p.result.Dir, p.result.State, p.result.Command = p.Dir, p.State, run.MaskCommand(p.Command)
	p.tell(Event{Phase: Scanning, Text: "reading the project"})
	source, err := project.Load(ctx, []string{p.base().dir}, project.Options{})
	if err != nil {
		return err
	}
	for _, m := range source.Modules {
		if m.Says(p.Dir) {
			p.result.Notes = append(p.result.Notes, fmt.Sprintf("%s uses the absolute path of this folder: it reads and writes your files, not the copy's", p.shownPath(m.Path, p.base())))
		}
	}
	if err := p.baseline(ctx); err != nil {
		return err
	}
	p.reach = reachOf(source, p.base().dir, p.Command).ran(p.state.Baseline.Loaded)
	plan, err := p.plan(ctx, p.base(), p.state.Baseline)
	if err != nil {
		return err
	}
	p.result.Findings = p.shown(plan.findings, p.base())
	p.result.Candidates, p.result.Elsewhere, p.result.ByHand = plan.candidates, plan.elsewhere, plan.byHand
	if len(plan.outside) > 0 {
		p.result.Notes = append(p.result.Notes, leftOut(plan.outside))
	}
	if len(plan.idle) > 0 {
		p.result.Notes = append(p.result.Notes, neverRan(plan.idle))
	}
	p.tell(Event{Phase: Planning, Text: human.Plural(len(p.result.Candidates), "fix", "fixes") + " to try"})
	switch {
	case p.PlanOnly:
		return p.finish()
	case len(p.result.Candidates) == 0 && p.Propose == nil && p.Grow == nil:
		if err := p.finish(); err != nil {
			return err
		}
		return ErrNothing
	}
	if err := p.climb(ctx); err != nil {
		return err
	}
	if err := p.prove(ctx); err != nil {
		return err
	}
	if err := p.grow(ctx); err != nil {
		return err
	}
	return p.finish()
}

// baseline profiles the user's unchanged program, once.
func (p *protocol) baseline(ctx context.Context) error {
	if p.state.Baseline == nil {
		p.tell(Event{Phase: Profiling, Text: fmt.Sprintf("running up to %d steps of the original program", cmp.Or(p.Steps, DefaultSteps))})
		b, err := p.profile(ctx, p.base(), "baseline", p.Steps)
		if err != nil {
			return err
		}
		p.state.Baseline = b
		if err := p.save(); err != nil {
			return err
		}
	}
	p.result.Baseline = *p.state.Baseline
	p.tell(Event{Phase: Profiling, Text: p.result.Baseline.Sentence})
	return nil
}

// profile runs the program of a tree once and tells where its time goes. 0 steps: as many as take a while.
func (p *protocol) profile(ctx context.Context, t tree, name string, steps int) (*Baseline, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	defer p.tidily(t.dir)()
	seen, err := p.Profile(ctx, p.watched(t), p.commandOf(t.name), steps, p.path(name))
	if err != nil {
		return nil, err
	}
	for _, note := range seen.Notes {
		if !slices.Contains(p.state.Notes, note) {
			p.state.Notes, p.result.Notes = append(p.state.Notes, note), append(p.result.Notes, note)
		}
	}
	b, err := baselineOf(seen)
	if err == nil {
		b.Loaded, b.Idle, b.Versions = seen.Loaded, seen.Idle, seen.Run.Environment.Versions
	}
	return b, err
}

// prove measures the user's program against the best one, on fresh blocks, with all pairs.
func (p *protocol) prove(ctx context.Context) error {
	best := p.best()
	if best == p.base() {
		return nil
	}
	if err := p.difference(best); err != nil {
		return err
	}
	if err := p.pieces(best); err != nil {
		return err
	}
	if command := p.commandOf(best.name); !slices.Equal(command, p.Command) {
		p.result.RunWith = run.MaskCommand(command)
	}
	p.tell(Event{Phase: Proving, Text: pairsOf(p.Pairs) + ", before and after the fixes"})
	folder := fmt.Sprintf("proof-%s-%d", best.name, p.Pairs)
	final, err := verify.Read(p.path(folder)) // nothing is left to be run, and the trees need not be as they were then
	if err != nil || final.Pairs < p.Pairs || final.Verdict == verify.Invalid {
		final, err = p.measure(ctx, Proving, folder, p.base(), best, p.kept())
	}
	if err != nil {
		return err
	}
	switch again, err := p.retreat(ctx, final); {
	case err != nil:
		return err
	case again:
		return p.prove(ctx)
	}
	p.result.Final = &final
	if p.state.After == nil || p.state.AfterOf != best.name {
		if p.expired() {
			return nil // the proof is what counts
		}
		after, err := p.profile(ctx, best, "after", p.Steps)
		if err != nil {
			p.result.Notes = append(p.result.Notes, "cannot profile the fixed program: "+err.Error())
			return nil
		}
		p.state.After, p.state.AfterOf = after, best.name
		if err := p.save(); err != nil {
			return err
		}
	}
	p.result.After = p.state.After
	return nil
}

// weather collects the warnings of finished and unfinished measurements about the machine and about files outside the
// copies.
func (p *protocol) weather() {
	var busy []string
	for _, r := range p.result.Ladder {
		for _, w := range r.Warnings {
			switch {
			case verify.BusyCPU(w):
				busy = append(busy, w)
			case (verify.AboutMachine(w) || probe.IsOutside(w)) && !slices.Contains(p.result.Notes, w):
				p.result.Notes = append(p.result.Notes, w)
			}
		}
	}
	if len(busy) > 1 {
		busy = []string{fmt.Sprintf("all CPU cores were busy while %d of %d fixes were measured, which widens their intervals", len(busy), len(p.result.Ladder))}
	}
	p.result.Notes = append(p.result.Notes, busy...)
}

func (p *protocol) tell(e Event) {
	if p.Tell != nil {
		p.Tell(e)
	}
}
