package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/files"
	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/run"
)

// stepsWord stands in a command for a file that the program itself writes its steps to, one JSON object a line. Such
// a program need not be Python.
const stepsWord = "{steps}"

// logsItself reports whether a command names the file of its steps.
func logsItself(command []string) bool {
	return slices.ContainsFunc(command, func(arg string) bool { return strings.Contains(arg, stepsWord) })
}

// outputName is what a program printed.
const outputName = "output.log"

// endPatience is how long an interrupted program may take to end.
const endPatience = 5 * time.Second

// ownLog runs programs that write their own steps.
func ownLog(environ []string) Execute {
	return func(ctx context.Context, t Trial) (r run.Run, err error) {
		scratch := t.Scratch
		if scratch == "" {
			var err error
			if scratch, err = os.MkdirTemp("", "saturate-verify-"); err != nil {
				return run.Run{}, err
			}
			defer os.RemoveAll(scratch)
		}
		log := filepath.Join(scratch, "steps.jsonl")
		command := fill(t.Home.Command(t.Command), stepsWord, log)
		env, modules, err := watchModules(t, slices.Concat(environ, t.Env))
		if err != nil {
			return run.Run{}, err
		}
		defer func() { modules(r, probe.IsPython(command)) }()
		turned, err := probe.Turned(env)
		if err != nil {
			return run.Run{}, err
		}
		path, err := lookUp(command[0], t.Dir, env)
		if err != nil {
			return run.Run{}, err
		}
		output, err := files.EmptyOwn(filepath.Join(scratch, outputName), files.Private)
		if err != nil {
			return run.Run{}, err
		}
		defer output.Close()

		cmd := process.Command(ctx, path, command[1:]...)
		cmd.Args[0] = command[0]
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.Dir, turned, output, output
		process.Own(cmd)
		cmd.Cancel = func() error { return process.Interrupt(cmd) }
		cmd.WaitDelay = endPatience
		r = run.Run{
			Schema: run.Schema, Name: t.Name, State: run.Complete, Command: run.MaskCommand(t.Command),
			Started: time.Now().Round(0), Environment: run.Capture(ctx, t.Dir, env),
		}
		released := func() []string { return nil }
		if c := t.confinement(env); c != nil {
			c.Own = append(slices.Clone(c.Own), scratch)
			if released, err = c.Apply(cmd); err != nil {
				return run.Run{}, err
			}
		}
		started := time.Now()
		err = process.Run(cmd)
		if wrote := released(); len(wrote) > 0 {
			r.Notes = append(r.Notes, probe.WroteOutside(wrote))
		}
		r.WallSeconds = time.Since(started).Seconds()
		if ctx.Err() != nil && cmd.Process != nil {
			_ = process.Kill(cmd)
		}
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) && ctx.Err() == nil && !errors.Is(err, exec.ErrWaitDelay) {
			return run.Run{}, err
		}
		code := process.ExitCode(cmd.ProcessState)
		r.ExitCode = &code
		if code != 0 {
			r.State = run.Failed
		}
		r.Notes = append(r.Notes, readSteps(&r, log, t.Steps)...)
		if code != 0 {
			if said := process.LastLineOf(output.Name()); said != "" {
				r.Notes = append(r.Notes, said+refused(said, t.Own != nil))
			}
		}
		return r, nil
	}
}

// readSteps takes the steps from the program's file, and no more than were asked for.
func readSteps(r *run.Run, log string, most int) []string {
	f, err := os.Open(log)
	if err != nil {
		return []string{"it did not write " + stepsWord}
	}
	defer f.Close()
	steps, notes, err := run.ImportSteps(f)
	if err != nil {
		notes = append(notes, err.Error())
	}
	if most > 0 && len(steps) > most {
		steps = steps[:most]
	}
	r.Steps, r.StepCount = steps, len(steps)
	return notes
}

// lookUp finds a program on the PATH that it will get, or from its folder where a path was typed.
func lookUp(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%s is not a program: %w", name, probe.ErrMissing)
		}
		return path, nil
	}
	for i := len(env) - 1; i >= 0; i-- {
		if list, ok := strings.CutPrefix(env[i], "PATH="); ok {
			for _, folder := range filepath.SplitList(list) {
				if path, err := exec.LookPath(filepath.Join(folder, name)); filepath.IsAbs(folder) && err == nil {
					return path, nil
				}
			}
			break
		}
	}
	return "", fmt.Errorf("%s is not on the PATH: %w", name, probe.ErrMissing)
}
