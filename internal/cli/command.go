package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"saturate/internal/config"
	"saturate/internal/human"
	"saturate/internal/report"
)

// group is what a user wants; the help lists commands under it.
type group string

const (
	find   group = "Find"
	fix    group = "Fix"
	feed   group = "Prepare data"
	prove  group = "Prove"
	allOf  group = "All in one"
	show   group = "Show"
	agents group = "Agents"
	about  group = "About saturate"
)

var groups = []group{find, fix, feed, prove, allOf, show, agents, about}

// command is one verb of the command line.
type command struct {
	name    string
	group   group
	args    string // "TRACE…", shown in the usage line
	min     int    // fewest arguments
	max     int    // most arguments, -1 for any number
	short   string
	long    string
	example string
	formats []string // what --format takes; text and json when nil
	endings []string // of --output besides those of the formats: files for what the command prints as text, a diff say
	hidden  bool
	parent  string    // of a subcommand: its JSON and its settings are the parent's
	under   []command // subcommands
	judges  string    // help of --exit-zero, for commands that exit with 1 for what they found
	// complete lists what the shell offers as an argument, besides files where orFiles is set; only files when nil.
	complete func(env *Env) []string
	orFiles  bool
	others   []any // values of further types that Report.Data may have
	data     any   // a value of the type that Report.Data has: docs/schema is made from it

	prepare func() action
}

// action is a command with its options.
type action struct {
	flags func(*pflag.FlagSet)
	run   func(ctx context.Context, env *Env, args []string) (report.Report, error)
}

// with makes an action whose options are a struct, so that run gets values and never looks flags up by name.
func with[O any](flags func(*pflag.FlagSet, *O), run func(context.Context, *Env, O, []string) (report.Report, error)) func() action {
	return func() action {
		options := new(O)
		return action{
			flags: func(fs *pflag.FlagSet) { flags(fs, options) },
			run: func(ctx context.Context, env *Env, args []string) (report.Report, error) {
				return run(ctx, env, *options, args)
			},
		}
	}
}

// plain makes an action without options.
func plain(run func(context.Context, *Env, []string) (report.Report, error)) func() action {
	return func() action { return action{flags: func(*pflag.FlagSet) {}, run: run} }
}

// onCommandLineOnly marks flags that cannot be set in a file or a variable: they do something
// that the user should ask for each time.
func onCommandLineOnly(fs *pflag.FlagSet, names ...string) {
	annotate(fs, "command-line-only", nil, names...)
}

// forUserOnly marks flags that name programs to run, servers to talk to or files to write: a project's settings file,
// which may come from somebody else, cannot set them.
func forUserOnly(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := fs.SetAnnotation(name, "for-user-only", nil); err != nil {
			panic(err)
		}
	}
}

func (c command) checkArgs(cc *cobra.Command, args []string) error {
	switch {
	case wantsHelpAll(cc):
		return pflag.ErrHelp // cobra shows the help then
	case len(args) < c.min && c.max == c.min:
		return usage("%s needs %s; try: saturate %s %s", c.name, human.Plural(c.min, "argument"), c.name, c.args)
	case len(args) < c.min:
		return usage("%s needs at least %s; try: saturate %s %s", c.name, human.Plural(c.min, "argument"), c.name, c.args)
	case c.max == 0 && len(args) > 0:
		return usage("%s takes no arguments; got %q", c.name, args[0])
	case c.max >= 0 && len(args) > c.max:
		return usage("%s takes at most %s; got %d", c.name, human.Plural(c.max, "argument"), len(args))
	}
	return nil
}

// settings is every flag of every command as a setting: `--buffers` of mel is mel.buffers in
// saturate.toml and SATURATE_MEL_BUFFERS in the environment.
func settings(commands []command) []config.Setting {
	all := append([]config.Setting{
		{Key: "color", Default: "auto", Help: "color: auto, always or never", Check: config.OneOf("auto", "always", "never")},
		{
			Key: "format", Default: "text", Help: "output format; a command's help lists the ones it supports",
			Check: config.OneOf(report.FindingFormats()...),
		},
		{Key: "runs", Default: "runs", Help: "folder for Runs", InProject: config.InsideProject},
	}, config.Platform()...)
	for _, c := range commands {
		fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.prepare().flags(fs)
		fs.VisitAll(func(f *pflag.Flag) {
			if isSetting(f) {
				s := config.Setting{Key: settingKey(c.name, f), Default: f.DefValue, Help: f.Usage}
				if _, personal := f.Annotations["for-user-only"]; personal {
					s.InProject = config.Personal
				}
				all = append(all, s)
			}
		})
	}
	return all
}

func isSetting(f *pflag.Flag) bool {
	_, no := f.Annotations["command-line-only"]
	return !no && !f.Hidden && f.Name != "help"
}

// frameKeys are the settings that every command shares.
var frameKeys = []string{"color", "format", "runs", "gpu_backend", "optimization_level"}

func settingKey(command string, f *pflag.Flag) string {
	key := strings.ReplaceAll(f.Name, "-", "_")
	if slices.Contains(frameKeys, key) {
		return key
	}
	return command + "." + key
}
