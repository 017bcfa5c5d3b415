package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"saturate/internal/config"
	"saturate/internal/progress"
)

// settle finds every setting's value, gives it to the flags that were not typed, and
// sets up what all commands share.
func (e *Env) settle(cc *cobra.Command, name string) error {
	typed := map[string]string{}
	cc.Flags().Visit(func(f *pflag.Flag) {
		if isSetting(f) {
			typed[settingKey(name, f)] = f.Value.String()
		}
	})
	envFile, _ := cc.Flags().GetString("env-file")
	if envFile != "" {
		envFile = e.path(envFile)
	}
	var err error
	e.Config, err = config.Load(settings(commands), config.Sources{
		Flags: typed, Environ: e.Vars, EnvFile: envFile,
		Dir: e.Dir, User: e.userSettings(),
	})
	if err != nil {
		return exitError{exitUsage, err}
	}
	known := map[string]config.Value{}
	for _, v := range e.Config.All() {
		known[v.Key] = v
	}
	cc.Flags().VisitAll(func(f *pflag.Flag) {
		v, ok := known[settingKey(name, f)]
		if !ok || f.Changed || !isSetting(f) || v.Origin == "default" || err != nil {
			return
		}
		if setErr := f.Value.Set(v.Value); setErr != nil {
			err = usage("%s: %s %s", v.Origin, v.Key, cannotBe(f, v.Value, setErr))
		}
	})
	if err != nil {
		return err
	}

	quiet, _ := cc.Flags().GetBool("quiet")
	verbose, _ := cc.Flags().GetBool("verbose")
	switch {
	case quiet:
		e.Verbose = -1
	case verbose:
		e.Verbose = 1
	}
	e.Progress = &progress.Display{
		Out: e.Stderr, Terminal: e.bar(), Quiet: quiet, Width: e.Width, Now: e.Now,
		Told: e.told,
	}
	e.Progress.Journal = e.liveJournal(name)
	if !quiet {
		for _, w := range e.Config.Warnings {
			e.say("warning: %s", w)
		}
	}
	return nil
}

// userSettings is the user's own settings file.
func (e *Env) userSettings() string {
	folder := e.Var("XDG_CONFIG_HOME")
	switch {
	case filepath.IsAbs(folder):
	case e.Var("HOME") != "":
		folder = filepath.Join(e.Var("HOME"), ".config")
	case e.Var("APPDATA") != "":
		folder = e.Var("APPDATA")
	default:
		return ""
	}
	return filepath.Join(folder, "saturate", "saturate.toml")
}

// path is a path the user typed, seen from the working directory.
func (e *Env) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(e.Dir, p)
}
