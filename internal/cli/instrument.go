package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/patch"
	programs "saturate/internal/process"
	"saturate/internal/report"
	"saturate/internal/rule/instrument"
)

type instrumentOptions struct {
	remove, run, diff bool
	python            string
}

// instrumentData is what `saturate instrument --format json` holds.
type instrumentData struct {
	Path    string   `json:"path"`           // the program
	Kind    string   `json:"kind,omitempty"` // loop, transformers or lightning
	Ranges  []string `json:"ranges"`         // names of the ranges that mark parts of a step
	Changed bool     `json:"changed"`        // the file was written
	Removed bool     `json:"removed"`        // the marked lines were removed
	Notes   []string `json:"notes"`          // what could not be marked, and why
	Traces  []string `json:"traces"`         // that --run left
	Diff    string   `json:"diff"`           // unified diff of the change
}

var instrumentCommand = command{
	name: "instrument", group: fix, args: "TRAIN.PY [-- ARGUMENTS…]", min: 1, max: -1, endings: []string{
		".diff",
		".patch",
	},
	short: "Add NVTX ranges and a profile of the first 10 steps to a training program",
	long: `Add NVTX ranges and a profile of the first 10 steps to a training program.

saturate edits TRAIN.PY in place; --diff shows the change without writing it, and --remove undoes it.

The ranges are DataLoading, Forward, Backward and Optimizer. They appear in Nsight Systems and in the trace that
torch.profiler writes to ./log. Plain PyTorch loops, Accelerate, the transformers Trainer and Lightning are supported,
with and without a GPU. Only whole, marked lines are added. Instrumenting twice adds nothing, and --remove restores
the file byte for byte, even if you edited other lines in between.

--run runs python TRAIN.PY ARGUMENTS afterwards; saturate exits with the program's exit code.`,
	example: `  saturate instrument train.py
  saturate instrument train.py --run -- --epochs 1
  saturate analyze log/*.pt.trace.json
  saturate instrument train.py --remove`,
	data: instrumentData{},
	prepare: with(func(fs *pflag.FlagSet, o *instrumentOptions) {
		fs.BoolVar(&o.remove, "remove", false, "remove the added lines")
		fs.BoolVar(&o.run, "run", false, "instrument the program, then run it")
		fs.BoolVar(&o.diff, "diff", false, "show the diff without writing it")
		fs.StringVar(&o.python, "python", "", "Python for --run (default: the active environment, then python3)")
		onCommandLineOnly(fs, "remove", "run", "diff")
		forUserOnly(fs, "python")
	}, runInstrument),
}

func runInstrument(ctx context.Context, env *Env, o instrumentOptions, args []string) (report.Report, error) {
	path, rest := env.path(args[0]), args[1:]
	switch {
	case len(rest) > 0 && !o.run:
		return report.Report{}, usage("program arguments need --run: `saturate instrument %s --run -- %s`", args[0],
			strings.Join(rest, " "))
	case o.remove && (o.run || o.diff), o.run && o.diff:
		return report.Report{}, usage("--remove, --run and --diff exclude each other")
	}
	old, err := files.Read(path, files.MaxSource)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return report.Report{}, usage("%s does not exist; give a Python file", args[0])
		}
		return report.Report{}, usage("cannot read %s: %v", args[0], reason(err))
	}
	python := ""
	if o.run { // before the program is changed
		if python, err = env.pythonToRun(o.python); err != nil {
			return report.Report{}, err
		}
	}
	data := instrumentData{
		Path: env.shown(path), Removed: o.remove, Ranges: []string{}, Notes: []string{},
		Traces: []string{},
	}
	var fresh []byte
	if o.remove {
		fresh = instrument.Remove(old)
	} else {
		result, err := instrument.Write(ctx, path, old)
		if err != nil {
			return report.Report{}, err
		}
		fresh, data.Kind, data.Ranges, data.Notes = result.Text, result.Kind, result.Ranges, append(data.Notes,
			result.Notes...)
	}
	change := patch.Change{Path: path, Old: old, New: fresh}
	data.Changed = string(old) != string(fresh) && !o.diff
	data.Diff = string(patch.Diff([]patch.Change{{Path: data.Path, Old: old, New: fresh}}))
	if data.Changed {
		journal, err := env.journal()
		if err != nil {
			return report.Report{}, err
		}
		if err := journal.Apply(filepath.Dir(path), "saturate instrument", []patch.Change{change}); err != nil {
			return report.Report{}, err
		}
	}
	if o.run {
		if data.Traces, err = runProgram(ctx, env, python, path, rest); err != nil {
			return report.Report{}, err
		}
	}
	return instrumentReport(data, o), nil
}

func instrumentReport(d instrumentData, o instrumentOptions) report.Report {
	r := report.Report{Command: "instrument", Title: "Instrumented " + d.Path, Data: d, Warnings: d.Notes}
	ranges := strings.Join(d.Ranges, ", ")
	switch {
	case o.remove && d.Changed:
		r.Summary = []string{"Removed the instrumentation from " + d.Path + "."}
	case o.remove:
		r.Summary = []string{d.Path + " is not instrumented."}
	case o.diff && d.Diff != "":
		r.Diff = []byte(d.Diff)
		r.Summary = []string{fmt.Sprintf("Would add the ranges %s and a profile of the first 10 steps to %s.", ranges,
			d.Path)}
	case d.Changed:
		r.Summary = []string{fmt.Sprintf("Added the ranges %s and a profile of the first 10 steps to %s.", ranges, d.Path)}
	default:
		r.Summary = []string{fmt.Sprintf("%s is already instrumented, with the ranges %s and the profile.", d.Path, ranges)}
	}
	switch {
	case o.run && len(d.Traces) == 0:
		r.Warnings = append(r.Warnings, "the program wrote no trace to ./log: it ran no "+
			"step, or changed its working directory")
	case o.run:
		r.Summary = append(r.Summary, "Trace: "+strings.Join(d.Traces, ", ")+".")
		r.Next = []string{"saturate analyze " + d.Traces[len(d.Traces)-1], "saturate instrument " + d.Path + " --remove"}
	case !o.remove && !o.diff:
		r.Next = []string{"saturate instrument " + d.Path + " --run", "saturate instrument " + d.Path + " --remove"}
	}
	return r
}

// runProgram runs the program in the working folder and lists the traces that it left in ./log.
func runProgram(ctx context.Context, env *Env, python, path string, args []string) ([]string, error) {
	before := traces(env)
	still := fmt.Sprintf("it is still instrumented; undo with `saturate instrument %s --remove`", env.shown(path))
	cmd := programs.Command(ctx, python, append([]string{path}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Dir, env.Vars, env.Stdin, env.Stdout, env.Stderr
	if env.Format != "text" {
		cmd.Stdout = env.Stderr // stdout is for the document
	}
	err := programs.Run(cmd)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code := exit.ExitCode()
		if code < 0 {
			return nil, exitError{128 + 15, fmt.Errorf("the program was stopped (%v); %s", exit, still)}
		}
		return nil, exitError{code, fmt.Errorf("the program failed with %s; %s", human.Exit(code), still)}
	}
	if err != nil {
		return nil, exitError{exitMissing, fmt.Errorf("cannot run %s: %w; %s", python, err, still)}
	}
	return slices.DeleteFunc(traces(env), func(t string) bool { return slices.Contains(before, t) }), nil
}

func traces(env *Env) (list []string) {
	_ = filepath.WalkDir(filepath.Join(env.Dir, "log"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), ".pt.trace.json") {
			list = append(list, env.shown(path))
		}
		return nil
	})
	return list
}

// python is the interpreter to run a program with: the one asked for, that of the active environment, python3 or
// python.
func (e *Env) python(asked string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	for _, i := range programs.Interpreters(e.Var) {
		if programs.IsExecutable(i.Path) {
			return i.Path, nil
		}
	}
	return "", exitError{exitMissing, errors.New("no Python in PATH; install it, or choose one with --python")}
}

// pythonToRun is python for whoever is about to change something: one that was asked for must be there.
func (e *Env) pythonToRun(asked string) (string, error) {
	python, err := e.python(asked)
	if err != nil {
		return "", err
	}
	if strings.ContainsRune(filepath.ToSlash(python), '/') {
		if !programs.IsExecutable(e.path(python)) {
			return "", exitError{exitMissing, fmt.Errorf("--python %s is not an executable", python)}
		}
		return python, nil
	}
	if _, err := exec.LookPath(python); err != nil {
		return "", exitError{exitMissing, fmt.Errorf("--python %s: not found in PATH", python)}
	}
	return python, nil
}
