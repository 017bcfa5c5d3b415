package tune

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/tune/setting"
)

// Attempt is one run of the program.
type Attempt struct {
	Env   []string // on top of what it starts with anyway
	Steps int      // it is ended after so many; 0: it runs to its end
	Shown bool     // what it prints is for the user
	Kept  bool     // it leaves a Run
	Limit time.Duration
}

// Watch runs the program once. The error is for one that could not be started.
type Watch func(context.Context, Attempt) (probe.Outcome, error)

// ByProbe runs a program under the probe, as the plan says.
func ByProbe(plan probe.Plan) Watch {
	return func(ctx context.Context, a Attempt) (probe.Outcome, error) {
		p := plan
		p.Env, p.Steps, p.Timeout = a.Env, a.Steps, a.Limit
		if !a.Kept {
			p.Root, p.OnStep = "", nil
		}
		if a.Shown {
			return probe.Watch(ctx, p)
		}
		said, err := os.CreateTemp("", "saturate-tune-")
		if err != nil {
			return probe.Outcome{}, fmt.Errorf("cannot create a file for the program's output: %w", err)
		}
		defer os.Remove(said.Name())
		defer said.Close()
		p.Stdin, p.Stdout, p.Stderr = nil, nil, said
		out, err := probe.Watch(ctx, p)
		if words := process.LastLineOf(said.Name()); crashed(out) && words != "" {
			out.Run.Notes = append(out.Run.Notes, words)
		}
		return out, err
	}
}

// variant is a way to run the program.
type variant struct {
	name string
	env  []string // on top of the others
}

// variant makes what a program starts with to have a set of settings.
func (t *tuner) variant(name string, set []setting.Choice, results bool) (variant, error) {
	plan, err := setting.Plan(set, t.Control)
	if err != nil {
		return variant{}, err
	}
	tuning, err := probe.Tuning{Module: t.module, Plan: plan, Results: results}.Variable()
	return variant{name, append(setting.Environment(set, t.Environ), tuning)}, err
}

// module puts saturate_tune where the program's Python finds it.
func module() (string, error) {
	folder, err := probe.Unpack("tune", map[string][]byte{"saturate_tune.py": setting.Module()})
	return filepath.Join(folder, "saturate_tune.py"), err
}

//go:embed py/saturate_model.py
var caller []byte

// ModelCommand is a program that calls a model of a file again and again with a synthetic input.
func ModelCommand(python, model, shape, device string, calls int) ([]string, error) {
	folder, err := probe.Unpack("model", map[string][]byte{
		"saturate_model.py":  caller,
		"saturate_inputs.py": setting.Inputs(),
	})
	command := []string{python, filepath.Join(folder, "saturate_model.py"), model, "--calls", fmt.Sprint(calls)}
	if shape != "" {
		command = append(command, "--shape", shape)
	}
	if device != "" {
		command = append(command, "--device", device)
	}
	return command, err
}

// attempt runs the program with a set of settings.
func (t *tuner) attempt(ctx context.Context, set []setting.Choice, steps int, shown, kept bool) (probe.Outcome, error) {
	v, err := t.variant("", set, false)
	if err != nil {
		return probe.Outcome{}, err
	}
	a := Attempt{Env: v.env, Steps: steps, Shown: shown, Kept: kept}
	if steps > 0 {
		a.Limit = t.Timeout
	}
	out, err := t.Watch(ctx, a)
	if err == nil && !kept {
		err = out.Lost // what a trial is made for is not known
	}
	return out, err
}

// A crash after more steps, or after so long, is not put down to the settings: trying again would cost what the program
// has done so far.
const (
	earlySteps = 20
	earlyTime  = 10 * time.Minute
)

// quick is how long a program may take that makes no steps, for it to be run several times over a crash.
const quick = time.Minute

// run runs the program with a set of settings; and where it crashes with them alone, without those that it crashes
// with. It returns the settings of the run that counts.
func (t *tuner) run(ctx context.Context, set []setting.Choice, steps int, final bool) ([]setting.Choice, probe.Outcome, error) {
	out, err := t.attempt(ctx, set, steps, final, final)
	if err != nil || !crashed(out) || ctx.Err() != nil || len(set) == 0 {
		return set, out, err
	}
	made := len(out.Run.Steps)
	if made > earlySteps || out.Run.WallSeconds > earlyTime.Seconds() {
		t.note("the program failed after %s and %.0f s, too late to retry without settings; try --level 0",
			human.Plural(made, "step"), out.Run.WallSeconds)
		return set, out, nil
	}
	t.tell(Event{Text: fmt.Sprintf("the program failed with %s after %s; retrying without settings", human.Exit(out.Exit),
		human.Plural(made, "step"))})
	bare, err := t.attempt(ctx, nil, made+2, final, final)
	switch {
	case err != nil || ctx.Err() != nil:
		return nil, bare, err
	case crashed(bare):
		t.note("the program also fails without settings, with %s", human.Exit(bare.Exit))
		return nil, bare, nil
	}
	return t.dropCulprits(ctx, set, steps, final, out, bare)
}

// dropCulprits runs the program without the settings that it crashes with, given how it went with all and with none.
func (t *tuner) dropCulprits(ctx context.Context, set []setting.Choice, steps int, final bool, out, bare probe.Outcome) (
	[]setting.Choice, probe.Outcome, error,
) {
	made := len(out.Run.Steps)
	ended := !bare.Stopped // it made too few steps to be stopped: that was all of it
	if ended && final && bare.Run.WallSeconds > quick.Seconds() && len(set) > 1 {
		t.fallBack("the program crashed with %s and was run without settings; finding the setting at fault would need "+
			"many more runs",
			human.Plural(len(set), "setting"))
		return nil, bare, nil
	}
	culprits, err := t.culprits(ctx, set, made+2)
	if err != nil {
		return nil, bare, err
	}
	for _, name := range culprits {
		t.dropped[name] = "the program crashes with it, and works without it"
	}
	rest := without(set, culprits...)
	tries := [][]setting.Choice{rest, safe(rest), nil}
	if len(culprits) > 0 {
		t.fallBack("the program crashes with %s: dropped", list(culprits))
	} else {
		t.note("the program failed with %s, but its first %s worked when repeated, so no setting is blamed",
			human.Exit(out.Exit), human.Plural(made+2, "step"))
		tries = tries[:1]
	}
	if ended && final {
		return nil, bare, nil
	}
	return t.firstThatWorks(ctx, tries, steps, final)
}

// firstThatWorks runs the program with one set after the other, until one does not crash early.
func (t *tuner) firstThatWorks(ctx context.Context, tries [][]setting.Choice, steps int, final bool) (
	next []setting.Choice, out probe.Outcome, err error,
) {
	for i := range tries {
		next = tries[i]
		out, err = t.attempt(ctx, next, steps, final, final)
		last := len(next) == 0 || i == len(tries)-1
		if err != nil || !crashed(out) || len(out.Run.Steps) > earlySteps || ctx.Err() != nil || last {
			break
		}
		t.fallBack("it still fails with %s", list(names(next)))
	}
	return next, out, err
}

// culprits looks for the settings that the program crashes with, by short runs that nobody sees.
func (t *tuner) culprits(ctx context.Context, set []setting.Choice, steps int) ([]string, error) {
	known := map[string]bool{}
	return blame(set, func(some []setting.Choice) (bool, error) {
		key := strings.Join(names(some), "\x00")
		if works, tried := known[key]; tried {
			return works, nil
		}
		t.tell(Event{Text: "trying " + list(names(some))})
		out, err := t.attempt(ctx, some, steps, false, false)
		if err == nil {
			err = ctx.Err()
		}
		known[key] = !crashed(out)
		return known[key], err
	})
}

func crashed(out probe.Outcome) bool { return out.Exit != 0 && !out.Stopped }

// observations are what saturate_tune told during a run.
func observations(out probe.Outcome) []setting.Observation {
	var all []setting.Observation
	for _, report := range out.Reports {
		var o setting.Observation
		if json.Unmarshal(report, &o) == nil {
			all = append(all, o)
		}
	}
	return all
}
