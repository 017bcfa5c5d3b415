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
	short: "Run the whole protocol on an example project, on this machine, in minutes",
	long: `Run the whole protocol on an example project, on this machine, in minutes.

The example trains a small Whisper on synthetic speech, with the usual mistakes. saturate writes it to the folder of
runs and runs "saturate optimize" on it, which precomputes the speech, prefetches batches and keeps what helps.
It needs a Python with torch, transformers and PyYAML.`,
	example: `  saturate demo
  saturate demo --python ~/venv/bin/python -o demo.html`,
	formats: report.Formats(),
	data:    view.OptimizeData{},
	prepare: with(func(fs *pflag.FlagSet, o *demoOptions) {
		fs.StringVar(&o.python, "python", "", "Python to train with (default: the active environment, then python3)")
		fs.IntVar(&o.steps, "steps", 30, "steps per run, including warm-up")
		fs.IntVar(&o.pairs, "pairs", verify.DefaultPairs, "pairs of runs for the final proof")
		fs.IntVar(&o.ladderPairs, "ladder-pairs", 2, "pairs of runs per fix")
		fs.BoolVar(&o.replace, "replace", false, "rewrite the example even if it was edited")
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
		return "", exitError{exitMissing, fmt.Errorf("the demo needs a Python, but %s cannot be run: %w; choose another with --python", python, reason(err))}
	}
	return "", exitError{exitMissing, fmt.Errorf("the demo needs torch, transformers and PyYAML, and %s lacks some (%s): `%s -m pip install torch transformers PyYAML`, or choose another with --python",
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
	return give(env, files, replace, fmt.Sprintf("run `saturate optimize %s -- python train.py` to use your edited copy", filepath.Join(dir, "whisper-tts")))
}
