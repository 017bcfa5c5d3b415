package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"

	"github.com/spf13/pflag"

	"saturate/examples"
	"saturate/internal/optimize"
	"saturate/internal/process"
	"saturate/internal/report"
	"saturate/internal/verify"
	"saturate/internal/view"
)

type demoOptions struct {
	python                    string
	steps, pairs, ladderPairs int
	replace                   bool
}

var demoCommand = command{
	name: "demo", group: allOf, min: 0, max: 0,
	short: "The whole protocol on a training project with the usual mistakes, on this machine, in minutes",
	long: `The whole protocol on a training project with the usual mistakes, on this machine, in minutes.

A small Whisper that is trained on synthetic speech is written to the folder of runs, and "saturate optimize" makes it
faster: it makes the speech before training, loads it ahead, and keeps what helps. It needs a Python
with torch, transformers and PyYAML; --python names another one than that of the active environment.`,
	example: `  saturate demo
  saturate demo --python ~/venv/bin/python -o demo.html`,
	formats: report.Formats(),
	data:    view.OptimizeData{},
	prepare: with(func(fs *pflag.FlagSet, o *demoOptions) {
		fs.StringVar(&o.python, "python", "", "the Python to train with; otherwise that of the active environment, then python3")
		fs.IntVar(&o.steps, "steps", 30, "steps of each run, warm-up included")
		fs.IntVar(&o.pairs, "pairs", verify.DefaultPairs, "pairs of runs of the final proof")
		fs.IntVar(&o.ladderPairs, "ladder-pairs", 2, "pairs of runs for each repair")
		fs.BoolVar(&o.replace, "replace", false, "write the example anew though it was changed")
		onCommandLineOnly(fs, "python", "replace")
	}, runDemo),
}

func runDemo(ctx context.Context, env *Env, o demoOptions, _ []string) (report.Report, error) {
	python, err := trainingPython(ctx, env, o.python)
	if err != nil {
		return report.Report{}, err
	}
	dir := filepath.Join(env.path(env.Config.Get("runs").Value), "demo")
	if err := unpackExample(env, env.shown(dir), o.replace); err != nil {
		return report.Report{}, err
	}
	env.dash = 1
	return runOptimize(ctx, env, optimizeOptions{
		Options: optimize.Options{Steps: o.steps, Pairs: o.pairs, LadderPairs: o.ladderPairs, Timeout: verify.DefaultTimeout},
		allow:   "unsafe",
	}, []string{filepath.Join(dir, "whisper-tts"), python, "train.py", "--size", "tiny"})
}

// trainingPython finds an interpreter that has what the example needs.
func trainingPython(ctx context.Context, env *Env, asked string) (string, error) {
	python, err := env.pythonToRun(asked)
	if err != nil {
		return "", err
	}
	const needed = "import torch, transformers, tokenizers, yaml, numpy"
	cmd := process.Command(ctx, python, "-c", needed)
	cmd.Env, cmd.Dir = env.Vars, process.Neutral()
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return python, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case !errors.As(err, &exit):
		return "", exitError{exitMissing, fmt.Errorf("the demo trains with %s, which cannot be run: %w; name another with --python", python, reason(err))}
	}
	return "", exitError{exitMissing, fmt.Errorf("the demo trains with %s, which lacks something (%s): `%s -m pip install torch transformers PyYAML`, or name another with --python",
		python, cmp.Or(process.LastLine(said), err.Error()), python)}
}

// unpackExample writes the example. What somebody has changed in it is theirs.
func unpackExample(env *Env, dir string, replace bool) error {
	var files []gift
	err := fs.WalkDir(examples.WhisperTTS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := examples.WhisperTTS.ReadFile(name)
		files = append(files, gift{filepath.Join(dir, filepath.FromSlash(name)), text})
		return err
	})
	if err != nil {
		return fmt.Errorf("the example is damaged: %w", err)
	}
	return give(env, files, replace, fmt.Sprintf("`saturate optimize %s -- python train.py` works on it as it is", filepath.Join(dir, "whisper-tts")))
}
