package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"saturate/examples"
	"saturate/internal/optimize"
	"saturate/internal/report"
	"saturate/internal/verify"
	"saturate/internal/view"
)

type demoOptions struct {
	python, torch             string
	steps, pairs, ladderPairs int
	replace                   bool
}

var demoCommand = command{
	name: "demo", group: allOf, min: 0, max: 0,
	short: "Optimize an example project on this machine, in minutes",
	long: `Optimize an example project on this machine, in minutes.

The example trains a small Whisper on synthetic speech, with the usual mistakes. saturate writes it to
runs/ and runs "saturate optimize" on it, which precomputes the speech, prefetches batches and keeps what helps.

The example needs a Python with torch, transformers and PyYAML. If the active one lacks them, saturate creates a
separate environment in the cache folder, once, and first says what it will download. --python uses yours instead.`,
	example: `  saturate demo
  saturate demo --python ~/venv/bin/python -o demo.html
  saturate demo --torch pypi`,
	formats: report.Formats(),
	data:    view.OptimizeData{},
	prepare: with(func(fs *pflag.FlagSet, o *demoOptions) {
		fs.StringVar(&o.python, "python", "",
			"Python to train with (default: the active one, or an environment made for the demo)")
		fs.StringVar(&o.torch, "torch", "cpu",
			"build of torch to download, if needed: cpu, or pypi for the one with CUDA on Linux")
		fs.IntVar(&o.steps, "steps", 20, "steps per run, including warm-up")
		fs.IntVar(&o.pairs, "pairs", verify.DefaultPairs, "pairs of runs for the final proof")
		fs.IntVar(&o.ladderPairs, "ladder-pairs", 2, "pairs of runs for each fix that is tried")
		fs.BoolVar(&o.replace, "replace", false, "rewrite the example even if it was edited")
		onCommandLineOnly(fs, "python", "torch", "replace")
	}, runDemo),
}

// demoSearch is how long the demo tries fixes, so that it ends in minutes: what is left is named in the report.
const demoSearch = 55 * time.Second

func runDemo(ctx context.Context, env *Env, o demoOptions, _ []string) (report.Report, error) {
	if o.torch != "cpu" && o.torch != "pypi" {
		return report.Report{}, usage("--torch cannot be %q: use cpu or pypi", o.torch)
	}
	python, err := trainingPython(ctx, env, o)
	if err != nil {
		return report.Report{}, err
	}
	dir := filepath.Join(env.path(env.Config.Get("runs").Value), "demo")
	if err := unpackExample(env, env.shown(dir), o.replace); err != nil {
		return report.Report{}, err
	}
	env.dash = 1
	return runOptimize(ctx, env, optimizeOptions{
		Options: optimize.Options{
			Steps: o.steps, Pairs: o.pairs, LadderPairs: o.ladderPairs, Timeout: verify.DefaultTimeout,
			Search: demoSearch,
		},
		allow: "unsafe",
	}, []string{filepath.Join(dir, "whisper-tts"), python, "train.py", "--size", "tiny"})
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
