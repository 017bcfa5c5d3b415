// Package probe runs a user's Python program and watches its steps from the inside, without a
// change to it. Folder py holds the part that runs inside; it is embedded in the binary.
//
//	Plan ─> Watch: unpack py, start the command with it first on PYTHONPATH
//	py/sitecustomize ─> wraps torch, jax … when the program imports them ─> JSON lines, one file a process
//	follow.go ─> reads the lines while they are written ─> run.Recorder ─> Outcome
//
// A program that crashes or is killed leaves a Run with all the steps it has told of.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/process"
	"saturate/internal/run"
)

// Plan says what to run and how to watch it.
type Plan struct {
	Command []string // the program and its arguments
	Dir     string   // where it runs; the current folder when empty
	Environ []string // the variables it starts with; those of this process when nil
	Env     []string // further variables, NAME=value

	Root   string // the folder of Runs; when empty the Run is only returned and leaves no files
	Name   string // of the experiment; after the program when empty
	Config []byte // what else defines the experiment: it tells Runs of one command apart

	Steps     int           // 0: to its end; otherwise it is ended, with exit code 0, once so many steps are measured
	Within    *Within       // nil: all of them; otherwise fewer where they take long
	Timeout   time.Duration // 0: none; otherwise it is ended with all its children
	Seed      *int64        // for random, numpy and torch, when the program imports them; what it seeds itself stays
	Loss      bool          // record each step's loss, without making the host wait for the device
	Trace     *Schedule     // nil: no profiler
	Samples   *SamplePlan   // nil: nothing of what the model sees is looked at
	NoCompile bool          // torch.compile leaves functions as they are
	Attach    bool          // hand the summary to the experiment tracker that the program uses
	Sample    bool          // look at the stacks of training and of its workers, to name the functions that cost the time

	Confine *process.Confinement // nil: it may write wherever the user may
	// where it may be forked from a process that has imported its libraries; nil: a fresh process
	Forks *Forks

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	OnStep         func(run.Step) // called with each step of the first rank as it comes
}

// Within ends a program of slow steps before it has made all that Plan.Steps asks for: once it has made this many and
// they have taken this long.
type Within struct {
	Steps   int     `json:"steps"`
	Seconds float64 `json:"s"`
}

// Outcome is what a program did while it was watched.
type Outcome struct {
	Run       run.Run  // with the steps of the first rank
	Exit      int      // 128 + n when signal n ended it
	Stopped   bool     // ended by Plan.Steps
	TimedOut  bool     // ended by Plan.Timeout
	Ranks     []Rank   // every process that made steps, by rank; one for an ordinary program
	Facts     Facts    // what the first rank told of itself
	Workers   Workers  // what the loader's workers did
	Traces    []string // files that the profiler wrote
	Inference bool     // no optimizer: a step is a call of the model
	Lost      error    // why not all that the program did is known: the disk is full; a note of the Run says so too

	Crash   *Crash            // what ended a program that failed; nil where that is not known
	Flame   run.Flame         // the stacks that Plan.Sample saw; Run.Functions names what costs
	Outside []string          // files outside of its own folders that it wrote to, and that are as they were
	Samples Samples           // what the program was seen to train on, where that was asked for
	Reports []json.RawMessage // what the module of a Tuning told, in order
	Trial   *BatchTold        // what the program told of its memory, where a BatchPlan asked for it
}

// Latest is the newest trace. Of several ranks it is all traces: which one holds the others up shows only beside them.
func (o Outcome) Latest() []string {
	if len(o.Ranks) > 1 || len(o.Traces) == 0 {
		return o.Traces
	}
	return o.Traces[len(o.Traces)-1:]
}

// Rank is one process of the program.
type Rank struct {
	Rank  int        `json:"rank"`  // number of the rank
	World int        `json:"world"` // number of ranks
	PID   int        `json:"pid"`   // of the process
	Steps []run.Step `json:"-"`
}

// OtherRanks are the steps of all ranks but the one that the Run holds.
func (o Outcome) OtherRanks() (others [][]run.Step) {
	for _, r := range o.Ranks[min(1, len(o.Ranks)):] {
		others = append(others, r.Steps)
	}
	return others
}

// How long a program may take to end after it was asked to.
const (
	politely     = 10 * time.Second // after SIGINT or SIGTERM
	afterStop    = 3 * time.Second  // after it has told that its steps are done
	pollInterval = 50 * time.Millisecond
)

// Watch runs the program and returns when it has ended. The error is for a program that could not be
// started or a Run that could not be written; how the program itself fared is in the Outcome.
// When ctx is cancelled the program gets an interrupt, as Ctrl-C would send it, or SIGTERM where that is the cause.
func Watch(ctx context.Context, p Plan) (Outcome, error) {
	if err := p.check(); err != nil {
		return Outcome{}, err
	}
	root := p.Root
	if root == "" {
		temporary, err := os.MkdirTemp("", "saturate-run-")
		if err != nil {
			return Outcome{}, fmt.Errorf("cannot make a folder for the run: %w", err)
		}
		defer os.RemoveAll(temporary)
		root = temporary
	}
	inside, err := unpack()
	if err != nil {
		return Outcome{}, err
	}
	environ := p.environ()
	recorder, err := run.Create(root, p.name(), run.Options{
		Command: p.Command, Config: p.Config, Environment: run.Capture(ctx, p.dir(), environ),
	})
	if err != nil {
		return Outcome{}, err
	}
	w := &watched{plan: p, recorder: recorder, follow: follower{dir: filepath.Join(recorder.Dir(), "probe")}}
	out, err := w.run(ctx, environ, inside)
	if p.Root == "" {
		out.Run.Dir = ""
	}
	return out, err
}

func (p Plan) check() error {
	switch {
	case len(p.Command) == 0:
		return errors.New("no command was given; put it after --")
	case p.Trace != nil && p.Root == "":
		return errors.New("recording a trace needs a folder for Runs")
	}
	if err := refused(p.Command); err != nil {
		return err
	}
	if p.Trace != nil {
		return p.Trace.check(p.Steps)
	}
	return nil
}

// watched is a program that runs.
type watched struct {
	plan     Plan
	recorder *run.Recorder
	follow   follower
	command  *exec.Cmd
	program  string  // its path
	lost     []error // why steps are not in the Run's file
}

func (w *watched) run(ctx context.Context, environ []string, inside string) (Outcome, error) {
	var out Outcome
	if err := w.follow.begin(); err != nil {
		return out, fmt.Errorf("cannot start a run in %s: %w", w.recorder.Dir(), err)
	}
	settings, err := w.plan.settings(w.follow.dir, w.recorder.Dir())
	if err != nil {
		return out, err
	}
	w.command = process.Command(context.Background(), w.plan.Command[0], w.plan.Command[1:]...)
	w.command.Dir, w.program = w.plan.Dir, w.command.Path
	w.command.Env = withProbe(environ, inside, settings)
	w.command.Stdin, w.command.Stdout, w.command.Stderr = w.plan.Stdin, w.plan.Stdout, w.plan.Stderr
	w.command.WaitDelay = 2 * time.Second // for children that keep a pipe open
	restore := process.Foreground(w.command)
	w.follow.step = func(s run.Step) error {
		if w.plan.OnStep != nil {
			w.plan.OnStep(s)
		}
		if err := w.recorder.Step(s); err != nil {
			w.lost = append(w.lost, err) // a full disk: the step counts all the same
		}
		return nil
	}
	w.follow.replace = w.recorder.Replace
	released := func() []string { return nil }
	var forked *job
	plain := exec.Cmd{Path: w.command.Path, Args: w.command.Args, Env: w.command.Env, Err: w.command.Err}
	if c := w.plan.Confine; c != nil {
		own := process.Confinement{Own: append(slices.Clone(c.Own), absolute(w.recorder.Dir()))}
		if forked = w.plan.Forks.job(ctx, w.command, inside); forked != nil {
			own.Fork = forked.fork()
			defer forked.close()
		}
		if released, err = own.Apply(w.command); err != nil {
			w.recorder.Discard()
			return out, err
		}
	}
	others := watchOthers(device.Host{})
	if err := w.command.Start(); err != nil {
		w.recorder.Discard() // nothing was run
		return out, startError(w.plan, err)
	}
	defer process.Bind(w.command)()
	forked.started()
	w.wait(ctx, &out)
	others.leftover += forked.cpu()
	restore()
	if out.Stopped || out.TimedOut || ctx.Err() != nil || w.follow.noRoom() != nil { // that it stopped may be lost too
		process.KillGroup(w.command.Process.Pid, others.leftovers(w.command.Process.Pid, w.follow.dir))
	}
	if err := w.follow.finish(); err != nil {
		w.recorder.Note("some of the probe's records are lost: %v", err)
	}
	out.Exit = process.ExitCode(w.command.ProcessState)
	if out.Stopped {
		out.Exit = 0
	}
	if out.Outside = released(); len(out.Outside) > 0 {
		if process.How() == process.Open {
			return out, fmt.Errorf("the program wrote to %s, outside its copy, and nothing "+
				"here can prevent that; allow it with --writable %s", out.Outside[0], filepath.Dir(out.Outside[0]))
		}
		w.recorder.Note("%s", WroteOutside(out.Outside))
	}
	w.recorder.Crowded(others.took())
	w.close(&out)
	if w.plan.Confine != nil && forked == nil && ctx.Err() == nil {
		w.plan.Forks.warm(&plain, inside)
	}
	out.Run.Leftover = others.leftover
	return out, nil
}

// wait follows the program to its end, and ends it when it is time.
func (w *watched) wait(ctx context.Context, out *Outcome) {
	ended := make(chan struct{})
	go func() {
		_ = w.command.Wait() // its ProcessState tells more
		close(ended)
	}()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	var timeout <-chan time.Time
	if w.plan.Timeout > 0 {
		timer := time.NewTimer(w.plan.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	cancelled := ctx.Done()
	var next []process.Signal // the next signals, if the program does not end
	var when time.Time
	tell := func(signals ...process.Signal) { next, when = signals, time.Now() }
	hear := func() {
		if err := w.follow.read(); err != nil {
			w.recorder.Note("the probe's records cannot be read: %v", err)
		}
	}
	for {
		select {
		case <-ended:
			hear() // it is gone as soon as it has told that its steps are done
			out.Stopped = w.follow.stopped
			return
		case <-cancelled:
			cancelled = nil
			if byTermination(ctx) {
				tell(process.SIGTERM, process.SIGKILL)
			} else {
				tell(process.SIGINT, process.SIGTERM, process.SIGKILL)
			}
		case <-timeout:
			timeout, out.TimedOut = nil, true
			w.recorder.Note("it was ended after %v, its time limit", w.plan.Timeout)
			tell(process.SIGTERM, process.SIGKILL)
		case <-poll.C:
			hear()
			if w.follow.stopped && !out.Stopped {
				out.Stopped = true
				tell(process.SIGTERM, process.SIGKILL)
				when = when.Add(afterStop)
			}
		}
		if len(next) > 0 && !time.Now().Before(when) {
			process.SignalGroup(w.command.Process.Pid, next[0])
			next, when = next[1:], time.Now().Add(politely)
		}
	}
}

// byTermination reports whether SIGTERM ended the context: programs that save themselves on it, because a scheduler takes
// their machine away, are to get it too.
func byTermination(ctx context.Context) bool {
	return strings.HasPrefix(context.Cause(ctx).Error(), syscall.SIGTERM.String()) // the words of signal.NotifyContext
}

// close brings what was learnt into the Run. If the end of a Run cannot be written, what is known is returned: the
// program has run, and what was seen of it is worth more than its files.
func (w *watched) close(out *Outcome) {
	f := &w.follow
	out.Ranks, out.Facts, out.Workers, out.Inference = f.ranks(), f.facts(), f.workers(), f.inference()
	out.Reports, out.Lost, out.Samples, out.Trial = f.reports(), f.noRoom(), f.samples(), f.trial()
	if out.Exit != 0 {
		out.Crash = f.crash()
	}
	w.plan.Forks.learn(w.program, f.imports())
	w.recorder.Learn(out.Facts.Versions, out.Facts.gpus())
	if f.main != nil {
		seen := f.looks(w.plan.dir())
		out.Flame = seen.flame()
		w.recorder.Spent(seen.functions(f.main.steps))
	}
	for _, note := range f.allNotes(w.plan) {
		w.recorder.Note("%s", note)
	}
	if err := w.keep(out); err != nil {
		w.recorder.Note("%v", err)
	}
	os.RemoveAll(f.dir)
	if n := len(w.lost); n > 0 {
		w.recorder.Note("%s could not be kept: %v", human.Plural(n, "step"), w.lost[0])
	}
	var err error
	if out.Run, err = w.recorder.Finish(out.Exit); err != nil {
		out.Run.Notes = append(out.Run.Notes, err.Error())
	}
	if f.main != nil && len(out.Run.Steps) < len(f.main.steps) {
		out.Run.Steps = f.main.steps
	}
}

// outsideNote begins the note about files that a confined program wrote to.
const outsideNote = "the program wrote outside its copy"

// WroteOutside says which files of the user's a confined program wrote to.
func WroteOutside(files []string) string {
	const most = 3
	shown := strings.Join(files[:min(most, len(files))], ", ")
	if more := len(files) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return outsideNote + ": " + shown + "; your files are unchanged (--writable DIR lets it write there)"
}

// IsOutside reports whether a note is such a one.
func IsOutside(note string) bool { return strings.HasPrefix(note, outsideNote) }

func startError(p Plan, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s was not found; give its full path, or activate its environment", ErrMissing, p.Command[0])
	}
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("%w: %s is not executable; try: python %[2]s", ErrMissing, p.Command[0])
	}
	return fmt.Errorf("cannot start %s: %w", p.Command[0], err)
}

// ErrMissing is a program that cannot be found or executed.
var ErrMissing = errors.New("the program cannot be started")
