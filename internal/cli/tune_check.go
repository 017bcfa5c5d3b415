package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"saturate/internal/device"
	"saturate/internal/probe"
	"saturate/internal/tune"
	"saturate/internal/tune/setting"
)

// settle checks what was typed and finds the program.
func (o *tuneOptions) settle(env *Env, args []string) error {
	if err := o.check(env, args); err != nil {
		return err
	}
	o.Dir, o.Environ, o.Now = env.Dir, env.Vars, env.Now
	o.System = device.Host{Env: env.Vars, Dir: env.Dir}
	for _, path := range []*string{&o.Control, &o.State} {
		if *path != "" {
			*path = env.path(*path)
		}
	}
	if err := o.findProgram(env, args); err != nil {
		return err
	}
	o.runs = env.path(env.Config.Get("runs").Value)
	if err := writable(o.runs); err != nil {
		o.notes, o.runs = append(o.notes, fmt.Sprintf("could not save the run: %v", err)), ""
	}
	o.Watch = tune.ByProbe(probe.Plan{
		Command: o.Command, Dir: env.Dir, Environ: env.Vars, Root: o.runs,
		Config: []byte(fmt.Sprintf("tune level %d", o.Level)),
		Loss:   true, Stdin: env.Stdin, Stdout: env.Stderr, Stderr: env.Stderr,
	})
	return nil
}

// check refuses what is out of range, and flags that contradict each other.
func (o *tuneOptions) check(env *Env, args []string) error {
	level := o.level
	if level == "" {
		level = env.Config.Get("optimization_level").Value
	}
	var err error
	if o.Level, err = strconv.Atoi(level); err != nil || o.Level < setting.Safe || o.Level > setting.Measured {
		return usage("--level must be 0, 1 or 2, not %s", level)
	}
	if o.Candidates < 1 || o.Pairs < 0 || o.Steps < tune.FewestSteps || o.Budget < 0 || o.Timeout <= 0 {
		return usage("--candidates must be at least 1, --pairs at least 0, --steps at least %d, "+
			"and --budget and --timeout positive", tune.FewestSteps)
	}
	return o.contradiction(env, args)
}

// contradiction refuses flags that exclude each other, and those that need another.
func (o *tuneOptions) contradiction(env *Env, args []string) error {
	chosen := o.level != "" || len(o.only) > 0 || len(o.except) > 0 || o.own != "" || o.Measure
	switch {
	case o.model != "" && len(args) > 0:
		return usage("--model and a program exclude each other; remove `-- %s …` or --model", args[0])
	case o.model != "" && o.Level < setting.Measured && !o.Measure:
		return usage("--model needs --level 2 or --measure")
	case o.shape != "" && o.model == "":
		return usage("--shape needs --model")
	case o.load != "" && chosen:
		return usage("--load excludes --level, --only, --except, --with and --measure; remove them")
	case o.export != "" && !isFolder(filepath.Dir(env.path(o.export))):
		return usage("cannot write --export %s: folder %s does not exist", o.export, filepath.Dir(o.export))
	}
	return nil
}

// findProgram is the command to run, or one that runs the model, and its Python.
func (o *tuneOptions) findProgram(env *Env, args []string) (err error) {
	o.Command = args
	if o.model != "" {
		if o.python == "" {
			o.python = tune.Interpreter(nil, env.Dir)
		}
		if o.Command, err = tune.ModelCommand(o.python, o.model, o.shape, modelDevice(o.backend, env), o.Steps); err != nil {
			return err
		}
	}
	if o.python == "" {
		o.python = tune.Interpreter(o.Command, env.Dir)
	}
	return nil
}

// writable says why a folder cannot be made, or nothing put into it.
func writable(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	trial, err := os.MkdirTemp(folder, ".saturate-")
	if err != nil {
		return err
	}
	return os.Remove(trial)
}

func modelDevice(backend string, env *Env) string {
	if backend == "" {
		backend = env.Config.Get("gpu_backend").Value
	}
	if backend == "rocm" {
		return "cuda" // the name that torch has for it
	}
	return backend
}
