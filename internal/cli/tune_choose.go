package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"saturate/internal/config"
	"saturate/internal/tune"
	"saturate/internal/tune/setting"
)

// choose asks the machine and picks settings. What keeps it from that keeps no program from running: the notes tell.
func (o *tuneOptions) choose(ctx context.Context, env *Env) error {
	backend, err := o.askedBackend(env)
	if err != nil {
		return err
	}
	o.Machine, err = tune.Detect(ctx, o.python, env.Vars, o.fresh)
	if err != nil {
		if ctx.Err() != nil || len(o.Command) == 0 || o.load != "" {
			return exitError{exitMissing, fmt.Errorf("%w; choose another Python with --python", err)}
		}
		o.Machine, o.Level, o.Measure = setting.Machine{}, setting.Safe, false
		o.notes = append(o.notes, fmt.Sprintf("running the program without settings: %v", err))
		return nil
	}
	if o.model != "" && o.Machine.Torch == "" {
		return exitError{exitMissing, fmt.Errorf("--model needs torch, and %s does not have "+
			"it; choose another Python with --python", o.python)}
	}
	if o.Machine.Torch == "" && o.Machine.JAX == "" {
		o.notes = append(o.notes, o.python+
			" has neither torch nor jax, so their settings are skipped; choose another Python with --python")
	}
	if err := o.useBackend(backend); err != nil {
		return err
	}
	own, err := o.ownSettings(env)
	if err != nil {
		return err
	}
	if o.load != "" {
		return o.loadProfile(env)
	}
	o.Selection = tune.Select(o.Machine, o.Command, o.Level, o.only, o.except, own)
	o.notes = append(o.notes, o.Machine.Notes...)
	return nil
}

// useBackend takes the hardware that was asked for. What is not available is a note, and an error with --strict.
func (o *tuneOptions) useBackend(backend string) error {
	if backend == "auto" || backend == o.Machine.Backend {
		return nil
	}
	if backend == "cpu" { // every machine has one
		o.Machine.Backend = backend
		return nil
	}
	missing := fmt.Sprintf("%s is not available: %s sees %s (torch %s)",
		backend, filepath.Base(o.python), o.Machine.Backend, orNothing(o.Machine.Torch+" "+o.Machine.Build))
	if o.strict {
		return exitError{exitMissing, fmt.Errorf("%s; use --backend auto, or run on a machine that has one", missing)}
	}
	o.notes = append(o.notes, missing+"; the settings are those for "+o.Machine.Backend+
		", and --strict makes this an error")
	return nil
}

// ownSettings are those of --with; every name that was typed must be one of them or of ours.
func (o *tuneOptions) ownSettings(env *Env) (own []setting.Setting, err error) {
	if o.own != "" {
		if own, err = tune.ReadSettings(env.path(o.own)); err != nil {
			return nil, usage("%v", err)
		}
	}
	known := setting.Names()
	for _, s := range own {
		known = append(known, s.Name)
	}
	for _, name := range slices.Concat(o.only, o.except) {
		if !slices.Contains(known, name) {
			return nil, usage("unknown setting %q%s; `saturate tune --list` lists all settings", name, config.Hint(name, known))
		}
	}
	return own, nil
}

// loadProfile uses the settings of --load.
func (o *tuneOptions) loadProfile(env *Env) error {
	profile, err := tune.Load(env.path(o.load), o.Machine, o.force)
	if err != nil {
		return usage("%v", err)
	}
	o.Selection = profile.Selection()
	o.Level = min(profile.Level, setting.Hardware) // what was measured there is not measured again
	return nil
}

// askedBackend is the hardware that was asked for, by flag, variable or file; auto where none was.
func (o *tuneOptions) askedBackend(env *Env) (string, error) {
	if o.backend != "" {
		backend, _, err := config.OneOf("auto", "cuda", "rocm", "mps", "cpu")(o.backend)
		if err != nil {
			return "", usage("--backend %v", err)
		}
		return backend, nil
	}
	if err := env.Config.Contradiction; err != nil {
		return "", usage("%v", err)
	}
	return env.Config.Get("gpu_backend").Value, nil
}

func orNothing(text string) string {
	if text == "" || text == " " {
		return "none"
	}
	return text
}
